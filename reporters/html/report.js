// What the page does beyond being read: panels of types with their pictures, and the flame graphs of call sites.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const texts = data.texts ?? [];
const shared = (index) => texts[index];

/** A type as the pictures want it, made when it is first asked for. */
const loadedTypes = new Map();
function typeOf(number) {
  if (!loadedTypes.has(number)) {
    const raw = data.types[number];
    const layout = new Layout(raw.runs, data.basics);
    const [from, sizes, cell, origin] = raw.shape;
    loadedTypes.set(number, { ...raw, shape: { from, sizes, cell, origin }, number, id: `T${number}`, layout, cut: raw.cut === true });
  }
  return loadedTypes.get(number);
}

const callOf = (number) => data.types?.[number]?.call ?? document.getElementById(`T${number}`)?.querySelector("code")?.textContent ?? null;

/** Struct-like types as rows, arrays as a grid. */
function bestView(type) {
  if (type.shape.from !== "memory") return "grid";
  const rows = type.layout.rows(64);
  return rows.more ? (type.runs.length < 12 ? "runs" : "grid") : "rows";
}

const views = {
  rows: (type) => rowsPicture(type),
  grid: (type) => (type.shape.sizes.length ? [new GridView(type).element, type.cut ? make("p", { class: "more" }, "The type has more runs than this page holds: its end is not drawn.") : null]
    : [make("p", {}, "There is nothing to draw: the type has no entries, or they lie beyond what memory has.")]),
  runs: (type) => runsPicture(type),
  tree: (type) => treePicture(type, data.types, callOf),
};

/** Tabs, as the ARIA practices have them: arrows move between them. */
function pictureTabs(type) {
  const panel = make("div", { role: "tabpanel", id: `picture-${type.id}`, tabindex: "0" });
  const tabs = Object.keys(views).map((name) => make("button", { type: "button", role: "tab", id: `${name}-${type.id}`, "aria-controls": panel.id, onclick: () => choose(name) }, name));
  const choose = (name) => {
    for (const tab of tabs) {
      const chosen = tab.textContent === name;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
    }
    panel.setAttribute("aria-labelledby", `${name}-${type.id}`);
    panel.replaceChildren(...views[name](type).filter((child) => child));
  };
  const list = make("div", { role: "tablist", "aria-label": `Pictures of ${type.id}`, onkeydown: (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = tabs.indexOf(document.activeElement);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    next.focus();
    choose(next.textContent);
    event.preventDefault();
  } }, ...tabs);
  choose(bestView(type));
  return make("div", { class: "pictures" }, list, panel);
}

