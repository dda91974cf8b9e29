// Tables of the page become sortable, and the large one can be filtered.
"use strict";

/** What a cell is sorted by: numbers as such, also those of which more is not known ("12+?"), "undefined" last. */
function sortKey(cell, numeric) {
  const text = cell.dataset.v ?? cell.textContent.trim();
  if (!numeric && cell.dataset.v === undefined) return text.toLowerCase();
  const digits = text.replaceAll(",", "").replace("+?", "");
  return /^-?\d+$/.test(digits) ? big(digits) : null;
}

function compareKeys(a, b) {
  if (a === b) return 0;
  if (a === null || a === "") return 1; // at the end, whichever way
  if (b === null || b === "") return -1;
  if (typeof a === "string" && typeof b === "string") return a.localeCompare(b, "en", { numeric: true });
  if (typeof a === "string") return 1;
  if (typeof b === "string") return -1;
  return a < b ? -1 : 1;
}

class SortableTable {
  constructor(element) {
    this.element = element;
    this.body = element.tBodies[0];
    [...element.tHead.rows[0].cells].forEach((cell, column) => {
      const button = make("button", { type: "button", class: "sort", onclick: () => this.sort(column) }, ...cell.childNodes);
      cell.replaceChildren(button);
    });
  }
  /** By a column; the other way round where it was sorted by that already. Numbers begin with the largest. */
  sort(column) {
    const heading = this.element.tHead.rows[0].cells[column];
    const counts = [...this.body.rows].some((row) => row.cells[column]?.dataset.v !== undefined);
    const numeric = heading.classList.contains("n") || counts;
    const was = heading.getAttribute("aria-sort");
    const way = was === "ascending" ? "descending" : was === "descending" ? "ascending" : numeric ? "descending" : "ascending";
    for (const cell of this.element.tHead.rows[0].cells) cell.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", way);
    const sign = way === "ascending" ? 1 : -1;
    const isLast = (key) => key === null || key === "";
    // A panel goes with its row.
    const rows = [...this.body.rows].filter((row) => !row.classList.contains("panel"));
    const keyed = rows.map((row) => ({ row, key: sortKey(row.cells[column], numeric), panel: panelOf(row) }));
    keyed.sort((a, b) => (isLast(a.key) || isLast(b.key) ? compareKeys(a.key, b.key) : sign * compareKeys(a.key, b.key)));
    this.body.append(...keyed.flatMap(({ row, panel }) => (panel ? [row, panel] : [row])));
  }
}

const panelOf = (row) => (row.nextElementSibling?.classList.contains("panel") ? row.nextElementSibling : null);

/** A search field and a choice above a table, with a line that says how many rows are left, by `words` for one and for many. */
function addFilter(element, id, words, choices) {
  const rows = [...element.tBodies[0].rows];
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  const search = make("input", { type: "search", id, autocomplete: "off", spellcheck: "false", oninput: () => apply() });
  const select = make("select", { id: `${id}-kind`, onchange: () => apply() }, ...choices.map(([name], i) => make("option", { value: i }, name)));
  const told = make("output", { for: `${id} ${id}-kind` });
  const apply = () => {
    const wanted = search.value.toLowerCase().split(/\s+/).filter((word) => word);
    const [, test] = choices[Number(select.value)];
    let left = 0;
    for (const row of rows) {
      const shown = wanted.every((word) => texts.get(row).includes(word)) && test(row);
      row.hidden = !shown;
      const panel = panelOf(row);
      if (panel) panel.hidden = !shown;
      left += shown;
    }
    told.textContent = left === rows.length ? `${inWords(rows.length, ...words)}` : `${commas(left)} of ${inWords(rows.length, ...words)}`;
  };
  const controls = make("div", { class: "filter" }, make("label", { for: id }, "Filter "), search,
    make("label", { for: `${id}-kind` }, "Show "), select, told);
  element.closest(".scroll").before(controls);
  apply();
  return { clear: () => { search.value = ""; select.value = "0"; apply(); } };
}
