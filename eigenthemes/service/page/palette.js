/* Which type has which colour: the most frequent types of a document have one each. Pure functions. */

export const COLORS = 7; // --type-0 ... --type-6 in style.css; the class t-none is for all others

/**
 * Give the types of a document's entities colours, the most frequent first. An entity has the colour of its first type that
 * others of the document share, if there is one: "city" says more than a type of its own.
 * @param {string[][]} types of each linked mention
 * @returns {{colorOf: (types: string[]) => number|null, legend: {type: string, color: number|null, mentions: number}[]}}
 */
export function paint(types) {
  const counts = tally(types.flat());
  const main = (own) => own.reduce((best, type) => (best === null || counts.get(type) > counts.get(best) ? type : best), null);
  const mains = tally(types.map(main).filter((type) => type !== null));
  const ranked = [...mains].sort(([one, n], [other, m]) => m - n || (one < other ? -1 : 1));
  const colors = new Map(ranked.slice(0, COLORS).map(([type], number) => [type, number]));
  const colorOf = (own) => (own.length ? (colors.get(main(own)) ?? null) : null);
  const legend = ranked.slice(0, COLORS).map(([type, mentions]) => ({ type, color: colors.get(type), mentions }));
  const others = types.length - legend.reduce((sum, each) => sum + each.mentions, 0);
  const rest = ranked.length > COLORS ? "other types" : "no type";
  return { colorOf, legend: others > 0 ? [...legend, { type: rest, color: null, mentions: others }] : legend };
}

function tally(items) {
  const counts = new Map();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

/** The class of a colour. */
export function colorClass(color) {
  return color === null ? "t-none" : `t-${color}`;
}
