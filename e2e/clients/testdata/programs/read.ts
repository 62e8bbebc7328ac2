// Reads a result of each tool with the types that were generated from its schema. It prints one line for each.
import {readFileSync} from 'node:fs';

import type {Aggregate} from './aggregate.ts';
import type {Fetch} from './fetch.ts';
import type {QueryRecords} from './query_records.ts';
import type {ReadRecordField} from './read_record_field.ts';
import type {Schema} from './schema.ts';
import type {Search} from './search.ts';

interface Results {
  schema: Schema;
  query_records: QueryRecords;
  aggregate: Aggregate;
  search: Search;
  fetch: Fetch;
  read_record_field: ReadRecordField;
  refused: QueryRecords;
}

const results: Results = JSON.parse(readFileSync('results.json', 'utf8'));

const accounts: string[] = [];
for (const connector of results.schema.data?.connectors ?? []) {
  for (const connection of connector.granted_connections ?? []) accounts.push(connection.connection_id ?? '?');
}
console.log('schema', accounts.join(' '));

const handles: string[] = [];
for (const row of results.query_records.data?.data ?? []) handles.push(`${row.handle} ${Object.keys(row.data ?? {}).length}`);
const next = results.query_records.next?.[0];
console.log('query_records', handles.join(' '), next?.tool, Object.keys(next?.arguments ?? {}).join(' '));

let total = 0;
const keys: string[] = [];
for (const group of results.aggregate.data?.groups ?? []) {
  total += group.count ?? 0;
  if (typeof group.key === 'string') keys.push(group.key);
}
console.log('aggregate', keys.join(' '), total);

const hits: string[] = [];
for (const hit of results.search.results ?? []) hits.push(`${hit.id?.trim()}`);
console.log('search', hits.join(' '), results.search.next?.[0]?.tool);

const document = results.fetch;
console.log('fetch', document.id, document.title?.toUpperCase(), (document.text ?? '').length > 0, (document.url ?? '').length > 0);

const {window} = results.read_record_field;
console.log('read_record_field', [...(window?.text ?? '')].length, (window?.total_chars ?? 0) - (window?.end_chars ?? 0), window?.complete ? 'yes' : 'no');

console.log('refused', results.refused.error?.code, (results.refused.error?.message ?? '').length > 0);
