/* What the page says of itself: what it does, what went wrong, and a way to stop it. */

import { button, el, show } from "./dom.js";

const PATIENCE = 250; // milliseconds until a spinner is shown: quick answers do not flicker

const at = (id) => document.getElementById(id);
let running = null; // the controller of the request that people wait for

/** Tell something to those who cannot see it. */
export function say(words) {
  at("status").textContent = words;
}

/**
 * Do something that takes its time: one at a time, with a spinner and a way to stop it.
 * @template T
 * @param {string} words what it is
 * @param {(signal: AbortSignal, tell: (words: string) => void) => Promise<T>} work
 * @param {() => void} again what "Try again" does
 * @returns {Promise<T|undefined>} undefined where it failed or was stopped
 */
export async function busy(words, work, again) {
  running?.abort();
  const own = (running = new AbortController());
  clearProblem();
  const timer = setTimeout(() => {
    if (running !== own) return;
    at("busy-text").textContent = words;
    at("busy").hidden = false;
    say(words);
  }, PATIENCE);
  try {
    return await work(own.signal, (told) => { if (running === own) at("busy-text").textContent = told; });
  } catch (error) {
    if (error.name === "AbortError") {
      if (running === own) say("Stopped.");
    } else showProblem(error, again);
    return undefined;
  } finally {
    clearTimeout(timer);
    if (running === own) {
      running = null;
      at("busy").hidden = true;
    }
  }
}

/** Stop what people wait for. */
export function stop() {
  running?.abort();
}

/** Show what went wrong, and what to do. */
export function showProblem(error, again) {
  if (!("remedy" in error)) console.error(error);
  const sentence = "remedy" in error ? error.message : "Something on this page went wrong.";
  show(
    at("problem"),
    el(
      "div",
      { class: "notice error" },
      el("p", {}, el("strong", { dir: "auto" }, sentence), error.remedy ? ` ${error.remedy}` : ""),
      el("p", { class: "buttons" }, again ? button("Try again", again) : null, button("Dismiss", clearProblem, { class: "plain" })),
    ),
  );
}

/** Take the last error away. */
export function clearProblem() {
  show(at("problem"));
}
