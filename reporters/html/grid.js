// The picture of a type as an array: cells in rows of the user's array, in any size, to zoom, pan and point at.
"use strict";

const marksAcross = 64;
const marksDown = 32;

/** Sizes of an array as rows of cells: what is above the last two dimensions stacks planes. */
class Cells {
  constructor(layout, shape) {
    this.layout = layout;
    this.cell = big(shape.cell);
    this.origin = big(shape.origin);
    this.sizes = shape.sizes.map(big);
    this.columns = this.sizes[this.sizes.length - 1];
    this.rows = this.sizes.slice(0, -1).reduce((product, size) => product * size, 1n);
  }
  offset(row, column) {
    return this.origin + (row * this.columns + column) * this.cell;
  }
  /** "[2][0][17]": the cell's place in the array. */
  index(row, column) {
    const places = [column];
    for (let d = this.sizes.length - 2; d >= 0; --d) {
      places.unshift(row % this.sizes[d]);
      row /= this.sizes[d];
    }
    return places.map((place) => `[${place}]`).join("");
  }
  /** How full the cells of `rows` x `columns` from there on are: "none", "some", "all" or "over" (touched twice). */
  fill(row, column, rows, columns) {
    const lastRow = least(this.rows, row + rows);
    const width = least(columns, this.columns - column) * this.cell;
    const all = this.offset(lastRow - 1n, column) + width;
    const touched = this.layout.touched(this.offset(row, column), all);
    if (touched === 0n) return "none";
    if (rows === 1n || column === 0n && columns >= this.columns) return this.#grade(touched, all - this.offset(row, column));
    return this.#fillOfRows(row, column, lastRow, width);
  }
  #grade(touched, bytes) {
    return touched === 0n ? "none" : touched > bytes ? "over" : touched === bytes ? "all" : "some";
  }
  /** Of many rows those are looked at in which something is touched, a few of them. */
  #fillOfRows(row, column, lastRow, width) {
    const rowBytes = this.columns * this.cell;
    const few = 4n;
    const step = most(1n, (lastRow - row) / few);
    let full = true;
    let any = false;
    for (let looked = 0n; row < lastRow && looked < 2n * few; ++looked) {
      const begin = this.offset(row, column);
      const found = this.layout.next(begin);
      if (found === null) {
        full = false;
        break;
      }
      if (found >= begin + width) {
        // Nothing in this row: on to the row in which the next byte stands.
        full = false;
        const next = floorDiv(found - this.origin, rowBytes);
        row = most(row + 1n, this.offset(next, column) + width <= found ? next + 1n : next);
        continue;
      }
      any = true;
      const grade = this.#grade(this.layout.touched(begin, begin + width), width);
      if (grade === "over") return "over";
      full = full && grade === "all";
      row += step;
    }
    return !any ? "none" : full ? "all" : "some";
  }
}

