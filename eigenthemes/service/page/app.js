/* The page: what people do on the left, what becomes of it on the right. Views draw; this file decides what is drawn when. */

import { Problem, getCorrections, getInfo, getSamples, postCorrections, postExplain, postLink, postTable } from "./api.js";
import { CandidatesPanel } from "./candidates_panel.js";
import { Corrections, jsonLines } from "./corrections.js";
import { CorrectionsView } from "./corrections_view.js";
import { button, count, el, show } from "./dom.js";
import { EdgesView } from "./edges_view.js";
import { toCsv, toHtml, toJson, toTableCsv } from "./export.js";
import { acceptFiles, contentOf, download, textOf } from "./files.js";
import { MapView } from "./map_view.js";
import { OptionsBar } from "./options_bar.js";
import { Session } from "./session.js";
import { busy, say, showProblem, stop } from "./status.js";
import { TableView } from "./table_view.js";
import { TextPanel } from "./text_panel.js";

const TOP = 20; // candidates of each mention
const LONG = 20_000; // letters from which on reasons are asked for one by one
const TOGETHER = 8; // documents of a file in one request

const at = (id) => document.getElementById(id);

class Page {
  constructor(info) {
    this.info = info;
    /** @type {{text: Session|null, table: Session|null}} */
    this.sessions = { text: null, table: null };
    this.mode = "text";
    const select = (mention) => this.select(mention);
    this.options = new OptionsBar(at("options"), (change) => this.onOption(change));
    this.text = new TextPanel(at("panel-text"), { link: (text) => this.linkText(text), file: (file) => this.open(file), select, go: (to) => this.go(to), edit: () => this.edit(), exports: this.exports() });
    this.table = new TableView(at("panel-table"), { select, link: () => this.linkTable(), file: (file) => this.open(file), exports: this.exports() });
    this.panel = new CandidatesPanel(at("candidates"), { select, correct: (answer) => this.correct(answer), undo: () => this.undo() });
    this.map = new MapView(at("map"), select);
    this.edges = new EdgesView(at("edges"), (support) => this.selectSupporter(support));
    this.kept = new CorrectionsView(at("corrections"), { download: () => this.downloadGold(), send: () => this.send(), clear: () => this.clear(), confirm: () => this.confirmRest(), drop: (item) => this.drop(item) });
    acceptFiles(at("drop-hint"), (file) => this.open(file));
    at("cancel").addEventListener("click", stop);
    addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.session && this.session.selected !== null) this.select(null);
    });
    this.wireTabs();
    this.wireKbs();
    show(at("footer"), `eigenthemes ${info.version} · nothing on this page leaves this server`);
  }

  get session() {
    return this.sessions[this.mode];
  }

  // which KB, which tab

  wireKbs() {
    const chooser = at("kb");
    show(chooser, ...this.info.kbs.map(({ name }) => el("option", { value: name }, name)));
    at("kb-chooser").hidden = this.info.kbs.length < 2;
    chooser.addEventListener("change", () => this.useKb(chooser.value));
    this.useKb(this.info.kbs[0].name);
  }

  useKb(name) {
    this.kb = this.info.kbs.find((kb) => kb.name === name);
    const { entities, edges } = this.kb.counts;
    at("kb-about").textContent = `${this.info.kbs.length > 1 ? "" : `${name}: `}${count(entities, "entity", "entities")}, ${count(edges, "edge")}`;
    this.corrections = new Corrections(name);
    this.options.show(this.kb);
    this.countAtServer();
    getSamples(name).then((samples) => this.text.showSamples(samples), () => this.text.showSamples([]));
    this.relink();
  }

  wireTabs() {
    const tabs = { text: at("tab-text"), table: at("tab-table") };
    for (const [mode, tab] of Object.entries(tabs)) {
      tab.addEventListener("click", () => this.turnTo(mode));
      tab.addEventListener("keydown", (event) => {
        if (!["ArrowLeft", "ArrowRight"].includes(event.key)) return;
        const other = mode === "text" ? "table" : "text";
        this.turnTo(other);
        tabs[other].focus();
      });
    }
  }

  turnTo(mode) {
    this.setTab(mode);
    this.draw();
  }

  setTab(mode) {
    this.mode = mode;
    for (const each of ["text", "table"]) {
      at(`panel-${each}`).hidden = each !== mode;
      at(`tab-${each}`).setAttribute("aria-selected", String(each === mode));
      at(`tab-${each}`).tabIndex = each === mode ? 0 : -1;
    }
  }

  // linking

  linkText(text) {
    if (!text.trim()) return showProblem(new Problem("There is no text yet.", "Paste one, drop a file, or try a sample."));
    return this.linkDocuments([{ text: text.toWellFormed?.() ?? text }]);
  }

  async linkDocuments(documents) {
    const session = new Session("text", documents);
    const done = await busy("Linking …", (signal, tell) => this.ask(session, signal, tell), () => this.linkDocuments(documents));
    if (!session.records.length || (done === undefined && !session.record)) return;
    this.sessions.text = session;
    this.setTab("text");
    this.showDocument();
  }

  /** Ask for the links of all documents of a session, some at a time. */
  async ask(session, signal, tell) {
    const { documents } = session;
    const long = documents.some((each) => (each.text ?? "").length > LONG);
    const options = { ...this.options.query(), top: long ? 5 : TOP, types: true, map: true, ...(this.options.facts().explain && !long ? { explain: true } : {}) };
    for (let first = 0; first < documents.length; first += TOGETHER) {
      if (documents.length > TOGETHER) tell(`Linking ${count(documents.length, "document")}: ${first} done …`);
      const part = documents.slice(first, first + TOGETHER);
      const body = documents.length === 1 ? part[0] : part;
      const answer = await postLink(this.kb.name, body, options, signal);
      session.records.push(...(documents.length === 1 ? [answer] : answer));
    }
    return true;
  }

  async linkTable() {
    const request = this.table.request();
    const options = { ...this.options.query(), top: 10, types: true, ...(this.options.facts().explain && request.table.rows.length <= 500 ? { explain: true } : {}) };
    delete options.nested;
    const answer = await busy("Linking the table …", (signal) => postTable(this.kb.name, request, options, signal), () => this.linkTable());
    if (!answer) return;
    const session = new Session("table", [answer]);
    session.records = [answer];
    this.sessions.table = session;
    this.draw();
    this.tellCount();
  }

  /** Link again what is shown: another method, another KB. */
  relink() {
    this.draw();
    if (this.mode === "table" && this.sessions.table) return this.linkTable();
    this.sessions.table = null;
    if (this.sessions.text) return this.linkDocuments(this.sessions.text.documents);
    return undefined;
  }

  onOption(change) {
    if (change === "request") this.relink();
    else this.draw();
  }

  /** Read a file that was dropped or opened. */
  async open(file) {
    const most = this.info.limits?.body_bytes ?? Infinity;
    try {
      if (file.size > most) throw new Problem(`The file has ${count(file.size, "byte")}.`, `The server takes ${count(most, "byte")} at once: use eigenthemes link, or link-table, for large files.`);
      const content = contentOf(file.name, textOf(file.name, await file.arrayBuffer()));
      if (content.kind === "text") this.text.input.value = content.text;
      if (content.kind === "table") {
        this.sessions.table = null;
        this.table.use(content.table);
        this.turnTo("table");
      } else await this.linkDocuments(content.kind === "text" ? [{ text: content.text }] : content.documents);
    } catch (error) {
      showProblem(error);
    }
  }

  // what is shown

  showDocument() {
    const { session } = this;
    session.selected = null;
    this.text.read(session.record, session.links, session.current, session.records.length);
    this.draw();
    this.tellCount();
  }

  tellCount() {
    const { decisions } = this.session.shown(this.options.rule(), this.corrections);
    say(`${count(decisions.length, "name")} found, ${decisions.filter(({ entity }) => entity).length} linked.`);
  }

  go(to) {
    this.session.current = to;
    this.showDocument();
  }

  edit() {
    this.sessions.text = null;
    this.draw();
  }

  select(mention) {
    const { session } = this;
    const before = session.selected;
    session.selected = mention;
    this.draw();
    if (mention === null) {
      if (session.kind === "text" && before !== null) this.text.view.focus(before);
      return;
    }
    say(`${session.links[mention].text}: ${count(session.links[mention].ranking.length, "candidate")}.`);
    this.explainLate(session, mention);
  }

  /** Open the name that supports the open one; where rows or columns are decided apart, it is counted among those. */
  selectSupporter({ mention, text }) {
    const { links, selected, record } = this.session;
    const open = links[selected];
    const together = { row: (link) => link.row === open.row, column: (link) => link.col === open.col }[record.context];
    const own = together ? links.filter(together)[mention] : links[mention];
    if (own?.text === text) this.select(links.indexOf(own));
  }

  /** Ask for the reasons of a mention of a long text when it is opened. */
  async explainLate(session, mention) {
    const link = session.links[mention];
    if (link.explanation || !this.options.facts().explain || session.kind !== "text" || !link.ranking.length) return;
    try {
      link.explanation = await postExplain(this.kb.name, session.document, mention, this.options.query());
      if (this.session === session && session.selected === mention) this.draw();
    } catch (error) {
      showProblem(error);
    }
  }

  /** Draw everything that depends on links, options and corrections. */
  draw() {
    const { session } = this;
    const has = Boolean(session?.record);
    const shown = has ? session.shown(this.options.rule(), this.corrections) : null;
    if (has && session.kind === "text") this.text.paint(shown);
    if (this.mode === "table" && this.table.table) this.table.paint(shown);
    this.drawOpened(shown);
    this.drawMap(shown);
    const canConfirm = has && shown.decisions.some(({ entity, corrected }) => entity && !corrected);
    this.kept.show(this.corrections, this.kb.name, { canSend: this.info.corrections, canConfirm, atServer: this.atServer });
  }

  drawOpened(shown) {
    const { session } = this;
    const number = shown?.selected ?? null;
    const link = number === null ? null : session.links[number];
    const overlapping = number !== null && session.kind === "text" ? this.text.view.overlapping(number) : [];
    const waiting = link && !link.explanation && this.options.facts().explain;
    this.panel.show(link && { kb: this.kb.name, link, number, total: session.links.length, decision: shown.decisions[number], rule: this.options.rule(), overlapping, links: session.links, waiting });
    const explanation = link?.explanation ?? null;
    this.edges.show(explanation);
  }

  drawMap(shown) {
    const { session } = this;
    at("map").hidden = this.mode === "table"; // a table may be many documents
    if (!shown || session.record.map === undefined) return this.map.clear("Link a text to see where its candidates lie.");
    return this.map.show(session.record.map, shown.links, shown.decisions, shown.colorOf, shown.selected, session.details(shown.decisions));
  }

  // corrections

  correct(answer) {
    const { session } = this;
    this.keep(this.corrections.set(session.key(), session.content(), session.links[session.selected], answer));
    say("Corrected.");
  }

  undo() {
    const { session } = this;
    this.corrections.drop(session.key(), session.links[session.selected]);
    this.keep(true);
    say("The correction is forgotten.");
  }

  drop(item) {
    this.corrections.drop(item.document, item.mention);
    this.keep(true);
  }

  clear() {
    if (!confirm(`Forget ${count(this.corrections.items.length, "correction")} of ${this.kb.name}?`)) return;
    this.corrections.clear();
    this.keep(true);
  }

  /** Ask how many corrections the server keeps, where it does. */
  async countAtServer() {
    this.atServer = null;
    if (!this.info.corrections) return;
    try {
      this.atServer = await getCorrections(this.kb.name);
      this.draw();
    } catch {
      // then it is not said
    }
  }

  /** Take every link that is shown for right, so that the names of a document can support each other in training. */
  confirmRest() {
    const { session } = this;
    const { decisions } = session.shown(this.options.rule(), this.corrections);
    let kept = true;
    decisions.forEach(({ entity, corrected }, number) => {
      if (!entity || corrected) return;
      const { id, label, types, description } = entity;
      kept = this.corrections.set(session.key(), session.content(), session.links[number], { gold: [id], label, types, description }) && kept;
    });
    this.keep(kept);
    say("All links of this document are taken for right.");
  }

  keep(kept) {
    if (!kept) showProblem(new Problem("The browser has no room for more corrections.", "Download them as gold, then forget them here."));
    this.draw();
  }

  downloadGold() {
    download("corrections.jsonl", jsonLines(this.corrections.gold()), "application/jsonl");
  }

  async send() {
    const changed = new Set(this.corrections.items.filter((item) => !item.sent).map((item) => item.document));
    const documents = this.corrections.gold((item) => changed.has(item.document)); // whole: training replaces what a document said
    const answer = await busy("Sending …", () => postCorrections(this.kb.name, documents), () => this.send());
    if (!answer) return;
    this.corrections.markSent();
    this.countAtServer();
    say(`The server has stored ${count(answer.stored, "document")}.`);
    this.draw();
  }

  // files out

  exports() {
    const all = () => this.session.all(this.options.rule(), this.corrections);
    const title = () => `Links to ${this.kb.name}`;
    const files = {
      JSON: () => download(this.session.records.length === 1 ? "links.json" : "links.jsonl", toJson(all()), "application/json"),
      CSV: () => this.downloadCsv(all()),
      HTML: () => download("links.html", toHtml(all(), title()), "text/html"),
    };
    return el("span", { class: "buttons exports", role: "group", "aria-label": "Download" }, el("span", { class: "quiet" }, "Download"), ...Object.entries(files).map(([kind, action]) => button(kind, action, { class: "small" })));
  }

  downloadCsv(all) {
    if (this.session.kind === "text") return download("links.csv", toCsv(all), "text/csv");
    const columns = [...new Set(this.session.links.map((link) => link.col))].sort((one, other) => one - other);
    return download("table.csv", toTableCsv(all[0], columns), "text/csv");
  }
}

/** Start when the server says what it serves. */
async function start() {
  const info = await busy("Asking the server what it serves …", () => getInfo(), start);
  if (info) new Page(info);
}

start();
