/* Files that people drop: a text, documents as JSON or JSON lines, or a table. */

import { Problem } from "./api.js";
import { parseCsv } from "./csv.js";

/**
 * Read what a file holds, from its name and its first letters.
 * @param {string} fileName @param {string} content
 * @returns {{kind: "text", text: string} | {kind: "documents", documents: any[]} | {kind: "table", table: any}}
 */
export function contentOf(fileName, content) {
  if (/\.(csv|tsv)$/i.test(fileName)) return { kind: "table", table: parseCsv(content) };
  if (/\.(jsonl|ndjson|json)$/i.test(fileName) || /^\ufeff?\s*\{\s*"/.test(content)) {
    const documents = documentsOf(content.replace(/^\ufeff/, ""));
    const table = documents.length === 1 && documents[0].table;
    return table ? { kind: "table", table: { header: table.header ?? [], rows: table.rows } } : { kind: "documents", documents };
  }
  return { kind: "text", text: content.replace(/^\ufeff/, "") };
}

/**
 * Decode the bytes of a file: UTF-8 or UTF-16, else Windows-1252, as spreadsheets of Western Europe are saved.
 * @param {string} fileName @param {ArrayBuffer} buffer
 */
export function textOf(fileName, buffer) {
  const bytes = new Uint8Array(buffer);
  const begins = (...values) => values.every((value, place) => bytes[place] === value);
  if (begins(0x50, 0x4b, 3, 4) || begins(0xd0, 0xcf, 0x11, 0xe0)) {
    throw new Problem(`${fileName} is a spreadsheet or an archive, not a text.`, "Save it as CSV, or use eigenthemes link-table.");
  }
  if (begins(0xff, 0xfe) || begins(0xfe, 0xff)) return new TextDecoder(bytes[0] === 0xff ? "utf-16le" : "utf-16be").decode(bytes);
  if (bytes.subarray(0, 4096).includes(0)) throw new Problem(`${fileName} is not a text.`, "Drop a text, JSON lines or CSV.");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

function documentsOf(content) {
  const whole = parsed(content);
  if (whole !== undefined) return (Array.isArray(whole) ? whole : [whole]).map(documentOf);
  const lines = content.split("\n").map((line, number) => [line, number + 1]).filter(([line]) => line.trim() !== "");
  return lines.map(([line, number]) => {
    const record = parsed(line);
    if (record === undefined) throw new Problem(`Line ${number} of the file is not JSON.`, "Drop JSON lines, CSV or plain text.");
    return documentOf(record);
  });
}

function documentOf(record) {
  if (typeof record === "string") return { text: record };
  if (record && typeof record === "object" && (record.text || record.mentions || record.table)) return record;
  throw new Problem("The file has a record without text or mentions.", 'Each needs "text", "table" or "mentions".');
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Let people drop files anywhere on the page.
 * @param {HTMLElement} hint shown while a file is above the page
 * @param {(file: File) => void} onFile
 */
export function acceptFiles(hint, onFile) {
  const hasFile = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  addEventListener("dragover", (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    hint.hidden = false;
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) hint.hidden = true;
  });
  addEventListener("drop", (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    hint.hidden = true;
    const [file] = event.dataTransfer.files;
    if (file) onFile(file);
  });
}

/** Give people a file. */
export function download(fileName, content, type) {
  const url = URL.createObjectURL(new Blob([content], { type: `${type};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
