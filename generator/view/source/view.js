// The view of one result. It draws what the host hands to it, and asks the host for the calls that a person chooses.

import { callTool, connect, host, openLink } from "./host.js";
import { button, element, number, shown } from "./element.js";
import { kindOf } from "./kinds.js";

const page = document.getElementById("view");
const earlier = []; // what was shown before, with the calls of it

// structuredOf returns the structured output of a result, or the JSON of its text.
function structuredOf(result) {
  if (result.structuredContent) return result.structuredContent;
  const text = result.content?.find((block) => block.type === "text")?.text;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// coverage says what the result covers, where it is less than everything.
function coverage(result) {
  const said = [];
  if (result.reading?.complete === false) {
    const upTo = result.up_to?.time ? ` up to ${shown(result.up_to.time)}` : "";
    said.push(`Incomplete: ${number(result.reading.records_read ?? 0)} records were read${upTo}.`);
  }
  const metadata = result.data?.meta ?? result.meta;
  for (const warning of metadata?.warnings ?? result.warnings ?? []) said.push(shown(warning.message ?? warning.code ?? warning));
  for (const text of [result.note, result.data?.note]) if (typeof text === "string" && text) said.push(shown(text));
  for (const limit of [].concat(result.limits ?? result.grant_limits ?? [])) said.push("Limit of the grant: " + shown(limit));
  if (said.length === 0) return undefined;
  return element("section", { class: "coverage", "aria-label": "What this covers" }, element("ul", {}, [...new Set(said)].map((text) => element("li", {}, text))));
}

const labels = { query_records: "More records", search: "More hits", aggregate: "More groups", read_record_field: "Next part", fetch: "The rest", schema: "Schema" };

// offered returns a button for each call that follows the result.
function offered(result, act) {
  const calls = [].concat(result.next ?? [], result.metadata?.next ?? [], result.conversation ?? [], result.metadata?.conversation ?? []);
  const usable = calls.filter((call) => typeof call?.tool === "string" && call.tool in labels).slice(0, 6);
  if (!act.canCall || (usable.length === 0 && earlier.length === 0)) return undefined;
  return element("nav", { class: "actions", "aria-label": "Continue" },
    earlier.length > 0 ? button("Back", () => { const { result, call } = earlier.pop(); draw(result, call); }) : undefined,
    usable.map((call) => button(labels[call.tool], () => act.call(call))));
}

let current;

function draw(result, call) {
  current = { result, call };
  const found = structuredOf(result);
  const act = {
    canCall: host.canCall, canOpen: host.canOpen, open: openLink,
    call: (next) => follow(next),
  };
  if (result.isError) {
    page.replaceChildren(element("h1", {}, "This call failed"), element("p", {}, shown(found?.error?.message ?? "")), offered({}, act) ?? "");
    return;
  }
  const kind = found && kindOf(found);
  if (!kind) {
    page.replaceChildren(element("div", { class: "text" }, shown(result.content?.find((block) => block.type === "text")?.text ?? "There is nothing to show.")));
    return;
  }
  page.replaceChildren(...[...kind(found, call, act), coverage(found), offered(found, act)].flat(3).filter(Boolean));
}

async function follow(next) {
  const before = current;
  page.setAttribute("aria-busy", "true");
  try {
    const result = await callTool(next);
    earlier.push(before);
    draw(result, next);
  } catch (failure) {
    page.append(element("p", { role: "alert" }, shown(failure.message)));
  } finally {
    page.removeAttribute("aria-busy");
  }
}

connect(
  (result, given) => { earlier.length = 0; draw(result, { tool: host.tool ?? "aggregate", arguments: given }); },
  () => page.replaceChildren(element("p", { class: "quiet" }, "The call was cancelled.")),
);