/** The element with the picture, its buttons and a line that tells of the cell under the pointer. */
class GridView {
  constructor(type) {
    this.type = type;
    this.cells = new Cells(type.layout, type.shape);
    this.canvas = make("canvas", {
      tabindex: "0", role: "img", "aria-label": this.#label(), "aria-describedby": `keys-${type.id}`,
      onmousemove: (event) => this.#point(event), onmouseleave: () => this.#tell(null),
      onclick: (event) => this.#zoomAt(event), onkeydown: (event) => this.#key(event),
    });
    this.status = make("p", { class: "status", role: "status" });
    const button = (text, label, act) => make("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
    const controls = make("div", { class: "controls" },
      button("+", "zoom in", () => this.#zoom(1)), button("\u2212", "zoom out", () => this.#zoom(-1)),
      button("\u2190", "left", () => this.#move(0n, -1n)), button("\u2192", "right", () => this.#move(0n, 1n)),
      button("\u2191", "up", () => this.#move(-1n, 0n)), button("\u2193", "down", () => this.#move(1n, 0n)),
      button("all", "show all", () => this.#showAll()));
    const keys = make("p", { class: "legend", id: `keys-${type.id}` },
      "Click a mark to zoom in on it; + and \u2212 zoom, the arrows move, 0 shows all.");
    this.element = make("div", { class: "grid" }, make("p", { class: "legend" }, this.#legend()), controls, this.canvas, this.status, keys);
    this.#showAll();
  }

  #label() {
    return `${this.type.id} as an array of ${this.#sizes()}; ${inWords(this.type.layout.bytes, "byte", "bytes")} of it are in the type`;
  }
  #sizes() {
    const { sizes, cell } = this.cells;
    return `${sizes.map(commas).join(" x ")} cells of ${inWords(cell, "byte", "bytes")}`;
  }
  #legend() {
    const from = { array: "The array that the call names", strides: "Rows one stride apart", memory: "Memory from end to end" };
    return `${from[this.type.shape.from]}: ${this.#sizes()}, from byte ${commas(this.cells.origin)} on.`;
  }
  #showAll() {
    this.view = { row: 0n, column: 0n, rows: this.cells.rows, columns: this.cells.columns };
    this.draw();
  }
  #zoom(direction, row, column) {
    const scaled = (size, all, smallest) => (direction > 0 ? most(least(smallest, all), size / 2n) : least(all, size * 2n));
    const { view, cells } = this;
    const rows = scaled(view.rows, cells.rows, 4n);
    const columns = scaled(view.columns, cells.columns, 8n);
    const middleRow = row ?? view.row + view.rows / 2n;
    const middleColumn = column ?? view.column + view.columns / 2n;
    this.view = { row: middleRow - rows / 2n, column: middleColumn - columns / 2n, rows, columns };
    this.#clamp();
  }
  #move(down, across) {
    const { view } = this;
    view.row += down * most(1n, view.rows / 4n);
    view.column += across * most(1n, view.columns / 4n);
    this.#clamp();
  }
  #clamp() {
    const { view, cells } = this;
    view.row = most(0n, least(view.row, cells.rows - view.rows));
    view.column = most(0n, least(view.column, cells.columns - view.columns));
    this.draw();
  }
  #key(event) {
    const acts = {
      "+": () => this.#zoom(1), "=": () => this.#zoom(1), "-": () => this.#zoom(-1), 0: () => this.#showAll(),
      ArrowLeft: () => this.#move(0n, -1n), ArrowRight: () => this.#move(0n, 1n),
      ArrowUp: () => this.#move(-1n, 0n), ArrowDown: () => this.#move(1n, 0n),
    };
    if (!acts[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    acts[event.key]();
  }

  /** The mark under the pointer, as the cells that it stands for; null beside all. */
  #markAt(event) {
    const across = Math.floor((event.offsetX * this.marks.across) / this.canvas.clientWidth);
    const down = Math.floor((event.offsetY * this.marks.down) / this.canvas.clientHeight);
    if (across < 0 || down < 0 || across >= this.marks.across || down >= this.marks.down) return null;
    return { row: this.view.row + big(down) * this.marks.rows, column: this.view.column + big(across) * this.marks.columns };
  }
  #point(event) {
    this.#tell(this.#markAt(event));
  }
  #zoomAt(event) {
    const mark = this.#markAt(event);
    if (mark) this.#zoom(1, mark.row, mark.column);
  }
  #tell(mark) {
    const { row, column, rows, columns } = this.view;
    const part = rows === this.cells.rows && columns === this.cells.columns ? "All of it"
      : `Rows ${commas(row)} to ${commas(row + rows - 1n)}, columns ${commas(column)} to ${commas(column + columns - 1n)}`;
    const scale = this.marks.rows * this.marks.columns === 1n ? "a mark is a cell" : `a mark is ${commas(this.marks.rows)} x ${commas(this.marks.columns)} cells`;
    this.status.textContent = mark ? this.#tellCell(mark) : `${part}; ${scale}.`;
  }
  #tellCell({ row, column }) {
    const offset = this.cells.offset(row, column);
    const found = this.type.layout.at(offset);
    const place = `${this.cells.index(row, column)}, byte ${commas(offset)}`;
    if (found) return `${place}: ${found.type}${found.displacement === offset ? "" : `, which begins at byte ${commas(found.displacement)}`}`;
    const next = this.type.layout.next(offset);
    return `${place}: not in the type${next === null ? ", nor anything behind it" : `; the next byte that is: ${commas(next)}`}`;
  }

  draw() {
    const { view, cells, canvas } = this;
    const perMark = (size, marks) => ceilDiv(size, big(marks));
    const rows = perMark(view.rows, marksDown);
    const columns = perMark(view.columns, marksAcross);
    this.marks = { rows, columns, across: Number(ceilDiv(view.columns, columns)), down: Number(ceilDiv(view.rows, rows)) };
    const { across, down } = this.marks;
    const side = Math.max(8, Math.min(22, Math.floor(760 / across)));
    const sharp = 2;
    canvas.width = across * side * sharp;
    canvas.height = down * side * sharp;
    canvas.style.aspectRatio = `${across} / ${down}`;
    canvas.style.width = `${across * side}px`;
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    const colours = { none: colour("hole"), some: colour("some"), all: colour("data"), over: colour("over") };
    const pen = canvas.getContext("2d");
    const plane = cells.sizes.length > 2 ? cells.sizes[cells.sizes.length - 2] : null;
    for (let y = 0; y < down; ++y) {
      const row = view.row + big(y) * rows;
      for (let x = 0; x < across; ++x) {
        pen.fillStyle = colours[cells.fill(row, view.column + big(x) * columns, rows, columns)];
        pen.fillRect(x * side * sharp + 1, y * side * sharp + 1, side * sharp - 2, side * sharp - 2);
      }
      if (plane && y > 0 && row / plane !== (row - 1n) / plane) {
        pen.fillStyle = colour("text");
        pen.fillRect(0, y * side * sharp - 1, canvas.width, 2);
      }
    }
    this.#tell(null);
  }
}
