/* A table: paste or drop CSV, choose columns, see the link of each cell. */

import { parseCsv } from "./csv.js";
import { button, count, el, name, show } from "./dom.js";
import { colorClass } from "./palette.js";
import { labelOf } from "./text_view.js";

const PAGE = 100; // rows shown at a time
const CONTEXTS = { table: "all cells together", column: "each column", row: "each row", none: "each cell alone" };
const EXAMPLE = "city,state\nParis,Texas\nSpringfield,Illinois";

/** Shows a table and its links. */
export class TableView {
  /**
   * @param {HTMLElement} root
   * @param {{select: (mention: number) => void, link: () => void, file: (file: File) => void, download: () => void, exports: HTMLElement}} actions
   */
  constructor(root, actions) {
    this.root = root;
    this.actions = actions;
    this.table = null;
    this.chosen = new Set();
    this.linked = null;
    this.first = 0;
    this.context = el("select", { id: "context", on: { change: () => this.linked && this.actions.link() } },
      ...Object.entries(CONTEXTS).map(([value, words]) => el("option", { value }, words)));
    this.input = el("textarea", { id: "csv", rows: 8, placeholder: EXAMPLE, spellcheck: "false", dir: "auto" });
    this.drawInput();
  }

  drawInput() {
    const file = el("input", { type: "file", id: "csv-file", accept: ".csv,.tsv,.txt,text/csv", class: "sr", on: { change: () => file.files[0] && this.actions.file(file.files[0]) } });
    show(
      this.root,
      el("h2", { class: "sr" }, "Table"),
      el("label", { for: "csv" }, "Paste a table as CSV, or drop a file"),
      this.input,
      el("div", { class: "buttons" }, button("Use this table", () => this.read(), { class: "primary" }), el("label", { for: "csv-file", class: "as-button" }, "Open a file"), file),
    );
  }

  read() {
    const table = parseCsv(this.input.value.trim() ? this.input.value : EXAMPLE);
    this.use(table);
  }

  /** Show a table whose columns people choose. */
  use(table) {
    this.table = table;
    this.linked = null;
    this.first = 0;
    this.chosen = new Set([...table.header.keys()].filter((column) => mayBeNames(table.rows, column)));
    this.draw();
  }

  /** What the server is asked. */
  request() {
    const { header, rows } = this.table;
    return { table: { header, rows }, columns: [...this.chosen].sort((one, other) => one - other), context: this.context.value };
  }

  /** Show links. */
  paint(linked) {
    this.linked = linked;
    this.draw();
  }

  draw() {
    if (!this.table) return this.drawInput();
    const { header, rows } = this.table;
    const columns = header.length;
    const about = `${count(rows.length, "row")}, ${count(columns, "column")}. Choose the columns that hold names.`;
    const held = document.activeElement?.dataset?.cell;
    const choosing = document.activeElement === this.context;
    show(
      this.root,
      el("div", { class: "card-head" }, el("h2", {}, "Table"), button("Another table", () => { this.table = null; this.drawInput(); this.input.focus(); }, { class: "plain" })),
      el("p", { class: "quiet" }, about),
      el("label", {}, "Decide together: ", this.context),
      el("div", { class: "table-frame", tabindex: "0", role: "region", "aria-label": "The table" }, this.drawTable()),
      this.pager(rows.length),
      el("div", { class: "buttons" }, button("Link", this.actions.link, { class: "primary", disabled: !this.chosen.size }), this.linked ? this.actions.exports : null),
    );
    if (choosing) this.context.focus();
    if (held) this.root.querySelector(`[data-cell="${held}"]`)?.focus();
  }

  drawTable() {
    const { header, rows } = this.table;
    const byCell = new Map(this.linked?.links.map((link, number) => [`${link.row}-${link.col}`, number]));
    const shown = rows.slice(this.first, this.first + PAGE);
    return el(
      "table",
      {},
      el("thead", {}, el("tr", {}, ...header.map((title, column) => this.heading(title, column)))),
      el("tbody", {}, ...shown.map((row, each) => el("tr", {}, ...header.map((_, column) => this.cell(row[column] ?? "", this.first + each, column, byCell))))),
    );
  }

  heading(title, column) {
    const box = el("input", { type: "checkbox", on: { change: () => this.choose(column, box.checked) } });
    box.checked = this.chosen.has(column);
    return el("th", { scope: "col" }, el("label", {}, box, " ", name(title || `column ${column + 1}`, {}, 60)));
  }

  choose(column, wanted) {
    if (wanted) this.chosen.add(column);
    else this.chosen.delete(column);
    const go = this.root.querySelector("button.primary");
    go.disabled = !this.chosen.size;
  }

  cell(text, row, column, byCell) {
    const number = byCell.get(`${row}-${column}`);
    if (number === undefined) return el("td", { dir: "auto" }, name(text, {}, 200));
    const { links, decisions, colorOf, selected } = this.linked;
    const { entity, corrected } = decisions[number];
    const kind = `mention ${entity ? colorClass(colorOf(entity.types ?? [])) : "nil"}${corrected ? " corrected" : ""}`;
    const mark = el("button", { type: "button", class: kind, "aria-label": labelOf(links[number], decisions[number]), "aria-pressed": String(number === selected), data: { cell: `${row}-${column}` }, on: { click: () => this.actions.select(number) } }, name(text, {}, 200));
    return el("td", { dir: "auto" }, mark, entity ? el("span", { class: "cell-link" }, name(entity.description || entity.label, {}, 60)) : null);
  }

  pager(total) {
    if (total <= PAGE) return null;
    const last = Math.min(total, this.first + PAGE);
    const go = (to, label) => button(label, () => { this.first = to; this.draw(); }, { class: "plain", disabled: to < 0 || to >= total });
    return el("div", { class: "buttons" }, go(this.first - PAGE, "‹ Rows before"), el("span", { class: "quiet" }, `${this.first + 1}–${last} of ${total.toLocaleString("en")}`), go(this.first + PAGE, "Rows after ›"));
  }
}

/** May the cells of a column be names: are most of them words? */
export function mayBeNames(rows, column) {
  const cells = rows.slice(0, 50).map((row) => row[column] ?? "").filter((cell) => cell.trim());
  const words = cells.filter((cell) => /\p{L}{2}/u.test(cell) && cell.length <= 80 && !/^https?:/.test(cell));
  return cells.length > 0 && words.length >= cells.length * 0.7;
}
