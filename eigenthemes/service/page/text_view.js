/* A text with its mentions: coloured by type, marked where they have no link, one key away from each other. */

import { cut, el, name, percent, show } from "./dom.js";
import { pieces } from "./offsets.js";
import { colorClass } from "./palette.js";

const CHUNK = 1_500; // letters of a block of a long text

/** A document's text, or its mentions in a row where it has none; and where they are in it, in code points. */
export function textAndSpans(document, links) {
  if (document.text === undefined || document.text === null) return mentionsInARow(links);
  const length = (text) => [...text].length;
  const spans = links.map((link) => {
    if (link.start !== undefined) return { start: link.start, end: link.end };
    const found = document.text.indexOf(link.text);
    const start = length(document.text.slice(0, Math.max(0, found)));
    return { start, end: found < 0 ? start : start + length(link.text) };
  });
  return { text: document.text, spans };
}

function mentionsInARow(links) {
  let text = "";
  const spans = links.map((link) => {
    text += text ? "  ·  " : "";
    const start = [...text].length;
    text += link.text;
    return { start, end: start + [...link.text].length };
  });
  return { text, spans };
}

/** Put parts into blocks that end with a line: of a long text the browser lays out what can be seen. */
function chunksOf(parts) {
  const chunks = [];
  let chunk = null, length = 0;
  const add = (part, size) => {
    if (chunk === null) chunks.push((chunk = el("div", { class: "chunk" })));
    chunk.append(part);
    length += size;
  };
  for (const part of parts) {
    if (typeof part !== "string") {
      add(part, part.textContent.length);
      continue;
    }
    for (const line of part.split(/(?<=\n)/)) {
      add(line, line.length);
      if (length > CHUNK && line.endsWith("\n")) [chunk, length] = [null, 0];
    }
  }
  return chunks;
}

/** Shows one text. */
export class TextView {
  /** @param {HTMLElement} root @param {(mention: number) => void} onSelect */
  constructor(root, onSelect) {
    this.root = root;
    this.onSelect = onSelect;
    /** @type {HTMLElement[]} pieces of the text that belong to mentions, in order */
    this.marks = [];
    root.addEventListener("click", (event) => this.choose(event.target.closest?.("[data-mention]")));
    root.addEventListener("keydown", (event) => this.onKey(event));
  }

  /** Show a text; what is linked how comes with `paint`. */
  show(document, links) {
    const { text, spans } = textAndSpans(document, links);
    this.covering = []; // of each mark, the mentions that cover it, the shortest first
    this.painted = []; // of each mark, what it shows
    this.marks = [];
    const parts = pieces(text, spans).map((piece) => {
      if (!piece.spans.length) return piece.text;
      const mark = el("span", { class: "mention", role: "button", tabindex: "-1", data: { mention: piece.spans[0] } }, piece.text);
      if (piece.spans.length > 1) mark.classList.add("nested");
      this.marks.push(mark);
      this.covering.push(piece.spans);
      return mark;
    });
    show(this.root, ...chunksOf(parts));
    if (this.marks.length) this.marks[0].tabIndex = 0;
  }

  /** The mentions that overlap one, itself among them. @returns {number[]} */
  overlapping(mention) {
    return [...new Set(this.covering.filter((spans) => spans.includes(mention)).flat())].sort((one, other) => one - other);
  }

  /** Show what is linked how; marks that stay as they are are left alone, for a long text has thousands. */
  paint(decisions, links, colorOf, selected) {
    this.marks.forEach((mark, position) => {
      const covering = this.covering[position];
      const { entity, probability, corrected, reason } = decisions[covering[0]];
      const color = entity ? colorClass(colorOf(entity.types ?? [])) : "nil";
      const kind = `mention ${color}${corrected ? " corrected" : ""}${reason === "not_a_name" ? " not-a-name" : ""}${covering.length > 1 ? " nested" : ""}`;
      const state = `${kind} ${entity?.id} ${probability}`;
      if (this.painted[position] !== state) {
        this.painted[position] = state;
        mark.className = kind;
        mark.setAttribute("aria-label", labelOf(links[covering[0]], decisions[covering[0]]));
        mark.title = entity ? cut(entity.label, 80) : "no link";
      }
      const pressed = String(selected !== null && covering.includes(selected));
      if (mark.getAttribute("aria-pressed") !== pressed) mark.setAttribute("aria-pressed", pressed);
    });
  }

  choose(mark) {
    if (mark) this.onSelect(Number(mark.dataset.mention));
  }

  /** Move the keyboard to a mention. */
  focus(mention) {
    const mark = this.marks.find((each) => Number(each.dataset.mention) === mention);
    if (mark) this.moveTo(this.marks.indexOf(mark));
  }

  moveTo(position) {
    for (const mark of this.marks) mark.tabIndex = -1;
    const mark = this.marks[Math.max(0, Math.min(this.marks.length - 1, position))];
    mark.tabIndex = 0;
    mark.focus();
  }

  onKey(event) {
    const position = this.marks.indexOf(event.target);
    if (position < 0) return;
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };
    if (event.key in steps) this.moveTo(position + steps[event.key]);
    else if (event.key === "Enter" || event.key === " ") this.choose(event.target);
    else return;
    event.preventDefault();
  }
}

/** What a screen reader says of a mention. */
export function labelOf(link, { entity, probability, corrected }) {
  if (!entity) return `${cut(link.text, 80)}: not linked`;
  const sure = corrected ? "corrected by you" : probability === null ? "" : percent(probability);
  const described = [cut(entity.label, 80), cut(entity.description ?? "", 80), sure].filter(Boolean).join(", ");
  return `${cut(link.text, 80)}: linked to ${described}`;
}

/** What the colours mean. */
export function legendOf(legend, unlinked) {
  const items = legend.map(({ type, color, mentions }) =>
    el("li", {}, el("span", { class: `swatch ${colorClass(color)}`, "aria-hidden": "true" }), name(type, {}, 40), ` ${mentions}`),
  );
  if (unlinked) items.push(el("li", {}, el("span", { class: "swatch nil", "aria-hidden": "true" }, "?"), `not linked ${unlinked}`));
  return el("ul", { class: "legend", "aria-label": "Types" }, ...items);
}
