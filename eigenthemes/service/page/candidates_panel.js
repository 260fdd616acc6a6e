/* One mention, opened: what it may mean, how probable that is, why, and the ways to correct it. */

import { getSearch } from "./api.js";
import { reasonInWords } from "./decisions.js";
import { bar, button, count, el, later, name, percent, redraw, show } from "./dom.js";

const FIRST = 5; // candidates shown before one asks for more

const MATCHES = {
  label: "exact name",
  alias: "one of its other names",
  "label but for brackets or commas": "exact name but for brackets or commas",
  initials: "its name with initials",
  acronym: "an acronym of its name",
  "contains all words": "part of its name",
  "same core": "its name but for small words, titles or legal forms",
  "other form": "its name in another form",
  "similar spelling": "its name in another spelling",
  remembered: "no name of it in the KG, but linked so before",
  "shares words": "some words of its name",
};

/** Shows the candidates of one mention. */
export class CandidatesPanel {
  /**
   * @param {HTMLElement} root
   * @param {{select: (mention: number|null) => void, correct: (answer: any) => void, undo: () => void}} actions
   */
  constructor(root, actions) {
    this.root = root;
    this.actions = actions;
    this.search = this.makeSearch();
  }

  /**
   * Show a mention; null closes the panel.
   * @param {{kb: string, link: any, number: number, total: number, decision: any, rule: any, overlapping: number[], links: any[]}|null} opened
   */
  show(opened) {
    const other = opened?.link !== this.opened?.link;
    this.opened = opened;
    this.root.hidden = !opened;
    if (!opened) return;
    if (other) {
      this.all = false;
      this.search.clear();
    }
    redraw(this.root, this.head(), this.overlaps(), this.verdict(), this.why(), this.candidates(), this.corrections());
  }

  head() {
    const { link, number, total } = this.opened;
    const go = (to, label, sign) => button(sign, () => this.actions.select(to), { class: "plain", "aria-label": label, disabled: to < 0 || to >= total });
    return el(
      "div",
      { class: "card-head" },
      el("h2", { id: "candidates-title" }, "“", name(link.text, {}, 120), "”"),
      el("span", { class: "buttons" }, go(number - 1, "Previous name", "‹"), el("span", { class: "quiet" }, `${number + 1} of ${total}`), go(number + 1, "Next name", "›"),
        button("×", () => this.actions.select(null), { class: "plain", "aria-label": "Close" })),
    );
  }

  /** Other names that share letters with this one. */
  overlaps() {
    const { overlapping, number, links } = this.opened;
    if (overlapping.length < 2) return null;
    const others = overlapping.filter((each) => each !== number);
    return el("p", { class: "quiet" }, "Here, too: ", ...others.map((each) => button(name(links[each].text, {}, 60), () => this.actions.select(each), { class: "chip" })));
  }

  verdict() {
    const { decision } = this.opened;
    const { entity, reason, probability, corrected } = decision;
    const mark = corrected ? el("span", { class: "badge" }, "✓ corrected by you") : null;
    if (!entity) return el("p", { class: "verdict" }, el("strong", {}, "Not linked"), `: ${reasonInWords(reason)}. `, mark);
    const sure = probability === null ? "" : `, ${percent(probability)}`;
    return el("p", { class: "verdict" }, "Linked to ", name(entity.label, { class: "strong" }, 120), `${sure}. `, mark);
  }

  /** Why, in words: the server's, unless the slider has decided otherwise. */
  why() {
    const { link, decision, rule } = this.opened;
    if (decision.corrected) return null;
    if (decision.changed) return el("p", { class: "why" }, this.ownWords(link, decision, rule));
    const sentence = link.explanation?.sentence;
    if (!sentence) return this.opened.waiting ? el("p", { class: "why quiet" }, "Looking for the reasons …") : null;
    return el("p", { class: "why", dir: "auto" }, sentence.slice(sentence.indexOf(" -> ") + 4).replace(/^./, (letter) => letter.toUpperCase()));
  }

  ownWords(link, decision, rule) {
    const best = percent(link.ranking[0]?.score ?? 0);
    if (!rule.nil) return "The best candidate is always linked, as you asked.";
    if (decision.entity) return `Its probability of ${best} is not below the threshold of ${percent(rule.threshold)} that you chose.`;
    return `The best candidate has ${best}, which is below the threshold of ${percent(rule.threshold)} that you chose.`;
  }

  candidates() {
    const { link } = this.opened;
    if (!link.ranking.length) return el("p", { class: "empty" }, "There are no candidates. Search for the right entity below.");
    const shown = this.all ? link.ranking : link.ranking.slice(0, FIRST);
    const hidden = link.ranking.length - shown.length;
    const more = hidden ? button(`Show ${count(hidden, "more candidate")}`, () => { this.all = true; this.show(this.opened); }, { class: "link" }) : null;
    return el("div", {}, el("ol", { class: "candidates", "aria-label": "Candidates" }, ...shown.map((each) => this.candidate(each))), more);
  }

