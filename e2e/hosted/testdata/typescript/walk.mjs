// Walks a hosted server with one client of the TypeScript SDK: from the schema to records and numbers, from a
// search to a document and its parts, page by page, and into each kind of error. The SDK itself throws when
// structured content does not fit the declared output schema.
//
// Reads {endpoint, token, client, ofPackage} as JSON from stdin. Prints {revision, calls} as JSON, or fails
// with the first thing that is not as promised.

import assert from "node:assert/strict";
import { text } from "node:stream/consumers";

import { connectors } from "./connect.mjs";

const { endpoint, token, client: name, ofPackage } = JSON.parse(await text(process.stdin));
const { client, revision, tamper } = await connectors[name](endpoint, token);
let calls = 0;

/** Calls a tool that must not fail, and gives its structured content and its text. */
async function call(tool, args) {
  const result = await client.callTool({ name: tool, arguments: args });
  calls++;
  const seen = { data: result.structuredContent, text: result.content.map((part) => part.text).join("\n") };
  assert.ok(!result.isError, `${tool} ${JSON.stringify(args)}: ${seen.text}`);
  assert.ok(seen.data, `${tool} has no structured content`);
  return seen;
}

/**
 * Calls a tool that must be refused, and returns the error, which is the same in both channels.
 */
async function refusal(tool, args, code) {
  const result = await client.callTool({ name: tool, arguments: args });
  calls++;
  assert.equal(result.isError, true, `${tool} ${JSON.stringify(args)} is not refused`);
  const error = result.structuredContent.error;
  assert.equal(error.code, code, error.message);
  assert.deepEqual(JSON.parse(result.content[0].text), error);
  return error;
}

const { tools } = await client.listTools();
assert.deepEqual(
  tools.map((tool) => tool.name),
  ["aggregate", "fetch", "query_records", "read_record_field", "schema", "search"],
);
for (const tool of tools) {
  // Of read_record_field a picture has no structured output, which Codex would show in the picture's place.
  assert.equal(tool.outputSchema !== undefined, tool.name !== "read_record_field", `${tool.name}: output schema`);
  assert.equal(tool.annotations.readOnlyHint, true);
}
assert.match(client.getInstructions(), /schema/);

// schema → query_records → aggregate
const index = await call("schema", {});
assert.match(index.text, /play_history/);
const { data: schema } = await call("schema", { stream: "play_history" });
const [connector] = schema.data.connectors;
const source = { stream: "play_history", connection_id: connector.granted_connections[0].connection_id };
assert.match(connector.streams[0].field_capabilities.skipped, /eq/);
const skipped = { ...source, filter: { skipped: true } };
const { data: first } = await call("query_records", { ...skipped, limit: 3, count: "exact" });
const { data: counted } = await call("aggregate", { ...skipped, metric: "count" });
assert.equal(first.data.meta.count.value, counted.data.value);
assert.ok(counted.data.value > 6, `${counted.data.value} records are too few to page`);
const second = await call("query_records", { ...skipped, limit: 3, cursor: first.data.next_cursor });
assert.ok(second.text.includes(`"cursor":${JSON.stringify(second.data.data.next_cursor)}`), "the text lacks the cursor");
const rows = [...first.data.data, ...second.data.data.data];
assert.equal(new Set(rows.map((row) => row.handle)).size, 6, "pages repeat or lose a record");

// search, page by page and at once
const question = { q: "overdraft", streams: ["messages"] };
const whole = await call("search", { ...question, limit: 100 });
const wanted = whole.data.results.map((hit) => hit.id).sort();
assert.ok(wanted.length > 8, `${wanted.length} hits are too few to page`);
const found = [];
for (let cursor; found.length <= wanted.length; ) {
  const { data: page } = await call("search", { ...question, limit: 4, ...(cursor && { cursor }) });
  found.push(...page.results.map((hit) => hit.id));
  cursor = page.data.next_cursor;
  if (!cursor) break;
}
assert.deepEqual(found.sort(), wanted);

// search → fetch → read_record_field
const hits = await call("search", { q: "ombudsman", limit: 2 });
const [hit] = hits.data.results;
assert.ok(hits.text.includes(`\n[${JSON.stringify(hit.id)},`));
const document = await call("fetch", { id: hit.id });
assert.deepEqual(Object.keys(document.data).sort(), ["id", "metadata", "text", "title", "url"]);
assert.deepEqual(JSON.parse(document.text), document.data);
assert.equal(document.data.id, hit.id);
const [evidence] = hit.evidence;
assert.ok(hits.data.content_ladder.records.some((record) => record.id === hit.id));
const { tool: reader, arguments: reading } = evidence.next[0];
const { data: opening } = await call(reader, { ...reading, limit_chars: 500 });
assert.equal(opening.window.has_more, true);
const { data: following } = await call(opening.next[0].tool, opening.next[0].arguments);
assert.equal(following.window.start_chars, opening.window.end_chars);
assert.equal(document.data.text.includes(opening.window.text), true, "the window is no part of the document");

// errors: of the adapter, before and instead of a read, and of the resource server
const unknown = await refusal("search", { q: "x", bogus: 1 }, "unknown_argument");
assert.ok(unknown.accepted.includes("connection_id"));
await refusal("query_records", { ...source, filter: "skipped=true" }, "invalid_filter");
await refusal("query_records", { ...source, limit: 101 }, "invalid_arguments");
const missing = await refusal("query_records", { ...source, fields: ["bogus"] }, "unknown_field");
assert.ok(missing.request_id, "the resource server's envelope is not kept");
if (ofPackage) {
  const ambiguous = await refusal("query_records", { stream: "messages" }, "ambiguous_connection");
  assert.equal(ambiguous.retry_with, "connection_id");
  for (const { connection_id } of ambiguous.available_connections) {
    await call("query_records", { stream: "messages", connection_id, limit: 1 });
  }
}

// The SDK checks what it gets: a result that does not fit its declared output is thrown away.
tamper((result) => ({ ...result, structuredContent: { ...result.structuredContent, data: "no object" } }));
await assert.rejects(client.callTool({ name: "aggregate", arguments: { ...skipped, metric: "count" } }), /output schema/i);

await client.close();
console.log(JSON.stringify({ revision: revision(), calls }));
