/* A small graph of what spoke for a link: its entity, those of other names that support it, and what they share. */

import { bar, cut, el, name, percent, show, svg } from "./dom.js";

const ROW = 44;
const MOST_SHARED = 2; // neighbours drawn for each name that supports

/**
 * @typedef {{type: string, relation: string, reverse: boolean, shared: string[]}} Reason
 * @typedef {{text: string, mention: number, id: string, label: string, probability: number, share: number, reasons: Reason[]}} Support
 */

/** Say why a name supports an entity. @param {Reason} reason */
export function because(reason, label) {
  if (reason.type === "edge") return reason.reverse ? `${reason.relation} ${label}` : `${label}: ${reason.relation}`;
  if (reason.type === "shared") return `both ${joint(reason.relation)} ${reason.shared[0]}`;
  return { "same entity": "the same entity", "longer name": "a longer name of it", "close in the vectors": "on the same theme" }[reason.type] ?? reason.type;
}

function joint(relation) {
  return / (of|in|at|for|by|on|to|from|with)$/.test(relation) ? relation : "linked to";
}

/** Shows the edges of one link. */
export class EdgesView {
  /** @param {HTMLElement} root @param {(support: Support) => void} onSelect */
  constructor(root, onSelect) {
    this.root = root;
    this.onSelect = onSelect;
    this.picture = svg("svg", { class: "edges", role: "img" });
    this.frame = el("div", { class: "edges-frame" }, this.picture);
    this.width = 0; // told by the observer: to ask for it would lay out the whole page again
    new ResizeObserver(([entry]) => {
      this.width = Math.round(entry.contentRect.width);
      this.draw();
    }).observe(this.frame);
  }

  /** Show what supports the best candidate of a mention. */
  show(explanation) {
    this.explanation = explanation;
    this.root.hidden = !explanation?.best;
    if (this.root.hidden) return;
    const { support, other_support: others, best } = explanation;
    const title = el("h2", { id: "edges-title" }, "What speaks for ", name(best.label, {}, 60));
    if (!support.length) {
      const why = explanation.other_names ? "Nothing else in the document supports it." : "There is no other name in the document to support it.";
      show(this.root, title, el("p", { class: "quiet" }, why));
      return;
    }
    const rest = others > 0.005 ? el("li", { class: "quiet" }, bar(others), ` ${percent(others)} from further names`) : null;
    show(this.root, title, this.frame, el("ul", { class: "supports" }, ...support.map((each) => this.drawSupport(each)), rest));
    this.draw();
  }

  drawSupport(support) {
    const { text, share, reasons } = support;
    const { best } = this.explanation;
    const go = el("button", { type: "button", class: "link", on: { click: () => this.onSelect(support) } }, name(text, {}, 60));
    const why = reasons.map((reason) => because(reason, best.label)).join("; ");
    return el("li", {}, bar(share), ` ${percent(share)} `, go, el("span", { class: "quiet", dir: "auto" }, ` ${cut(why, 200)}`));
  }

  draw() {
    const { width } = this;
    if (!width || !this.explanation?.support?.length) return;
    const { best, support } = this.explanation;
    const middle = middleOf(support);
    const height = ROW * Math.max(support.length, middle.length, 2) + 10;
    const at = (number, total) => (height * (number + 0.5)) / total;
    const column = Math.min(150, width * 0.3);
    const [left, center, right] = [column / 2 + 2, width / 2, width - column / 2 - 2];
    this.picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.picture.setAttribute("height", height);
    this.picture.setAttribute("aria-label", `${best.label} and the ${support.length} names that support it most; the list below says the same`);
    const edges = [], nodes = [box(best.label, left, height / 2, column, "best")];
    support.forEach((each, row) => nodes.push(box(each.label, right, at(row, support.length), column, "supporter")));
    middle.forEach((item, slot) => {
      const y = at(slot, middle.length);
      edges.push(curve(left + column / 2, height / 2, center, y, item.kind, widest(item, support)));
      item.rows.forEach((row) => edges.push(curve(center, y, right - column / 2, at(row, support.length), item.kind, support[row].share)));
      nodes.push(...drawItem(item, center, y, width - 2 * column - 16));
    });
    show(this.picture, ...edges, ...nodes);
  }
}

const widest = (item, support) => item.rows.reduce((sum, row) => sum + support[row].share, 0);

/**
 * What lies between an entity and those that support it: shared neighbours, or the name of an edge.
 * @param {Support[]} support
 * @returns {{kind: string, label: string, above: string, rows: number[]}[]}
 */
export function middleOf(support) {
  const items = new Map();
  support.forEach(({ reasons }, row) => {
    const telling = reasons.filter((reason) => reason.type !== "close in the vectors");
    for (const reason of telling.length ? telling.slice(0, 1) : reasons.slice(0, 1)) {
      const shared = reason.type === "shared" ? reason.shared.slice(0, MOST_SHARED) : [wordsOf(reason)];
      for (const label of shared) {
        const key = `${reason.type} ${reason.relation} ${reason.reverse} ${label}`;
        if (!items.has(key)) items.set(key, { kind: kindOf(reason), label, above: reason.type === "shared" ? reason.relation : "", rows: [] });
        items.get(key).rows.push(row);
      }
    }
  });
  const mean = ({ rows }) => rows.reduce((sum, row) => sum + row, 0) / rows.length;
  return [...items.values()].sort((one, other) => mean(one) - mean(other));
}

function kindOf({ type }) {
  return { edge: "edge", shared: "shared", "close in the vectors": "close" }[type] ?? "same";
}

function wordsOf({ type, relation, reverse }) {
  if (type === "edge") return reverse ? `← ${relation}` : `${relation} →`;
  return { "same entity": "the same entity", "longer name": "longer name", "close in the vectors": "same theme" }[type] ?? type;
}

function drawItem(item, x, y, width) {
  const letters = Math.max(6, Math.floor(width / 7));
  if (item.kind !== "shared") return [box(item.label, x, y, Math.min(width, item.label.length * 7 + 16), "words")];
  const wide = Math.min(width, item.label.length * 7 + 20);
  const above = item.above ? [svg("text", { x, y: y - 17, class: "words", "text-anchor": "middle" }, svg("title", {}, item.above), cut(item.above, letters))] : [];
  return [box(item.label, x, y, wide, "shared"), ...above];
}

function box(label, x, y, width, kind) {
  const letters = Math.max(4, Math.floor((width - 14) / 7));
  return svg(
    "g",
    { class: `node ${kind}`, transform: `translate(${x} ${y})` },
    svg("title", {}, cut(label, 300)),
    svg("rect", { x: -width / 2, y: -13, width, height: 26, rx: kind === "shared" ? 13 : 6 }),
    svg("text", { y: 4.5, "text-anchor": "middle" }, cut(label, letters)),
  );
}

function curve(x1, y1, x2, y2, kind, share) {
  const bend = (x2 - x1) / 2;
  const path = `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
  return svg("path", { d: path, class: `edge ${kind}`, "stroke-width": (1 + 3 * share).toFixed(2) });
}
