/* The map: candidates on the two strongest eigenthemes of their document; chosen ones are triangles, lines are support. */

import { cut, el, name, percent, show, svg } from "./dom.js";
import { colorClass } from "./palette.js";

const MARGIN = 30;
const NEAR = 22; // pixels from which a pointer means a point
const MOST_LABELS = 16;
const MOST_RIVALS = 5; // candidates of the open mention that are named beside the one that was chosen
const LETTER = 6.6; // about the width of a letter of a label

/**
 * @typedef {{mentions: number[], id: string, label: string, x: number, y: number, chosen: boolean, score: number}} Point
 * @typedef {{from: number, to: number, share: number, words: string}} Line
 */

/** Shows the map of one document. */
export class MapView {
  /** @param {HTMLElement} root @param {(mention: number) => void} onSelect */
  constructor(root, onSelect) {
    this.onSelect = onSelect;
    this.picture = svg("svg", { class: "map", role: "group", "aria-labelledby": "map-title", "aria-describedby": "map-about" });
    this.tip = el("div", { class: "tip", hidden: true, "aria-hidden": "true" });
    this.about = el("p", { class: "quiet", id: "map-about" });
    this.title = el("h2", { id: "map-title" }, "Map of the candidates");
    this.frame = el("div", { class: "map-frame" }, this.picture, this.tip);
    show(root, this.title, this.frame, this.about);
    this.picture.addEventListener("pointermove", (event) => this.onPointer(event));
    this.picture.addEventListener("pointerleave", () => this.hideTip());
    this.picture.addEventListener("click", (event) => this.onClick(event));
    this.picture.addEventListener("keydown", (event) => this.onKey(event));
    this.picture.addEventListener("focusin", (event) => this.onFocus(event));
    this.picture.addEventListener("focusout", () => this.hideTip());
    this.width = 0; // told by the observer: to ask for it would lay out the whole page again
    new ResizeObserver(([entry]) => {
      this.width = Math.round(entry.contentRect.width);
      this.draw();
    }).observe(this.frame);
    this.clear("Link a text to see where its candidates lie.");
  }

  /** Show words in place of a map. */
  clear(words) {
    this.shown = null;
    this.frame.hidden = true;
    this.about.textContent = words;
  }

  /**
   * Show a map.
   * @param {{points: Point[], supports: Line[], explained: number[]}|null} map
   */
  show(map, links, decisions, colorOf, selected, details) {
    if (!map?.points.length) {
      this.clear(links.length ? "No candidate of this document has a vector, so there is no map." : "No candidates, no map.");
      return;
    }
    this.shown = { map, links, decisions, colorOf, selected, details };
    this.frame.hidden = false;
    this.draw();
  }

  draw() {
    const { width } = this;
    if (!this.shown || !width) return;
    const height = Math.round(Math.max(260, Math.min(430, width * 0.66)));
    const { map, selected, links } = this.shown;
    this.picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.picture.setAttribute("height", height);
    this.places = placesOf(map.points, width, height);
    this.roles = map.points.map((point) => this.roleOf(point));
    this.active = this.lines();
    this.supporters = new Set(selected === null ? [] : this.active.map((line) => line.from));
    const held = this.groups?.indexOf(document.activeElement) ?? -1;
    this.groups = map.points.map((point, number) => this.drawPoint(point, number));
    const back = this.groups.filter((_, number) => !this.roles[number].chosen && !this.roles[number].own);
    const rank = (number) => (this.roles[number].chosen ? 1 : 0) + (this.roles[number].own ? 2 : 0);
    const numbers = [...this.groups.keys()].filter((number) => rank(number) > 0);
    const front = numbers.sort((one, other) => rank(one) - rank(other)).map((number) => this.groups[number]);
    show(this.picture, drawAxes(width, height, map.explained), this.drawLines(), svg("g", {}, ...back), svg("g", {}, ...front), this.drawLabels(width, height));
    const first = this.roles.findIndex((role) => role.own && role.chosen);
    this.rove(held >= 0 ? held : Math.max(0, first));
    if (held >= 0) this.groups[held].focus();
    this.about.textContent = aboutOf(map, selected === null ? null : links[selected]);
  }

  /** What a point is now: the answer of a mention; a candidate of the one that is open. */
  roleOf(point) {
    const { decisions, selected } = this.shown;
    const chosenFor = point.mentions.find((mention) => decisions[mention]?.entity?.id === point.id);
    const own = selected !== null && point.mentions.includes(selected);
    return { chosen: chosenFor !== undefined, own, mention: own ? selected : (chosenFor ?? point.mentions[0]) };
  }

