// Writes types for TypeScript and classes for Python, as anyone would: node generate.mjs <folder of the test> <folder of the packages>
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {basename, join} from 'node:path';

const [folder, packages] = process.argv.slice(2);
const installed = createRequire(join(packages, 'x.js'));
const {compile} = installed('json-schema-to-typescript');
const {FetchingJSONSchemaStore, InputData, JSONSchemaInput, quicktype} = installed('quicktype-core');

// TypeScript has the schemas of tools/list. Python has those of docs/tools/output.
for (const file of readdirSync(join(folder, 'served'))) {
  const tool = basename(file, '.json');
  const schema = JSON.parse(readFileSync(join(folder, 'served', file), 'utf8'));
  writeFileSync(join(folder, `${tool}.ts`), await compile(schema, tool, {format: false}));
}
const python = new JSONSchemaInput(new FetchingJSONSchemaStore());
for (const file of readdirSync(join(folder, 'whole'))) {
  await python.addSource({name: basename(file, '.json'), schema: readFileSync(join(folder, 'whole', file), 'utf8')});
}
const inputData = new InputData();
inputData.addInput(python);
const {lines} = await quicktype({inputData, lang: 'python', rendererOptions: {'python-version': '3.7'}});
writeFileSync(join(folder, 'results.py'), lines.join('\n'));
