// Pictures of a type that are text: rows, runs and the tree of constructors.
"use strict";

const commas = (value) => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
const inWords = (count, one, many) => `${commas(count)} ${count == 1 ? one : many}`;

/** An element with attributes and children. Text never becomes markup. */
function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function table(label, headings, rows) {
  const head = headings.map(([title, numeric]) => make("th", { scope: "col", class: numeric ? "n" : null }, title));
  const body = rows.map((cells) =>
    make("tr", { class: cells.kind ?? null }, ...cells.map((cell, i) => make("td", { class: headings[i][1] ? "n" : null }, cell))),
  );
  const whole = make("table", { "aria-label": label }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body));
  return make("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": label }, whole);
}

const rowsRead = 4096;
const rowsShown = 256;

/** Members in the order of memory, with holes and bounds. */
function rowsPicture(type) {
  const { rows, more } = type.layout.rows(rowsRead);
  rows.sort((a, b) => (a.offset < b.offset ? -1 : a.offset > b.offset ? 1 : 0));
  const lines = [];
  const line = (kind, offset, bytes, what) => lines.push(Object.assign([commas(offset), bytes === null ? "" : commas(bytes), what], { kind }));
  const [lb, ub] = type.bounds.map((bound) => (bound === null ? null : big(bound)));
  const marks = [];
  if (lb !== null) marks.push([lb, "lb: the lower bound"]);
  if (ub !== null) marks.push([ub, "ub: the upper bound"]);
  let end = null;
  const advance = (to) => {
    while (marks.length && marks[0][0] <= to) {
      const [offset, name] = marks.shift();
      if (end !== null && end < offset) line("hole", end, offset - end, to === offset ? "(padding)" : "(hole)");
      line("mark", offset, null, name);
      end = end === null ? offset : most(end, offset);
    }
    if (end !== null && end < to) line("hole", end, to - end, "(hole)");
  };
  for (const row of rows.slice(0, rowsShown)) {
    advance(row.offset);
    const again = end !== null && row.offset < end;
    const what = row.count === 1n ? row.type : `${commas(row.count)} x ${row.type}`;
    line(again ? "over" : "data", row.offset, row.bytes, again ? `${what} (overlaps the bytes above)` : what);
    end = end === null ? row.offset + row.bytes : most(end, row.offset + row.bytes);
  }
  const cut = more || type.cut || rows.length > rowsShown;
  while (!cut && marks.length) advance(marks[0][0]);
  return [
    table(`Rows of ${type.id}`, [["Offset", true], ["Bytes", true], ["Entries", false]], lines),
    cut ? make("p", { class: "more" }, `The first ${Math.min(rows.length, rowsShown)} rows; the grid and the runs show more.`) : null,
  ];
}

function runItem([what, displacement, loops], depth) {
  const isGroup = Array.isArray(what);
  const place = `${isGroup ? "group" : what} at ${depth ? "+" : ""}${commas(displacement)}`;
  const repeat = loops.map(([count, stride]) => `, ${commas(count)} x every ${inWords(stride, "byte", "bytes")}`).join("");
  return make("li", {}, place + repeat, isGroup ? runsList(what, depth + 1) : null);
}
const runsList = (runs, depth) => make("ul", { class: "runs" }, ...runs.map((run) => runItem(run, depth)));

/** The typemap as strided runs, in its order. */
function runsPicture(type) {
  if (type.runs.length === 0) return [make("p", {}, "The type has no entries.")];
  return [
    make("p", { class: "legend" }, "A loop stands before those inside it."),
    runsList(type.runs, 0),
    type.cut ? make("p", { class: "more" }, "There are more runs: `ddtscope show --view runs` shows them.") : null,
  ];
}

const treeDepth = 24;
const treeLines = 400;

/** The nested constructor calls, shared parts once. `describe(number)` gives the call of a type, null for one that the page has not. */
function treePicture(type, types, describe) {
  const printed = new Set();
  let lines = 0;
  const item = (number, depth) => {
    ++lines;
    const call = describe(number);
    const head = [types[number] ? make("a", { href: `#T${number}` }, `T${number}`) : `T${number}`, " ", make("code", {}, call ?? "(not on this page)")];
    if (printed.has(number)) return make("li", {}, ...head, " (as above)");
    printed.add(number);
    const parts = types[number]?.parts ?? [];
    const children = [];
    for (const part of parts) {
      if (depth === treeDepth || lines >= treeLines) {
        children.push(make("li", {}, `... (made of T${part} and what that is made of)`));
        break;
      }
      children.push(item(part, depth + 1));
    }
    return make("li", {}, ...head, children.length ? make("ul", {}, ...children) : null);
  };
  return [make("p", { class: "legend" }, "Constructor calls, each above those that it is made of."), make("ul", { class: "tree" }, item(type.number, 0))];
}
