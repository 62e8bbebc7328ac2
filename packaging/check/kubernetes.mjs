// Validates every Kubernetes object of a YAML file: node kubernetes.mjs file.yaml
// The schemas check values; the TypeScript types refuse unknown members.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { parseAllDocuments } from "yaml";

const problems = [];
const typed = [];
for (const document of parseAllDocuments(readFileSync(process.argv[2], "utf8"), { strict: true, uniqueKeys: true })) {
  const object = document.toJS();
  const place = `${object.apiVersion} ${object.kind} ${object.metadata?.name}`;
  try {
    if (document.errors.length > 0) throw document.errors[0];
    const models = await import(`kubernetes-models/${object.apiVersion}`);
    new models[object.kind](object).validate();
    typed.push(`export const _${typed.length}: import("kubernetes-models/${object.apiVersion}").I${object.kind} = ${JSON.stringify(object, null, 1)};`);
    console.log(place);
  } catch (error) {
    problems.push(`${place}: ${error.message}`);
  }
}

// The compiler resolves the types from the file's folder.
const file = fileURLToPath(new URL("kubernetes.generated.ts", import.meta.url));
try {
  writeFileSync(file, typed.join("\n"));
  const program = ts.createProgram([file], { strict: true, noEmit: true, skipLibCheck: true, module: ts.ModuleKind.NodeNext, types: [] });
  for (const diagnostic of ts.getPreEmitDiagnostics(program)) {
    problems.push(ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n"));
  }
} finally {
  rmSync(file, { force: true });
}

for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
