"""Reads a result of each tool with the classes that were generated from its schema. It prints one line for each."""
import json
from typing import List

import results

with open("results.json", encoding="utf-8") as file:
    given = json.load(file)


def say(*words: object) -> None:
    print(*("true" if word is True else "false" if word is False else word for word in words))


schema = results.schema_from_dict(given["schema"])
accounts: List[str] = []
if schema.data and schema.data.connectors:
    for connector in schema.data.connectors:
        accounts += [connection.connection_id or "?" for connection in connector.granted_connections or []]
say("schema", " ".join(accounts))

records = results.query_records_from_dict(given["query_records"])
handles: List[str] = []
if records.data and records.data.data:
    handles = [f"{row.handle} {len(row.data or {})}" for row in records.data.data]
call = (records.next or [])[0]
say("query_records", " ".join(handles), call.tool, " ".join(call.arguments or {}))

groups = results.aggregate_from_dict(given["aggregate"])
total = 0
keys: List[str] = []
if groups.data and groups.data.groups:
    for group in groups.data.groups:
        total += group.count or 0
        if isinstance(group.key, str):
            keys.append(group.key)
say("aggregate", " ".join(keys), total)

hits = results.search_from_dict(given["search"])
say("search", " ".join((hit.id or "?").strip() for hit in hits.results or []), (hits.next or [])[0].tool)

document = results.fetch_from_dict(given["fetch"])
say("fetch", document.id, (document.title or "").upper(), len(document.text or "") > 0, len(document.url or "") > 0)

field = results.read_record_field_from_dict(given["read_record_field"])
if field.window:
    part = field.window
    say("read_record_field", len(part.text or ""), (part.total_chars or 0) - (part.end_chars or 0), "yes" if part.complete else "no")

refused = results.query_records_from_dict(given["refused"])
if refused.error:
    say("refused", refused.error.code, len(refused.error.message or "") > 0)
