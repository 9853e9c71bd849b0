// Dark or light: as the system has it, until the reader says otherwise; what was said is remembered.

import { need } from "../lib/dom";

const KEY = "plumbline-theme";

function dark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  return chosen === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : chosen === "dark";
}

/** Makes the button of the header work; charts hear of a change by the event `plumbline-theme`. */
export function theme(): void {
  const button = need<HTMLButtonElement>("theme");
  const show = (): void => {
    button.setAttribute("aria-pressed", String(dark()));
    dispatchEvent(new Event("plumbline-theme"));
  };
  button.addEventListener("click", () => {
    const next = dark() ? "light" : "dark";
    document.documentElement.dataset["theme"] = next;
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // Where nothing may be kept, the choice lasts as long as the page.
    }
    show();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  button.setAttribute("aria-pressed", String(dark()));
}
