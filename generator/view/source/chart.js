// Pictures of groups: bars for names, uPlot bars or a line for periods, and a grid for weekdays and hours.

import uPlot from "./uplot/uPlot.js";
import { button, element, number, shown } from "./element.js";

// valueOf returns the figure of a group: its value, or its count.
export function valueOf(group) {
  return Number(group.value ?? group.count ?? 0);
}

function keyOf(group) {
  return [group.key, group.time].filter((part) => part !== undefined).map((part) => (part === null ? "(none)" : shown(part))).join(", ") || "(empty)";
}

// bars returns a list of bars, each with its name and its figure. A negative figure is drawn to the other side.
export function bars(groups, isPartial, open) {
  const largest = Math.max(...groups.map((group) => Math.abs(valueOf(group))), 1e-12);
  return element("ol", { class: "bars" + (isPartial ? " partial" : "") }, groups.map((group) => {
    const value = valueOf(group);
    const name = keyOf(group);
    const bar = element("span", { class: "bar" + (value < 0 ? " negative" : ""), "aria-hidden": "true" });
    bar.style.width = (Math.abs(value) / largest) * 100 + "%";
    const call = open?.(group);
    return element("li", {},
      call ? button(name, call) : element("span", { class: "name" }, name),
      element("span", { class: "track" }, bar), element("span", { class: "figure" }, number(value)));
  }));
}

// grid returns a row of cells for weekdays or hours. A darker cell has a larger figure, which is written in it.
export function grid(groups, isPartial) {
  const largest = Math.max(...groups.map((group) => Math.abs(valueOf(group))), 1e-12);
  return element("ol", { class: "grid" + (isPartial ? " partial" : "") }, groups.map((group) => {
    const cell = element("li", {}, element("span", { class: "name" }, keyOf(group).slice(0, 3)), element("span", { class: "figure" }, number(valueOf(group))));
    cell.style.setProperty("--share", String(Math.abs(valueOf(group)) / largest));
    return cell;
  }));
}

// periods returns a chart over time: bars, or a line for many periods. open is called with the period that is clicked.
export function periods(groups, isPartial, open) {
  const timed = groups.map((group) => ({ group, at: Date.parse(group.key) / 1000 })).filter(({ at }) => Number.isFinite(at));
  timed.sort((a, b) => a.at - b.at);
  if (timed.length < 2) return bars(groups, isPartial, open);
  const holder = element("div", { class: "chart" + (isPartial ? " partial" : ""), "aria-hidden": "true" });
  const style = getComputedStyle(document.documentElement);
  const colour = style.getPropertyValue("--accent").trim(), text = style.getPropertyValue("--text").trim(), line = style.getPropertyValue("--line").trim();
  const isLine = timed.length > 90;
  const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  const step = (timed[timed.length - 1].at - timed[0].at) / (timed.length - 1);
  let chart;
  const draw = () => {
    const width = Math.max(240, holder.clientWidth);
    if (chart) return chart.setSize({ width, height: 220 });
    chart = new uPlot({
      width, height: 220, legend: { show: false }, cursor: { drag: { x: false, y: false }, points: { show: false } }, tzDate: (at) => uPlot.tzDate(new Date(at * 1e3), "UTC"),
      scales: { x: { range: (_, first, last) => [first - step / 2, last + step / 2] }, y: { range: (_, low, high) => [Math.min(0, low), Math.max(high, low === high ? 1 : high)] } }, axes: [axis, { ...axis, size: 56 }],
      series: [{}, {
        stroke: colour, width: isLine ? 2 : 1, fill: isLine ? undefined : colour + (isPartial ? "66" : "cc"), dash: isPartial ? [4, 4] : undefined, points: { show: false },
        paths: isLine ? undefined : uPlot.paths.bars({ size: [0.8, 60] }),
      }],
    }, [timed.map(({ at }) => at), timed.map(({ group }) => valueOf(group))], holder);
    holder.addEventListener("click", () => {
      const act = chart.cursor.idx === null ? undefined : open?.(timed[chart.cursor.idx].group);
      act?.();
    });
  };
  new ResizeObserver(draw).observe(holder);
  return holder;
}
