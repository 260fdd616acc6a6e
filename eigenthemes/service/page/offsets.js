/* Offsets are code points on the wire and UTF-16 units in the browser: an emoji is one there, and two here. */

/**
 * Return a function from an offset in code points to one in UTF-16 units of a text.
 * @param {string} text
 * @returns {(offset: number) => number}
 */
export function toUtf16(text) {
  if (!/[\ud800-\udfff]/.test(text)) return (offset) => Math.min(offset, text.length);
  const starts = [];
  for (let unit = 0; unit < text.length; unit += text.codePointAt(unit) > 0xffff ? 2 : 1) starts.push(unit);
  starts.push(text.length);
  return (offset) => starts[Math.min(offset, starts.length - 1)];
}

/**
 * Cut a text into pieces at the edges of spans, which may lie within each other.
 * @param {string} text
 * @param {{start: number, end: number}[]} spans in code points
 * @returns {{text: string, spans: number[]}[]} each with the numbers of the spans that cover it, the shortest first
 */
export function pieces(text, spans) {
  const unit = toUtf16(text);
  const edges = spans.flatMap((span, number) => [
    { at: unit(span.start), number, opens: true },
    { at: unit(span.end), number, opens: false },
  ]);
  edges.sort((one, other) => one.at - other.at);
  const length = (number) => spans[number].end - spans[number].start;
  const found = [];
  const open = new Set();
  let last = 0;
  for (const edge of edges) {
    if (edge.at > last) {
      found.push({ text: text.slice(last, edge.at), spans: [...open].sort((one, other) => length(one) - length(other)) });
      last = edge.at;
    }
    if (edge.opens) open.add(edge.number);
    else open.delete(edge.number);
  }
  if (last < text.length) found.push({ text: text.slice(last), spans: [] });
  return found;
}
