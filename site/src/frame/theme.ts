// The theme, dark or light: the system decides until the reader chooses; the choice is remembered.

import { need } from "../lib/dom";

const KEY = "plumbline-theme";

function dark(): boolean {
  const chosenTheme = document.documentElement.dataset["theme"];
  return chosenTheme === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : chosenTheme === "dark";
}

/** Makes the theme button of the header work; the event `plumbline-theme` tells charts of a change. */
export function theme(): void {
  const button = need<HTMLButtonElement>("theme");
  const show = (): void => {
    button.setAttribute("aria-pressed", String(dark()));
    dispatchEvent(new Event("plumbline-theme"));
  };
  button.addEventListener("click", () => {
    const nextTheme = dark() ? "light" : "dark";
    document.documentElement.dataset["theme"] = nextTheme;
    try {
      localStorage.setItem(KEY, nextTheme);
    } catch {
      // Where the browser stores nothing, the choice lasts as long as the page.
    }
    show();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  button.setAttribute("aria-pressed", String(dark()));
}
