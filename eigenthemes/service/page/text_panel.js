/* The card of the text: to write it, to read it with its links, to go from one document to the next. */

import { button, count, el, show } from "./dom.js";
import { TextView, legendOf } from "./text_view.js";

/** Shows the text, written or linked. */
export class TextPanel {
  /**
   * @param {HTMLElement} root
   * @param {{link: (text: string) => void, file: (file: File) => void, select: (mention: number) => void,
   *          go: (document: number) => void, edit: () => void, exports: HTMLElement}} actions
   */
  constructor(root, actions) {
    this.root = root;
    this.actions = actions;
    this.input = el("textarea", { id: "text", rows: 9, dir: "auto", placeholder: "Paste a text here, or drop a file: text, JSON lines or CSV.",
      on: { keydown: (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.submit(); } } });
    this.samples = el("div", { class: "buttons samples" });
    this.text = el("div", { class: "text", dir: "auto", role: "group", "aria-label": "Text with its names", lang: "" });
    this.view = new TextView(this.text, actions.select);
    this.legend = el("div");
    this.summary = el("p", { class: "quiet" });
    this.pager = el("span", { class: "buttons" });
    this.edit();
  }

  submit() {
    this.actions.link(this.input.value);
  }

  /** Show texts to try. @param {{title: string, text: string}[]} samples */
  showSamples(samples) {
    const choose = (text) => () => { this.input.value = text; this.submit(); };
    show(this.samples, samples.length ? el("span", { class: "quiet" }, "Or try: ") : null, ...samples.map(({ title, text }) => button(title, choose(text), { class: "chip", dir: "auto", title: text.slice(0, 200) })));
  }

  /** Let people write. */
  edit() {
    this.reading = false;
    const file = el("input", { type: "file", id: "file", accept: ".txt,.md,.json,.jsonl,.ndjson,.csv,.tsv,text/*", class: "sr", on: { change: () => file.files[0] && this.actions.file(file.files[0]) } });
    show(
      this.root,
      el("label", { for: "text", class: "title" }, "Text"),
      this.input,
      el("div", { class: "buttons" }, button("Link", () => this.submit(), { class: "primary" }), el("label", { for: "file", class: "as-button" }, "Open a file"), file),
      this.samples,
    );
  }

  /** Show a document that was linked. */
  read(document, links, number, total) {
    this.reading = true;
    const back = button("Edit the text", () => { this.actions.edit(); this.edit(); this.input.focus(); }, { class: "plain" });
    show(this.root, el("div", { class: "card-head" }, el("h2", {}, document.id === undefined || total === 1 ? "Text" : String(document.id)), this.pager, back),
      this.text, this.legend, this.summary, el("div", { class: "buttons" }, this.actions.exports));
    this.showPager(number, total);
    this.view.show(document, links);
  }

  showPager(number, total) {
    const go = (to, label, sign) => button(sign, () => this.actions.go(to), { class: "plain", "aria-label": label, disabled: to < 0 || to >= total });
    show(this.pager, ...(total > 1 ? [go(number - 1, "Previous document", "‹"), el("span", { class: "quiet" }, `${number + 1} of ${total}`), go(number + 1, "Next document", "›")] : []));
  }

  /** Show what is linked how. */
  paint({ decisions, links, palette, selected }) {
    this.view.paint(decisions, links, palette.colorOf, selected);
    const linked = decisions.filter(({ entity }) => entity).length;
    show(this.legend, links.length ? legendOf(palette.legend, links.length - linked) : null);
    this.summary.textContent = links.length
      ? `${count(links.length, "name")} found, ${linked} linked. Click one, or go with Tab and the arrow keys.`
      : "No name of this knowledge graph was found in the text. Try another text, or another knowledge graph.";
  }
}
