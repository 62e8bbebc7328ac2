// Validates a JSON document against a draft-07 JSON Schema: node schema.mjs schema.json document.json
import { readFileSync } from "node:fs";
import Ajv from "ajv";
import addFormats from "ajv-formats";

const [schema, document] = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, "utf8")));
const ajv = new Ajv.default({ allErrors: true, strict: false });
addFormats.default(ajv);
const validate = ajv.compile(schema);
if (!validate(document)) {
  for (const error of validate.errors) console.error(`${error.instancePath || "/"} ${error.message}`);
  process.exitCode = 1;
}
