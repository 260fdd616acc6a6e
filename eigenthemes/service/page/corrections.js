/* Corrections: kept in this browser for each KB, written as gold that `eigenthemes train` takes. */

/**
 * @typedef {{document: string, place: string, mention: {text: string, start?: number, end?: number, row?: number, col?: number},
 *            gold: string[], label?: string, description?: string, types?: string[], notName?: boolean, sent?: boolean}} Correction
 */

/** A name for a document that the same text always has. @param {{text?: string, table?: any}} document */
export function documentKey(document) {
  const content = document.text ?? JSON.stringify(document.table ?? document.mentions.map((mention) => mention.text));
  let hash = 0xcbf29ce484222325n;
  for (let i = 0; i < content.length; i++) hash = ((hash ^ BigInt(content.charCodeAt(i))) * 0x100000001b3n) & 0xffffffffffffffffn;
  return `page-${hash.toString(16).padStart(16, "0")}`;
}

/** Where a mention is in its document. */
export function placeOf(mention) {
  return mention.row === undefined ? `${mention.start ?? mention.text}-${mention.end ?? ""}` : `r${mention.row}c${mention.col}`;
}

/** The corrections of a KB. */
export class Corrections {
  /** @param {string} kb @param {Storage} storage */
  constructor(kb, storage = localStorage) {
    this.key = `eigenthemes.corrections.${kb}`;
    this.storage = storage;
    const { documents = {}, items = [] } = this.read();
    /** @type {Record<string, any>} */
    this.documents = documents;
    /** @type {Correction[]} */
    this.items = items;
  }

  read() {
    try {
      return JSON.parse(this.storage.getItem(this.key) ?? "{}");
    } catch {
      return {}; // switched off, or written by something else
    }
  }

  /** Keep what there is. @returns {boolean} false where the browser has no room for it */
  save() {
    try {
      this.storage.setItem(this.key, JSON.stringify({ documents: this.documents, items: this.items }));
      return true;
    } catch {
      return false;
    }
  }

  /** @returns {Correction|null} */
  find(document, mention) {
    const place = placeOf(mention);
    return this.items.find((each) => each.document === document && each.place === place) ?? null;
  }

  /** Those of a document by place. @returns {Map<string, Correction>} */
  of(document) {
    return new Map(this.items.filter((each) => each.document === document).map((each) => [each.place, each]));
  }

  /** Say what a mention of a document means, in place of what was said before. */
  set(key, document, mention, answer) {
    this.drop(key, mention);
    const { text, start, end, row, col } = mention;
    const { gold, label, description, types, notName } = answer;
    this.documents[key] = document;
    this.items.push({ document: key, place: placeOf(mention), mention: { start, end, row, col, text }, gold, label, description, types, notName });
    return this.save();
  }

  /** Forget what was said of a mention. */
  drop(key, mention) {
    const place = placeOf(mention);
    this.keep(this.items.filter((each) => each.document !== key || each.place !== place));
  }

  clear() {
    this.keep([]);
  }

  keep(items) {
    this.items = items;
    const used = new Set(items.map((each) => each.document));
    this.documents = Object.fromEntries(Object.entries(this.documents).filter(([key]) => used.has(key)));
    return this.save();
  }

  /** The documents with gold, as JSON lines have them. @param {(item: Correction) => boolean} wanted */
  gold(wanted = () => true) {
    const lines = new Map();
    for (const item of this.items.filter(wanted)) {
      if (!lines.has(item.document)) lines.set(item.document, { id: item.document, ...this.documents[item.document], mentions: [] });
      const mention = Object.fromEntries(Object.entries(item.mention).filter(([, value]) => value !== undefined && value !== null));
      lines.get(item.document).mentions.push({ ...mention, gold: item.gold, ...(item.notName ? { not_a_name: true } : {}) });
    }
    return [...lines.values()];
  }

  /** What there is, in figures. */
  counts() {
    const documents = new Set(this.items.map((each) => each.document)).size;
    return { corrections: this.items.length, documents, unsent: this.items.filter((each) => !each.sent).length };
  }

  /** Remember that the server has them all. */
  markSent() {
    this.items = this.items.map((each) => ({ ...each, sent: true }));
    return this.save();
  }
}

/** Lines of JSON. */
export function jsonLines(records) {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}