  drawPoint(point, number) {
    const { chosen, own } = this.roles[number];
    const { colorOf, selected, details } = this.shown;
    const color = chosen ? colorClass(colorOf(details.get(point.id)?.types ?? [])) : "";
    const dim = selected !== null && !own && !this.supporters.has(number);
    const shape = chosen ? svg("path", { d: "M0-8 7 5H-7Z" }) : svg("circle", { r: own ? 5 : 3.5 });
    const [x, y] = this.places[number];
    const kind = `point ${chosen ? "chosen" : "other"} ${color}${own ? " own" : ""}${dim ? " dim" : ""}`;
    return svg("g", { class: kind, transform: `translate(${x} ${y})`, role: "button", tabindex: "-1", "aria-label": this.words(number) }, shape);
  }

  /** What a point is, in words. */
  words(number) {
    const { map, links, details } = this.shown;
    const { chosen, mention } = this.roles[number];
    const point = map.points[number];
    const description = details.get(point.id)?.description;
    const told = `${cut(point.label, 60)}${description ? `, ${cut(description, 60)}` : ""}`;
    return `${told}: ${chosen ? "chosen" : "a candidate"} for ${cut(links[mention]?.text ?? "", 40)}`;
  }

  /** The lines that matter now: to what the open mention means, or between all that are chosen. */
  lines() {
    const { map, selected, links, decisions } = this.shown;
    if (selected === null) return map.supports.filter((line) => this.roles[line.from].chosen && this.roles[line.to].chosen);
    const numberOf = new Map(map.points.map((point, number) => [point.id, number]));
    const best = links[selected].explanation?.best?.id;
    if (best === undefined || (decisions[selected].entity && decisions[selected].entity.id !== best)) return [];
    const support = links[selected].explanation.support.map(({ id, share }) => ({ from: numberOf.get(id), to: numberOf.get(best), share }));
    return support.filter(({ from, to }) => from !== undefined && to !== undefined && from !== to);
  }

  drawLines() {
    const faint = this.shown.selected === null;
    return svg("g", { class: faint ? "lines faint" : "lines" }, ...this.active.map(({ from, to, share }) => {
      const [[x1, y1], [x2, y2]] = [this.places[from], this.places[to]];
      return svg("line", { x1, y1, x2, y2, "stroke-width": (1 + 4 * share).toFixed(2) });
    }));
  }

  /** Names beside the points that matter most, where there is room. */
  drawLabels(width, height) {
    const { map } = this.shown;
    const weight = (number) => (this.roles[number].own ? 2 : 0) + (this.roles[number].chosen ? 1 : 0) + (this.supporters.has(number) ? 1 : 0);
    const order = map.points.map((_, number) => number).filter((number) => weight(number) > 0);
    const unchosen = order.filter((number) => this.roles[number].own && !this.roles[number].chosen);
    const crowd = new Set(unchosen.sort((one, other) => map.points[other].score - map.points[one].score).slice(MOST_RIVALS));
    order.sort((one, other) => weight(other) - weight(one) || map.points[other].score - map.points[one].score);
    const taken = this.places.map(([x, y], number) => (weight(number) ? [x - 6, y - 7, x + 6, y + 6] : null)).filter(Boolean);
    const labels = [];
    for (const number of order.filter((each) => !crowd.has(each))) {
      if (labels.length >= MOST_LABELS) break;
      const text = cut(map.points[number].label, 22);
      const found = roomFor(text, this.places[number], taken, width, height);
      if (!found) continue;
      taken.push(found.box);
      const { own, chosen } = this.roles[number];
      labels.push(svg("text", { x: found.x, y: found.y, class: `${own ? "own" : ""}${chosen ? " chosen" : ""}` }, text));
    }
    return svg("g", { class: "labels", "aria-hidden": "true" }, ...labels);
  }

  // pointer and keys

  nearest(event) {
    const box = this.picture.getBoundingClientRect();
    const scale = this.picture.viewBox.baseVal.width / box.width;
    const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    let best = -1, least = NEAR;
    this.places.forEach(([px, py], number) => {
      const { own, chosen } = this.roles[number];
      const distance = Math.hypot(px - x, py - y) - (own ? 4 : 0) - (chosen ? 3 : 0);
      if (distance < least) [best, least] = [number, distance];
    });
    return best;
  }

  onPointer(event) {
    const number = this.nearest(event);
    if (number < 0) this.hideTip();
    else this.showTip(number);
  }

  onClick(event) {
    const number = this.nearest(event);
    if (number >= 0) this.onSelect(this.roles[number].mention);
  }