function factsOf(type) {
  const [lb, ub, trueLb, trueUb, alignment] = type.bounds.map((bound) => (bound === null ? "undefined" : commas(bound)));
  const facts = [
    ["signature", shared(type.signature) || "(empty)"],
    ["bounds", `lb ${lb}, ub ${ub}; true bounds ${trueLb} to ${trueUb}`],
    ["alignment", alignment],
    ["holes", type.holes === undefined ? null : inWords(type.holes, "byte", "bytes")],
    ["overlap", type.overlap === undefined ? null : shared(type.overlap)],
    ["simpler", type.simpler === undefined ? null : shared(type.simpler)],
    ["portable", type.portability ? "no" : "yes"],
    ["key", type.key],
  ].filter(([, value]) => value !== null);
  return make("dl", {}, ...facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}

function findingsOf(type) {
  const items = (type.findings ?? []).map(([id, severity, message, advice]) =>
    make("li", {}, make("span", { class: shared(severity) }, shared(severity)), ` ${shared(id)}: ${shared(message)} `, make("span", { class: "advice" }, shared(advice))));
  for (const reason of type.portability ?? []) items.push(make("li", {}, shared(reason)));
  return items.length ? make("ul", { class: "found" }, ...items) : null;
}

function sitesOf(type) {
  const all = type.sites ?? [];
  const rows = all.filter(Array.isArray).map(([called, place, ranks, ...counts]) => [
    shared(called), shared(place), shared(ranks), ...(counts.length ? counts : ["?", "?", "?", "?"]).map(commas)]);
  if (!rows.length) return null;
  const more = all.length > rows.length ? make("p", { class: "more" }, `... and ${inWords(all[all.length - 1], "more place", "more places")}: \`ddtscope show\` lists them`) : null;
  return make("div", {}, table(`Where ${type.id} is made`, [["Called", false], ["In", false], ["Ranks", false], ["Made", true], ["Committed", true], ["Freed", true], ["Live", true]], rows), more);
}

function panelContent(number) {
  const type = typeOf(number);
  const call = type.call ? make("p", {}, make("code", {}, type.call)) : null;
  return make("div", { class: "type" }, call, findingsOf(type), pictureTabs(type), factsOf(type), sitesOf(type));
}

function setOpen(row, open) {
  const button = row.cells[0].querySelector("button");
  const old = panelOf(row);
  button.setAttribute("aria-expanded", String(open));
  if (!open) {
    old?.remove();
    return;
  }
  if (old) return;
  const cell = make("td", { colspan: row.cells.length }, panelContent(Number(row.id.slice(1))));
  row.after(make("tr", { class: "panel" }, cell));
}

function prepareTypes(element) {
  for (const row of element.tBodies[0].rows) {
    const cell = row.cells[0];
    const button = make("button", { type: "button", class: "open", "aria-expanded": "false", onclick: () => setOpen(row, button.getAttribute("aria-expanded") !== "true") }, cell.textContent);
    cell.replaceChildren(button);
  }
  const weight = (row) => Number([...row.cells].find((cell) => cell.dataset.v)?.dataset.v ?? 0);
  const live = (row) => row.cells[8].textContent.replaceAll(",", "");
  const filter = addFilter(element, "filter", ["type", "types"], [
    ["all types", () => true],
    ["errors and warnings", (row) => weight(row) >= 1000],
    ["any finding", (row) => weight(row) > 0],
    ["never freed", (row) => Number(live(row)) > 0],
    ["with holes", (row) => (data.types[row.id.slice(1)]?.holes ?? 0) != 0],
  ]);
  const openNamed = () => {
    const row = /^#T\d+$/.test(location.hash) ? document.getElementById(location.hash.slice(1)) : null;
    if (!row) return;
    if (row.hidden) filter.clear();
    setOpen(row, true);
    row.scrollIntoView({ block: "start" });
    row.cells[0].querySelector("button").focus({ preventScroll: true });
  };
  addEventListener("hashchange", openNamed);
  openNamed();
}

function prepareUses(element) {
  const bytes = (row) => big(row.cells[5].textContent.trim().replace(/\D/g, "") || "0");
  addFilter(element, "uses-filter", ["use", "uses"], [
    ["all uses", () => true],
    ["of types that were made", (row) => row.cells[0].querySelector("a") !== null || /^T\d/.test(row.cells[0].textContent)],
    ["of predefined types", (row) => row.cells[0].textContent.startsWith("MPI_")],
    ["with bytes", (row) => bytes(row) > 0],
  ]);
}

const flameRow = 26;

/** What the bars of a flame graph may be as wide as: [tree, its option, words for its unit, what a bar says]. */
const flames = [
  ["lives", "types made", ["type", "types"], "the number of types made below it"],
  ["bytes", "bytes moved", ["byte", "bytes"], "the bytes moved below it: of what is sent, of origins of one-sided operations, and of files"],
];

/** Frames as bars, as wide as what was made or moved below them; a click shows one and its callees in full width. */
class FlameGraph {
  constructor(trees, place) {
    this.bars = make("div", { class: "bars", role: "group", "aria-label": "Flame graph of call sites" });
    this.legend = make("p", { class: "legend" });
    const kinds = flames.filter(([name]) => trees[name][2].length);
    const select = make("select", { id: "flame-kind", onchange: () => this.#choose(trees, kinds[Number(select.value)]) },
      ...kinds.map(([, title], i) => make("option", { value: i }, title)));
    place.append(make("div", { class: "filter" }, make("label", { for: "flame-kind" }, "Show "), select), this.legend, this.bars);
    this.#choose(trees, kinds[0]);
    addEventListener("resize", () => this.show(this.shown));
  }
  #choose(trees, [name, , unit, what]) {
    this.root = trees[name];
    this.unit = unit;
    this.legend.textContent = `Each bar is a frame, above those that it calls, as wide as ${what}. Click one to widen it.`;
    this.show(this.root);
  }
  show(frame) {
    this.shown = frame;
    // In percent of the whole, so that they are as wide on paper; what would be less than a few pixels is left out.
    const pixels = this.bars.clientWidth || 800;
    const bars = [];
    let depth = 0;
    const path = this.#path(this.root, frame) ?? [this.root];
    for (const above of path.slice(0, -1)) bars.push(this.#bar(above, 0, 100, depth++));
    const pending = [[frame, 0, 100, depth]];
    while (pending.length) {
      const [one, left, wide, level] = pending.pop();
      bars.push(this.#bar(one, left, wide, level));
      depth = Math.max(depth, level);
      let at = left;
      for (const child of one[2]) {
        const part = (wide * Number(child[1])) / Number(one[1]);
        if (part * pixels >= 400) pending.push([child, at, part, level + 1]);
        at += part;
      }
    }
    this.bars.style.height = `${(depth + 1) * flameRow}px`;
    this.bars.replaceChildren(...bars);
  }
  #path(from, to) {
    if (from === to) return [from];
    for (const child of from[2]) {
      const path = this.#path(child, to);
      if (path) return [from, ...path];
    }
    return null;
  }
  #bar(frame, left, width, level) {
    const isNamed = width * (this.bars.clientWidth || 800) > 3000;
    const name = shared(frame[0]);
    const share = Number(this.root[1]) ? ((100 * Number(frame[1])) / Number(this.root[1])).toFixed(1) : "0";
    const text = `${name}: ${inWords(frame[1], ...this.unit)}, ${share} %`;
    const bar = make("button", { type: "button", title: text, "aria-label": text, onclick: () => { this.show(frame); this.bars.querySelector(".shown")?.focus(); } }, isNamed ? name : "");
    bar.className = frame === this.shown ? "shown" : isNamed ? "" : "thin";
    Object.assign(bar.style, { left: `${left}%`, width: `calc(${width}% - 1px)`, top: `${level * flameRow}px` });
    return bar;
  }
}

for (const element of document.querySelectorAll("main table")) new SortableTable(element);
if (document.getElementById("all-types")) prepareTypes(document.getElementById("all-types"));
if (document.getElementById("all-uses")) prepareUses(document.getElementById("all-uses"));
if (document.getElementById("flame") && (data.calls.lives[2].length || data.calls.bytes[2].length)) new FlameGraph(data.calls, document.getElementById("flame"));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => dispatchEvent(new Event("resize")));
// What is closed would not be printed.
let opened = [];
addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details.kind:not([open])")];
  for (const kind of opened) kind.open = true;
});
addEventListener("afterprint", () => {
  for (const kind of opened) kind.open = false;
});
document.documentElement.classList.add("scripted");
