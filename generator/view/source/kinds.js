// One function for each kind of result. Each returns the elements of the view.

import { bars, grid, periods, valueOf } from "./chart.js";
import { button, element, highlighted, number, shown, table } from "./element.js";

const cycles = ["weekday", "hour_of_day"];
const steps = ["day", "week", "month", "quarter", "year"];

// narrowed returns the call for one period: the same call with a tighter range of the time field, by the next smaller step.
function narrowed(call, data, groups, group) {
  const at = groups.findIndex((each) => each.key === group.key);
  const field = data.group_by_time;
  const smaller = { year: "month", quarter: "month", month: "day", week: "day" }[data.granularity];
  if (at < 0 || !field || !smaller || typeof group.key !== "string") return undefined;
  const begins = new Date(group.key + (group.key.length === 10 ? "T00:00:00Z" : ""));
  const ends = new Date(begins);
  const days = { week: 7 }[data.granularity], months = { month: 1, quarter: 3, year: 12 }[data.granularity];
  if (Number.isNaN(begins.getTime())) return undefined;
  if (days) ends.setUTCDate(ends.getUTCDate() + days);
  else ends.setUTCMonth(ends.getUTCMonth() + months);
  const day = (date) => date.toISOString().slice(0, 10);
  const own = call.arguments.filter?.[field];
  if (own !== undefined && (typeof own !== "object" || own === null)) return undefined; // an exact time cannot be narrowed
  const range = { ...own };
  if (!(range.gte > day(begins)) && !(range.gt >= day(begins))) range.gte = day(begins);
  if (!(range.lt < day(ends)) && !(range.lte < day(ends))) { range.lt = day(ends); delete range.lte; }
  if (range.gte === day(begins)) delete range.gt;
  const { limit, ...rest } = call.arguments;
  return { tool: call.tool, arguments: { ...rest, granularity: smaller, filter: { ...call.arguments.filter, [field]: range } } };
}

export function groups(result, call, act) {
  const data = result.data;
  const stream = data.stream ?? call.arguments.stream ?? "";
  const measure = data.metric === "count" ? "Number of records" : [data.metric, data.field && "of " + data.field].filter(Boolean).map(shown).join(" ");
  const title = `${measure} in ${stream === "*" ? "all streams" : shown(stream)}`;
  if (!Array.isArray(data.groups)) {
    return [element("h1", {}, title), element("p", { class: "total" }, data.value === null ? "no value" : number(data.value))];
  }
  const isPartial = result.reading?.complete === false;
  const isTime = data.group_by_time && !data.group_by;
  const isCycle = cycles.includes(data.granularity);
  const open = (group) => {
    const next = act.canCall && isTime && !isCycle ? narrowed(call, data, data.groups, group) : undefined;
    return next && (() => act.call(next));
  };
  let picture = bars(data.groups, isPartial, open);
  if (isTime && isCycle) picture = grid(data.groups, isPartial);
  else if (isTime) picture = periods(data.groups, isPartial, open);
  const by = [data.group_by, data.group_by_time && `${data.granularity ?? "period"} of ${data.group_by_time}`].filter(Boolean).map(shown).join(" and ");
  const total = data.total_value ?? data.filtered_record_count ?? data.groups.reduce((sum, group) => sum + Number(group.count ?? 0), 0);
  const chosen = act.canCall && isTime && !isCycle && steps.includes(data.granularity)
    ? element("div", { class: "actions", role: "group", "aria-label": "Period" }, steps.filter((step) => step !== data.granularity).map((step) =>
      button(step, () => act.call({ tool: call.tool, arguments: { ...call.arguments, granularity: step } }))))
    : undefined;
  return [
    element("h1", {}, `${title}, by ${by}`),
    element("p", { class: "total" }, `${number(total)} in all`, data.other_count > 0 ? `, of which ${number(data.other_count)} are in groups that are not shown` : ""),
    picture, chosen,
    table(`${title}, by ${by}`, ["Group", "Figure", "Records"], data.groups.map((group) => [
      [group.key, group.time].filter((part) => part !== undefined).map((part) => (part === null ? "(none)" : shown(part))).join(", "), number(valueOf(group)), number(group.count ?? ""),
    ])),
  ];
}

function facts(fields) {
  return element("dl", {}, Object.entries(fields).filter(([, value]) => value !== null && value !== "").map(([name, value]) => [
    element("dt", {}, shown(name)), element("dd", {}, shown(value).slice(0, 400)),
  ]));
}

function opened(handle, label, act) {
  return act.canCall && handle ? button(label, () => act.call({ tool: "fetch", arguments: { id: handle } })) : element("span", { class: "name" }, label);
}

const titles = ["title", "subject", "name", "track_name", "summary", "description", "payee", "text"];

function titleOf(fields, otherwise) {
  for (const name of titles) if (typeof fields?.[name] === "string" && fields[name] !== "") return shown(fields[name]).slice(0, 120);
  return shown(otherwise);
}