  onFocus(event) {
    const number = this.groups.indexOf(event.target);
    if (number >= 0) this.showTip(number);
  }

  onKey(event) {
    const number = this.groups.indexOf(event.target);
    if (number < 0) return;
    const directions = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
    if (event.key === "Enter" || event.key === " ") this.onSelect(this.roles[number].mention);
    else if (event.key in directions) this.step(number, directions[event.key]);
    else return;
    event.preventDefault();
  }

  /** Go to the nearest point in a direction. */
  step(from, [dx, dy]) {
    const [x, y] = this.places[from];
    let best = -1, least = Infinity;
    this.places.forEach(([px, py], number) => {
      const along = (px - x) * dx + (py - y) * dy;
      const aside = Math.abs((px - x) * dy) + Math.abs((py - y) * dx);
      if (number !== from && along > 0 && along + 2 * aside < least) [best, least] = [number, along + 2 * aside];
    });
    if (best < 0) return;
    this.rove(best);
    this.groups[best].focus();
  }

  rove(number) {
    this.groups.forEach((group, each) => group.setAttribute("tabindex", each === number ? "0" : "-1"));
  }

  showTip(number) {
    const { map, links, details } = this.shown;
    const point = map.points[number];
    const { chosen, mention } = this.roles[number];
    const { description, score } = details.get(point.id) ?? {};
    const sure = this.shown.probabilities === false || score === undefined ? "" : `, ${percent(score)}`;
    show(
      this.tip,
      name(point.label, { class: "strong" }, 60),
      description ? name(description, { class: "block" }, 90) : null,
      el("span", { class: "quiet block" }, `${chosen ? "chosen" : "candidate"} for “`, name(links[mention]?.text ?? "", {}, 40), `”${chosen ? sure : ""}`),
    );
    this.tip.hidden = false;
    const [x, y] = this.places[number];
    const box = this.frame.getBoundingClientRect();
    this.tip.style.left = `${Math.max(0, Math.min(x + 12, box.width - this.tip.offsetWidth - 4))}px`;
    this.tip.style.top = `${y + 14 + this.tip.offsetHeight > box.height ? Math.max(0, y - this.tip.offsetHeight - 12) : y + 14}px`;
    for (const [each, group] of this.groups.entries()) group.classList.toggle("hovered", each === number);
  }

  hideTip() {
    this.tip.hidden = true;
    for (const group of this.groups ?? []) group.classList.remove("hovered");
  }
}

/** Scale points to a picture. @param {Point[]} points @returns {number[][]} */
export function placesOf(points, width, height) {
  const scale = (values, from, to) => {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return (value) => (high - low < 1e-9 ? (from + to) / 2 : from + ((value - low) / (high - low)) * (to - from));
  };
  const x = scale(points.map((point) => point.x), MARGIN + 8, width - MARGIN - 40);
  const y = scale(points.map((point) => point.y), height - MARGIN - 10, MARGIN);
  return points.map((point) => [Math.round(10 * x(point.x)) / 10, Math.round(10 * y(point.y)) / 10]);
}

function drawAxes(width, height, [first, second]) {
  const [left, bottom] = [14, height - 16];
  return svg(
    "g",
    { class: "axes", "aria-hidden": "true" },
    svg("path", { d: `M${left} 8V${bottom}H${width - 8}` }),
    svg("text", { x: width - 8, y: height - 3, "text-anchor": "end" }, `eigentheme 1 · ${percent(first)} →`),
    svg("text", { x: 0, y: 0, "text-anchor": "end", transform: `translate(10 8) rotate(-90)` }, `eigentheme 2 · ${percent(second)} →`),
  );
}

function aboutOf({ points, explained }, selected) {
  const share = percent(explained[0] + explained[1]);
  const what = selected === null ? "triangles are what names were linked to, lines what supports what" : "thicker lines support more";
  return `${points.length} candidates on the two strongest themes of the text, which show ${share} of their variance; ${what}.`;
}

/** Find room for a label beside a point: right, left, above, below. */
function roomFor(text, [x, y], taken, width, height) {
  const wide = text.length * LETTER + 4;
  for (const [left, base] of [[x + 10, y + 4], [x - 10 - wide, y + 4], [x - wide / 2, y - 12], [x - wide / 2, y + 20]]) {
    const box = [left, base - 12, left + wide, base + 4];
    const inside = box[0] >= 16 && box[2] <= width && box[1] >= 0 && box[3] <= height - 16;
    if (inside && !taken.some((other) => overlap(box, other))) return { x: left, y: base, box };
  }
  return null;
}

function overlap(one, other) {
  return one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3];
}
