/* CSV in and out (RFC 4180), with commas, semicolons or tabs. */

const DELIMITERS = [",", ";", "\t"];

/**
 * Parse CSV. The delimiter is the one that cuts the first lines into most cells of the same number.
 * @param {string} text
 * @returns {{header: string[], rows: string[][], delimiter: string}}
 */
export function parseCsv(text) {
  const clean = text.replace(/^\ufeff/, "");
  const delimiter = sniff(clean.slice(0, 10_000));
  const [header = [], ...rows] = records(clean, delimiter).filter((row) => row.length > 1 || row[0] !== "");
  return { header, rows, delimiter };
}

function sniff(text) {
  const regular = DELIMITERS.map((delimiter) => {
    const widths = records(text, delimiter).slice(0, 20).map((row) => row.length);
    return widths[0] > 1 ? widths.filter((width) => width === widths[0]).length * widths[0] : 0;
  });
  return DELIMITERS[regular.indexOf(Math.max(...regular))];
}

function records(text, delimiter) {
  const rows = [];
  let row = [], cell = "", quoted = false;
  const endCell = () => { row.push(cell); cell = ""; };
  const endRow = () => { endCell(); rows.push(row); row = []; };
  for (let i = 0; i < text.length; i++) {
    const letter = text[i];
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (text[i + 1] === '"') { cell += '"'; i++; } else quoted = false;
    } else if (letter === '"' && cell === "") quoted = true;
    else if (letter === delimiter) endCell();
    else if (letter === "\n") endRow();
    else if (letter !== "\r" || text[i + 1] !== "\n") cell += letter;
  }
  if (cell !== "" || row.length) endRow();
  return rows;
}

/** Write rows as CSV. @param {(string|number|null)[][]} rows */
export function writeCsv(rows, delimiter = ",") {
  const special = new RegExp(`["\\r\\n${delimiter === "\t" ? "\\t" : delimiter}]`);
  const quote = (value) => {
    const cell = value === null || value === undefined ? "" : String(value);
    return special.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
  };
  return rows.map((row) => row.map(quote).join(delimiter)).join("\r\n") + "\r\n";
}