  candidate(candidate) {
    const { decision, rule } = this.opened;
    const chosen = decision.entity?.id === candidate.id;
    const figure = rule.probabilities ? percent(candidate.score) : candidate.score.toPrecision(3);
    const share = rule.probabilities ? candidate.score : this.relative(candidate.score);
    const label = chosen ? (decision.corrected ? "✓ Your answer" : "This is right") : "Choose this";
    return el(
      "li",
      { class: chosen ? "candidate chosen" : "candidate", "aria-current": chosen ? "true" : null },
      el("div", { class: "candidate-head" }, el("span", { class: "candidate-name" }, name(candidate.label, { class: "strong" }, 160), ...types(candidate)), bar(share), el("span", { class: "figure" }, figure)),
      candidate.description ? el("p", { class: "description", dir: "auto" }, name(candidate.description, {}, 240)) : null,
      el("p", { class: "candidate-foot" }, identity(candidate.id), el("span", { class: "quiet" }, this.note(candidate.id)),
        button(label, () => this.actions.correct(answerOf(candidate)), { class: "small", "aria-label": `${label}: ${candidate.label.slice(0, 80)}`, disabled: chosen && decision.corrected })),
    );
  }

  /** A score beside the best one, for methods without probabilities. */
  relative(score) {
    const [first] = this.opened.link.ranking;
    return first.score > 0 ? Math.max(0, score / first.score) : 0;
  }

  /** What is known of a candidate beside its probability. */
  note(id) {
    const explanation = this.opened.link.explanation;
    const told = [explanation?.best, explanation?.runner_up, explanation?.more_popular].find((each) => each?.id === id);
    if (!told) return "";
    const popular = id === explanation.more_popular?.id ? "more popular" : "";
    const linked = told.connected ? "connected to other names here" : "connected to no other name here";
    return [MATCHES[told.match_type] ?? told.match_type, popular, linked].filter(Boolean).join(" · ");
  }

  corrections() {
    const { decision } = this.opened;
    const say = (answer) => () => this.actions.correct(answer);
    return el(
      "fieldset",
      { class: "correct" },
      el("legend", {}, "Something else?"),
      el("div", { class: "buttons" },
        button("None of this knowledge graph", say({ gold: [] }), { disabled: decision.corrected && decision.reason === "none" }),
        button("Not a name", say({ gold: [], notName: true }), { disabled: decision.corrected && decision.reason === "not_a_name" }),
        decision.corrected ? button("Undo", () => this.actions.undo(), { class: "plain" }) : null),
      this.search.element,
    );
  }

  /** A search for any entity, with what it finds below. */
  makeSearch() {
    const results = el("ul", { class: "results", "aria-label": "Entities found" });
    const state = el("p", { class: "quiet", role: "status" });
    let asking = new AbortController();
    const look = later(async (q) => {
      asking.abort();
      asking = new AbortController();
      if (!q.trim()) return show(results);
      try {
        const found = await getSearch(this.opened.kb, q, asking.signal);
        state.textContent = found.length ? "" : "Nothing of that name.";
        show(results, ...found.map((each) => this.result(each)));
      } catch (error) {
        if (error.name !== "AbortError") state.textContent = `${error.message} ${error.remedy ?? ""}`;
      }
    }, 180);
    const input = el("input", { type: "search", id: "entity-search", autocomplete: "off", spellcheck: "false", dir: "auto", on: { input: () => look(input.value) } });
    const element = el("div", { class: "search" }, el("label", { for: "entity-search" }, "Search for any entity"), input, state, results);
    const clear = () => { input.value = ""; state.textContent = ""; show(results); };
    return { element, clear };
  }

  result(entity) {
    const choose = () => { this.search.clear(); this.actions.correct(answerOf(entity)); };
    return el("li", {}, el("button", { type: "button", class: "result", on: { click: choose } },
      name(entity.label, { class: "strong" }, 100), ...types(entity), entity.description ? el("span", { class: "description block", dir: "auto" }, name(entity.description, {}, 140)) : null));
  }
}

function types(entity) {
  return (entity.types ?? []).slice(0, 3).map((type) => el("span", { class: "type" }, name(type, {}, 40)));
}

function answerOf({ id, label, description, types: own }) {
  return { gold: [id], label, description, types: own };
}

/** An id, as a link where it is a web address. */
function identity(id) {
  if (!/^https?:\/\//.test(id)) return el("code", { class: "id", dir: "ltr" }, name(id, {}, 60));
  return el("a", { class: "id", href: id, rel: "noreferrer noopener", target: "_blank", dir: "ltr" }, name(id.replace(/^https?:\/\//, ""), {}, 60));
}
