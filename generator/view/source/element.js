// Elements of the page. Text of records is only ever the text of a node, so that no markup in it has an effect.

export function element(name, properties = {}, ...children) {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "class") created.className = value;
    else if (key.startsWith("on")) created.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false) created.setAttribute(key, value === true ? "" : value);
  }
  created.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== ""));
  return created;
}

// shown returns a value as text. Invisible and bidirectional characters become escapes, so that no text can change how others look.
export function shown(value) {
  const text = typeof value === "string" ? value : value === null || value === undefined ? "" : JSON.stringify(value);
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (c) => (c === "\n" || c === "\t" ? c : "\\u" + c.codePointAt(0).toString(16).padStart(4, "0")));
}

// highlighted returns an excerpt with its <mark> tags as elements.
export function highlighted(text) {
  return String(text).split(/<\/?mark>/).map((part, i) => (i % 2 === 1 ? element("mark", {}, shown(part)) : shown(part)));
}

export function number(value) {
  const parsed = Number(value);
  return Number.isFinite(parsed) && Math.abs(parsed) < 1e15 ? parsed.toLocaleString(undefined, { maximumFractionDigits: 2 }) : shown(value);
}

export function button(label, act) {
  return element("button", { type: "button", onclick: act }, label);
}

export function table(caption, headings, rows) {
  return element("details", { class: "table" },
    element("summary", {}, "As a table"),
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
      element("table", {},
        element("caption", {}, caption),
        element("thead", {}, element("tr", {}, headings.map((heading) => element("th", { scope: "col" }, heading)))),
        element("tbody", {}, rows.map((row) => element("tr", {}, row.map((cell, i) => element(i === 0 ? "th" : "td", i === 0 ? { scope: "row" } : {}, cell))))))));
}
