/* The corrections: how many there are, what training makes of them, and the ways out of the browser. */

import { button, count, el, name, redraw } from "./dom.js";

const FEW = 20; // mentions from which on training fits its weights: ENOUGH of selftrain/corrections.py
const FOLDS = 5; // documents from which on training measures what was gained

/** Say what training would make of them. @param {{corrections: number, documents: number}} counts */
export function needs({ corrections, documents }) {
  if (!corrections) return "Open a name, and say what it means: your answers train the ranker.";
  const more = corrections < FEW ? ` From ${FEW} names on it also fits its weights.` : "";
  const measured = documents < FOLDS ? ` With ${count(FOLDS - documents, "document")} more it also tells what was gained.` : " It will also tell what was gained.";
  return `Training remembers them.${more}${measured}`;
}

/** Shows the corrections of a KB. */
export class CorrectionsView {
  /**
   * @param {HTMLElement} root
   * @param {{download: () => void, send: () => void, clear: () => void, confirm: () => void, drop: (item: any) => void}} actions
   */
  constructor(root, actions) {
    this.root = root;
    this.actions = actions;
  }

  /** @param {import("./corrections.js").Corrections} corrections */
  show(corrections, kb, { canSend, canConfirm, atServer }) {
    const counts = corrections.counts();
    const { corrections: all, documents, unsent } = counts;
    const none = all === 0;
    const told = none ? "No corrections yet." : `${count(all, "correction")} in ${count(documents, "document")}, kept in this browser.`;
    const open = this.root.querySelector("details")?.open ?? false;
    redraw(
      this.root,
      el("h2", { id: "corrections-title" }, "Corrections"),
      el("p", { "aria-live": "polite" }, told, " ", el("span", { class: "quiet" }, needs(counts))),
      el("div", { class: "buttons" },
        canConfirm ? button("All other links here are right", this.actions.confirm) : null,
        button("Download as gold", this.actions.download, { disabled: none }),
        canSend ? button(unsent || none ? `Send ${unsent || ""} to the server`.replace("  ", " ") : "✓ Sent", this.actions.send, { disabled: !unsent }) : null,
        none ? null : button("Forget all", this.actions.clear, { class: "plain" })),
      atServer?.count ? el("p", { class: "quiet" }, `The server keeps ${count(atServer.mentions, "correction")} in ${count(atServer.count, "document")}.`) : null,
      none ? null : el("p", { class: "quiet" }, "Then: ", el("code", {}, `eigenthemes train ${kb}.kb corrections.jsonl`)),
      none ? null : this.list(corrections.items, open),
    );
  }

  list(items, open) {
    const shown = items.slice(-100).reverse();
    const rows = shown.map((item) => {
      const meaning = item.gold.length ? name(item.label ?? item.gold[0], {}, 60) : item.notName ? "not a name" : "none";
      const drop = button("×", () => this.actions.drop(item), { class: "plain small", "aria-label": `Forget the correction of ${item.mention.text.slice(0, 60)}` });
      return el("li", {}, name(item.mention.text, {}, 60), " → ", meaning, " ", drop);
    });
    return el("details", { open }, el("summary", {}, "Show them"), el("ul", { class: "plain-list" }, ...rows));
  }
}
