/* How to link: the method, its threshold or number of eigenthemes, nested names, NIL. */

import { button, el, percent, redraw } from "./dom.js";

const METHODS = {
  selftrained: "Self-trained ranker",
  eigen: "Eigenthemes",
  "eigen-unweighted": "Eigenthemes, unweighted",
  average: "Average vector",
  "average-unweighted": "Average vector, unweighted",
  degree: "Most popular",
  namematch: "Name match",
  "prior-name": "Popularity × name",
  "local-context": "Words near the name",
  "global-context": "Words of the document",
};

/** Shows the options, and tells when they change. */
export class OptionsBar {
  /**
   * @param {HTMLFormElement} root
   * @param {(changed: "request"|"decision") => void} onChange "request": the server must be asked again
   */
  constructor(root, onChange) {
    this.root = root;
    this.onChange = onChange;
    root.addEventListener("submit", (event) => event.preventDefault());
  }

  /** Show what a KB is ready for. @param {any} kb */
  show(kb) {
    this.kb = kb;
    this.values = { method: kb.default_method, threshold: null, k: null, nested: false, nil: true };
    this.method = el("select", { id: "method", on: { change: () => this.setMethod(this.method.value) } },
      ...kb.methods.map(({ name }) => el("option", { value: name }, METHODS[name] ?? name)));
    this.method.value = this.values.method;
    this.draw();
  }

  draw() {
    const { threshold, k } = this.facts();
    redraw(
      this.root,
      el("label", {}, "Method ", this.method),
      threshold ? this.thresholdControl() : null,
      k ? this.themesControl() : null,
      this.flag("nested", "Names within names", "request"),
      this.flag("nil", "May be unlinked", "decision"),
    );
  }

  /** What the chosen method can be told. */
  facts() {
    return this.kb.methods.find(({ name }) => name === this.values.method) ?? {};
  }

  setMethod(method) {
    Object.assign(this.values, { method, threshold: null, k: null });
    this.draw();
    this.onChange("request");
  }

  thresholdControl() {
    const own = this.kb.threshold ?? 0;
    const output = el("output", { for: "threshold" });
    const reset = button("Reset", () => set(null), { class: "link small", "aria-label": "Reset the threshold to the trained one" });
    const tell = () => {
      const { threshold } = this.values;
      output.textContent = threshold === null ? "as trained" : percent(threshold);
      reset.hidden = threshold === null;
      slider.setAttribute("aria-valuetext", output.textContent);
    };
    const set = (value) => {
      this.values.threshold = value;
      if (value === null) slider.value = own;
      tell();
      this.onChange("decision");
    };
    const slider = el("input", { type: "range", id: "threshold", min: 0, max: 1, step: 0.01, on: { input: () => set(Number(slider.value)) } });
    slider.value = this.values.threshold ?? own;
    tell();
    return el("span", { class: "option" }, el("label", { for: "threshold" }, "Threshold"), slider, output, reset);
  }

  themesControl() {
    const input = el("input", { type: "number", id: "themes", min: 1, max: 1000, step: 1, placeholder: "10", on: { change: () => this.setThemes(input) } });
    input.value = this.values.k ?? "";
    return el("label", {}, "Eigenthemes (k) ", input);
  }

  setThemes(input) {
    if (!input.checkValidity()) return void input.reportValidity();
    this.values.k = input.value === "" ? null : Number(input.value);
    this.onChange("request");
  }

  flag(name, label, change) {
    const box = el("input", { type: "checkbox", id: name, on: { change: () => { this.values[name] = box.checked; this.onChange(change); } } });
    box.checked = this.values[name];
    return el("label", {}, box, ` ${label}`);
  }

  /** The rule that decisions of the page follow. */
  rule() {
    return { threshold: this.values.threshold, nil: this.values.nil, probabilities: Boolean(this.facts().explain) };
  }

  /** What a request says. */
  query() {
    const { method, k, nested } = this.values;
    return { method, ...(k ? { k } : {}), ...(nested ? { nested } : {}) };
  }
}
