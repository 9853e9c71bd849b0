// Each command line gets a button that copies it.

import { button } from "../lib/controls";

/** Adds a copy button to every `.command` of the page. */
export function copying(): void {
  for (const place of document.querySelectorAll<HTMLElement>(".command")) {
    const text = place.querySelector("pre")?.textContent ?? "";
    place.append(copier(place, text, `Copy the command${text.includes("\n") ? "s" : ""}`));
  }
}

/** The button that copies a text; the same text stands in the `pre` of `place`. */
export function copier(place: HTMLElement, text: string, label: string): HTMLButtonElement {
  const copy = button(
    "Copy",
    () => {
      const done = (word: string): void => {
        copy.textContent = word;
        setTimeout(() => (copy.textContent = "Copy"), 2000);
      };
      if (navigator.clipboard === undefined) {
        getSelection()?.selectAllChildren(place.querySelector("pre")!);
        done("Press Ctrl+C");
      } else navigator.clipboard.writeText(text).then(() => done("Copied"), () => done("Refused"));
    },
    { class: "no-print", "aria-label": label },
  );
  copy.setAttribute("aria-live", "polite");
  return copy;
}
