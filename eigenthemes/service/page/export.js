/* Links as files, as they are on the page: JSON, CSV, and a web page of its own. Pure functions. */

import { writeCsv } from "./csv.js";
import { pieces } from "./offsets.js";

/**
 * @typedef {import("./decisions.js").Decision} Decision
 * @typedef {{record: any, decisions: Decision[]}} Shown a document as the server answered, and what the page shows of it
 */

/** The document with its links. @param {Shown} shown */
export function linkedRecord({ record, decisions }) {
  const { map, ...rest } = record;
  return { ...rest, mentions: record.mentions.map((link, number) => linkRecord(link, decisions[number])) };
}

function linkRecord(link, { entity, reason, probability, corrected }) {
  const { explanation, types, description, ...rest } = link;
  const answer = { entity: entity?.id ?? null, label: entity?.label ?? null, probability, nil_reason: reason };
  return { ...rest, ...answer, ...(corrected ? { corrected: true } : {}) };
}

/** JSON of one document, or JSON lines of several. @param {Shown[]} all */
export function toJson(all) {
  const records = all.map(linkedRecord);
  return records.length === 1 ? `${JSON.stringify(records[0], null, 2)}\n` : records.map((each) => `${JSON.stringify(each)}\n`).join("");
}

/** One row per mention. @param {Shown[]} all */
export function toCsv(all) {
  const header = ["document", "text", "start", "end", "row", "col", "entity", "label", "probability", "nil_reason", "corrected"];
  const rows = all.flatMap((shown, number) => {
    const record = linkedRecord(shown);
    return record.mentions.map((link) => header.map((name) => (name === "document" ? (record.id ?? number) : link[name])));
  });
  return writeCsv([header, ...rows]);
}

/** A table with three columns more for each linked one. */
export function toTableCsv({ record, decisions }, columns) {
  const { header, rows } = record.table;
  const width = Math.max(header.length, ...rows.map((row) => row.length));
  const byCell = new Map(record.mentions.map((link, number) => [`${link.row} ${link.col}`, decisions[number]]));
  const title = (column) => header[column] || `column ${column + 1}`;
  const more = columns.flatMap((column) => ["_id", "_label", "_probability"].map((suffix) => title(column) + suffix));
  const answer = (row, column) => {
    const { entity, probability } = byCell.get(`${row} ${column}`) ?? {};
    return entity ? [entity.id, entity.label, probability === null ? "" : probability.toFixed(4)] : ["", "", ""];
  };
  const padded = (row) => Array.from({ length: width }, (_, column) => row[column] ?? "");
  return writeCsv([[...padded(header), ...more], ...rows.map((row, number) => [...padded(row), ...columns.flatMap((column) => answer(number, column))])]);
}

const STYLE = `body{font:18px/1.7 Charter,Georgia,serif;max-width:46rem;margin:3rem auto;padding:0 1rem;color:#1f2328;background:#fdfcfa}
pre{font:inherit;white-space:pre-wrap}mark{background:#d8ecee;border-bottom:2px solid #1f5f6b;color:inherit;border-radius:3px}
mark.nil{background:none;border-bottom:2px dashed #767676}table{border-collapse:collapse;font:14px/1.5 system-ui,sans-serif;width:100%}
td,th{text-align:start;padding:.3rem .6rem;border-bottom:1px solid #ddd;vertical-align:top;overflow-wrap:anywhere}
@media(prefers-color-scheme:dark){body{background:#16181b;color:#e9e6e1}mark{background:#20434a;color:inherit}td,th{border-color:#3a3e44}}`;

/** A web page that shows texts with their links, in one file. @param {Shown[]} all @param {string} title */
export function toHtml(all, title) {
  const parts = all.map((shown) => `<article>${htmlText(shown)}${htmlLinks(shown)}</article>`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escape(title)}</title><style>${STYLE}</style></head>
<body><h1 dir="auto">${escape(title)}</h1>
${parts.join("\n<hr>\n")}
</body></html>
`;
}

function htmlText({ record, decisions }) {
  if (!record.text) return "";
  const placed = record.mentions.flatMap((link, number) => (link.start === undefined ? [] : [{ start: link.start, end: link.end, number }]));
  const marked = pieces(record.text, placed).map(({ text, spans }) => {
    if (!spans.length) return escape(text);
    const { entity } = decisions[placed[spans[0]].number];
    return entity ? `<mark title="${escape(`${entity.label} (${entity.id})`)}">${escape(text)}</mark>` : `<mark class="nil" title="no link">${escape(text)}</mark>`;
  });
  return `<pre dir="auto">${marked.join("")}</pre>`;
}

function htmlLinks(shown) {
  const rows = linkedRecord(shown).mentions.map((link) => {
    const probability = link.probability === null ? "" : `${Math.round(link.probability * 100)}%`;
    return [link.text, link.label ?? "–", link.entity ?? link.nil_reason, link.corrected ? "corrected" : probability];
  });
  const cells = (row) => row.map((cell) => `<td dir="auto">${escape(String(cell ?? ""))}</td>`).join("");
  const head = "<tr><th>Name</th><th>Entity</th><th>Id</th><th>Probability</th></tr>";
  return `<table><thead>${head}</thead><tbody>${rows.map((row) => `<tr>${cells(row)}</tr>`).join("")}</tbody></table>`;
}

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Text that HTML takes for text. */
export function escape(text) {
  return text.replace(/[&<>"']/g, (letter) => ENTITIES[letter]);
}
