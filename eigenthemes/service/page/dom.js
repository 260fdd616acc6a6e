/* Elements without HTML: whatever a text or a KG says becomes text, never markup. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Make an element. Properties: `class`, `on` (event -> listener), `data` (data-*), anything else is an attribute;
 * null, undefined and false leave an attribute out, true sets it empty. Children: nodes, strings, or null.
 * @param {string} tag
 * @param {Record<string, any>} properties
 * @param {...(Node|string|null|undefined|false)} children
 * @returns {HTMLElement}
 */
export function el(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** The same for SVG. @returns {SVGElement} */
export function svg(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

function fill(node, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (name === "on") Object.entries(value).forEach(([event, listener]) => node.addEventListener(event, listener));
    else if (name === "data") Object.assign(node.dataset, value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Put these children in place of those an element has. */
export function show(parent, ...children) {
  parent.replaceChildren(...children.filter(Boolean));
}

/** The same, and the keyboard stays where it was: on the control of the same name, else on the heading. */
export function redraw(parent, ...children) {
  const held = parent.contains(document.activeElement) ? document.activeElement : null;
  const words = held && nameOf(held);
  show(parent, ...children);
  if (!held) return;
  const same = held.isConnected ? held : [...parent.querySelectorAll("button, input, select, a, summary")].find((each) => nameOf(each) === words && !each.disabled);
  const heading = parent.querySelector("h2");
  heading?.setAttribute("tabindex", "-1");
  (same ?? heading)?.focus({ preventScroll: true });
}

function nameOf(control) {
  return control.id || control.getAttribute("aria-label") || control.textContent;
}

/** A button. */
export function button(label, onClick, properties = {}) {
  return el("button", { type: "button", ...properties, on: { click: onClick } }, label);
}

/** A name from a text or a KG: its direction is its own. */
export function name(text, properties = {}, longest = 200) {
  return el("bdi", { dir: "auto", ...(text.length > longest ? { title: cut(text, 1000) } : {}), ...properties }, cut(text, longest));
}

/** Shorten a text, without cutting a character in two. */
export function cut(text, longest) {
  if (text.length <= longest) return text;
  const end = /[\ud800-\udbff]/.test(text[longest - 1]) ? longest - 1 : longest;
  return `${text.slice(0, end).trimEnd()}…`;
}

/** A share as people read it. */
export function percent(share) {
  if (share > 0 && share < 0.005) return "<1%";
  return `${Math.round(share * 100)}%`;
}

/** A bar as long as a share; the figure stands beside it as text. */
export function bar(share, properties = {}) {
  const filled = el("span", { class: "fill" });
  filled.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return el("span", { class: "meter", "aria-hidden": "true", ...properties }, filled);
}

/** "1 mention", "2 mentions". */
export function count(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** Call a function when it has not been called again for some milliseconds. */
export function later(action, milliseconds) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...given), milliseconds);
  };
}
