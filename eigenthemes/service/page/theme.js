/* Light, dark, or as the system has it. Loaded before anything is drawn, so that no page flashes white at night. */
"use strict";

(() => {
  const KEY = "eigenthemes.theme";
  const NEXT = { auto: "light", light: "dark", dark: "auto" };
  const SHOWN = { auto: "◐ Auto", light: "☀ Light", dark: "☾ Dark" };

  const saved = () => {
    try {
      return localStorage.getItem(KEY) ?? "auto";
    } catch {
      return "auto"; // storage may be switched off
    }
  };

  const apply = (theme) => {
    document.documentElement.dataset.theme = theme;
  };

  const show = (button, theme) => {
    button.textContent = SHOWN[theme];
    button.setAttribute("aria-label", `Theme: ${theme}; switch to ${NEXT[theme]}`);
  };

  let theme = saved() in NEXT ? saved() : "auto";
  apply(theme);
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    show(button, theme);
    button.addEventListener("click", () => {
      theme = NEXT[theme];
      apply(theme);
      show(button, theme);
      try {
        localStorage.setItem(KEY, theme);
      } catch {
        // then it lasts as long as the page
      }
    });
  });
})();