export function records(result, call, act) {
  const connections = result.connections ?? {};
  const connectionOf = (row) => row.connection_id ?? Object.keys(connections).find((id) => row.handle?.startsWith(id + "/"));
  const rows = (result.data?.data ?? []).map((row) => {
    const connection = connectionOf(row);
    return { stream: result.stream, connection_id: connection, ...connections[connection], ...row };
  });
  const isTimeline = rows.some((row) => row.time !== undefined);
  const card = (row) => element("li", { class: row.deleted ? "card deleted" : "card" },
    opened(row.handle, titleOf(row.data, row.handle ?? row.id), act),
    element("p", { class: "quiet" }, [row.time && shown(row.time).slice(11, 16), row.stream, row.display_name ?? row.connection_id, row.deleted && "deleted"].filter(Boolean).map(shown).join(" · ")),
    facts(Object.fromEntries(Object.entries(row.data ?? {}).filter(([, value]) => shown(value) !== titleOf(row.data, "")))));
  const heading = element("h1", {}, isTimeline ? "Timeline" : `Records of ${shown(call.arguments.stream ?? "")}`);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row.data ?? {})))];
  const asTable = table(heading.textContent, ["Record", "Time", ...columns.map(shown)], rows.map((row) => [
    shown(row.handle ?? row.id), shown(row.time ?? ""), ...columns.map((name) => shown(row.data?.[name])),
  ]));
  if (!isTimeline) return [heading, element("p", { class: "total" }, `${rows.length} records`), element("ul", { class: "cards" }, rows.map(card)), asTable];
  const days = new Map();
  for (const row of rows) {
    const day = shown(row.time ?? "").slice(0, 10);
    days.set(day, [...(days.get(day) ?? []), row]);
  }
  return [heading, element("p", { class: "total" }, `${rows.length} records on ${days.size} days`),
    [...days].map(([day, ofDay]) => element("section", { class: "day" },
      element("h2", {}, day || "no time", " ", element("small", {}, String(ofDay.length))), element("ul", { class: "cards" }, ofDay.map(card)))), asTable];
}

export function hits(result, call, act) {
  const found = result.results ?? [];
  return [
    element("h1", {}, `Hits for “${shown(call.arguments.q ?? call.arguments.query ?? "")}”`),
    element("p", { class: "total" }, `${found.length} hits`),
    element("ul", { class: "cards" }, found.map((hit) => element("li", { class: "card" },
      opened(hit.id, shown(hit.title || hit.id), act),
      element("p", { class: "quiet" }, [hit.time, hit.author, hit.stream, hit.display_name].filter(Boolean).map(shown).join(" · ")),
      (hit.evidence ?? []).map((each) => element("blockquote", {}, highlighted(each.preview ?? ""))),
      hit.snippet ? element("blockquote", {}, highlighted(hit.snippet)) : undefined))),
    table("Hits", ["Title", "Time", "Stream"], found.map((hit) => [shown(hit.title ?? hit.id), shown(hit.time ?? ""), shown(hit.stream ?? "")])),
  ];
}

export function documentOf(result, call, act) {
  const metadata = result.metadata ?? {};
  return [
    element("h1", {}, shown(result.title ?? "")),
    element("p", { class: "quiet" }, [metadata.stream, metadata.display_name, metadata.authored_at ?? metadata.emitted_at].filter(Boolean).map(shown).join(" · ")),
    element("div", { class: "text" }, shown(result.text ?? "")),
    act.canOpen && /^https?:\/\//.test(result.url ?? "") ? button("Open at the source", () => act.open(result.url)) : undefined,
  ];
}

export function window(result) {
  return [
    element("h1", {}, shown(result.field?.path ?? "Field")),
    element("p", { class: "quiet" }, `characters ${number(result.window?.start_chars ?? 0)} to ${number(result.window?.end_chars ?? 0)} of ${number(result.window?.total_chars ?? 0)}`),
    element("div", { class: "text" }, shown(result.window?.text ?? result.note ?? "")),
  ];
}

export function schema(result) {
  const connectors = result.data?.connectors ?? [];
  return [
    element("h1", {}, "What is granted"),
    element("ul", { class: "cards" }, connectors.map((connector) => element("li", { class: "card" },
      element("span", { class: "name" }, shown(connector.display_name ?? connector.connector_key ?? "connector")),
      element("p", {}, (connector.streams ?? []).map((stream) => shown(typeof stream === "string" ? stream : stream.name)).join(", "))))),
  ];
}

// kindOf returns the function for a result, by its members.
export function kindOf(result) {
  if (Array.isArray(result.results)) return hits;
  if (result.data?.metric !== undefined) return groups;
  if (result.data?.connectors !== undefined) return schema;
  if (Array.isArray(result.data?.data)) return records;
  if (result.window !== undefined || result.field !== undefined) return window;
  if (typeof result.text === "string" && result.metadata !== undefined) return documentOf;
  return undefined;
}
