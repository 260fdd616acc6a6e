/* What was linked: documents with their answers, and what the page makes of them. */

import { decide } from "./decisions.js";
import { documentKey, placeOf } from "./corrections.js";
import { paint } from "./palette.js";

/** Documents that were linked together, one of them shown. */
export class Session {
  /** @param {"text"|"table"} kind @param {any[]} documents as they are asked for */
  constructor(kind, documents) {
    this.kind = kind;
    this.documents = documents;
    /** @type {(any|undefined)[]} the server's answers */
    this.records = [];
    this.current = 0;
    /** @type {number|null} the mention that is open */
    this.selected = null;
    this.keys = new Map();
    this.known = new Map();
  }

  get document() {
    return this.documents[this.current];
  }

  get record() {
    return this.records[this.current];
  }

  get links() {
    return this.record?.mentions ?? [];
  }

  /** The name of a document among corrections. */
  key(number = this.current) {
    if (!this.keys.has(number)) this.keys.set(number, documentKey(this.records[number]));
    return this.keys.get(number);
  }

  /** What a correction keeps of the shown document. */
  content() {
    const { text, table } = this.record;
    return { ...(text === undefined ? {} : { text }), ...(table === undefined ? {} : { table }) };
  }

  /** Decide every mention of a document. */
  decisions(rule, corrections, number = this.current) {
    const own = corrections.of(this.key(number));
    return this.records[number].mentions.map((link) => decide(link, rule, own.size ? own.get(placeOf(link)) : null));
  }

  /** Everything the views need of the shown document. */
  shown(rule, corrections) {
    const decisions = this.decisions(rule, corrections);
    const palette = paint(decisions.filter(({ entity }) => entity).map(({ entity }) => entity.types ?? []));
    return { links: this.links, decisions, palette, colorOf: palette.colorOf, selected: this.selected };
  }

  /** What is known of the candidates by id: description, types, the best score. */
  details(decisions) {
    if (!this.known.has(this.current)) this.known.set(this.current, bestOf(this.links));
    const found = this.known.get(this.current);
    for (const { entity } of decisions) if (entity && !found.has(entity.id)) found.set(entity.id, entity);
    return found;
  }

  /** All documents that have an answer, as exports take them. */
  all(rule, corrections) {
    return this.records.flatMap((record, number) => (record ? [{ record, decisions: this.decisions(rule, corrections, number) }] : []));
  }
}

function bestOf(links) {
  const found = new Map();
  for (const link of links) {
    for (const each of link.ranking) if (!(found.get(each.id)?.score > each.score)) found.set(each.id, each);
  }
  return found;
}
