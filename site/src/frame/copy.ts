// Each command line gets a button that copies it.

import { button } from "../lib/controls";

/** Adds a copy button to every `.command` of the page. */
export function copying(): void {
  for (const place of document.querySelectorAll<HTMLElement>(".command")) {
    const shown = place.querySelector("pre")!;
    const text = shown.textContent ?? "";
    place.append(copier(text, `Copy the command${text.includes("\n") ? "s" : ""}`, () => shown));
  }
}

/** The button that copies a text. Over plain http a browser copies nothing: then the button selects the text, which the element
 * of `shown` contains. */
export function copier(text: string, label: string, shown: () => HTMLElement): HTMLButtonElement {
  const copy = button(
    "Copy",
    () => {
      const done = (word: string): void => {
        copy.textContent = word;
        setTimeout(() => (copy.textContent = "Copy"), 2000);
      };
      if (navigator.clipboard === undefined) {
        getSelection()?.selectAllChildren(shown());
        done("Press Ctrl+C");
      } else navigator.clipboard.writeText(text).then(() => done("Copied"), () => done("Refused"));
    },
    { class: "no-print", "aria-label": label },
  );
  copy.setAttribute("aria-live", "polite");
  return copy;
}
