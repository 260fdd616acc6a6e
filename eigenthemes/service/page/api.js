/* The requests the page makes, each one function; errors are sentences. */

/** What went wrong, and what to do about it. */
export class Problem extends Error {
  /** @param {string} sentence @param {string} remedy @param {number} status */
  constructor(sentence, remedy = "", status = 0) {
    super(sentence);
    this.remedy = remedy;
    this.status = status;
  }
}

const token = new URLSearchParams(location.search).get("token");

/** @returns {Promise<any>} the KBs, their methods, and what the server takes */
export const getInfo = () => ask("info");

/** @returns {Promise<{title: string, text: string}[]>} */
export const getSamples = (kb) => ask("samples", { kb });

/** Link a document or a list of them. @returns {Promise<any>} */
export const postLink = (kb, body, options, signal) => ask("link", { kb, ...options }, { body, signal });

/** Link cells of a table. @returns {Promise<any>} */
export const postTable = (kb, body, options, signal) => ask("link-table", { kb, ...options }, { body, signal });

/** @returns {Promise<any>} why a mention of a document was linked as it was */
export const postExplain = (kb, document, mention, options) => ask("explain", { kb, ...options }, { body: { document, mention } });

/** @returns {Promise<{id: string, label: string, description: string, types: string[]}[]>} */
export const getSearch = (kb, q, signal) => ask("search", { kb, q, top: 8 }, { signal });

/** @returns {Promise<{count: number, mentions: number}>} the documents and mentions that the server keeps */
export const getCorrections = (kb) => ask("corrections", { kb });

/** @returns {Promise<{stored: number}>} */
export const postCorrections = (kb, documents) => ask("corrections", { kb }, { body: documents });

async function ask(path, query = {}, { body, signal } = {}) {
  const url = new URL(path, document.baseURI);
  url.search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== null && value !== undefined));
  const headers = { ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  let response;
  try {
    response = await fetch(url, { method: body === undefined ? "GET" : "POST", headers, body: JSON.stringify(body), signal });
    if (response.ok) return await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem("The server does not answer.", "Is eigenthemes serve still running? Then try again.");
  }
  throw await problemOf(response);
}

async function problemOf(response) {
  let record = {};
  try {
    record = (await response.json()) ?? {};
  } catch {
    // not one of ours: a proxy in between, perhaps
  }
  const { detail, remedy } = record;
  if (response.status === 401) return new Problem("The server asks for a token.", "Open the page with ?token=… at the end of its address.", 401);
  if (!detail) return new Problem(`The server answered with ${response.status} ${response.statusText}.`, "Try again.", response.status);
  const told = remedy && detail.endsWith(remedy) ? detail.slice(0, -remedy.length).replace(/;\s*$/, "") : detail;
  return new Problem(sentence(told), remedy ? sentence(remedy) : "", response.status);
}

function sentence(words) {
  const text = words.trim();
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? "" : ".");
}
