// The tasks that every page does at its start.

import "../style/site.css";
import { copying } from "./copy";
import { folding } from "./folds";
import { glossary } from "./glossary";
import { searching } from "./search";
import { theme } from "./theme";

/** Scrolls the navigation to the current page, however many pages come before it in a narrow header. */
function showCurrentPage(): void {
  const current = document.querySelector<HTMLElement>(".top nav [aria-current]");
  const nav = current?.closest("nav");
  if (!current || !nav) return;
  const [currentBox, navBox] = [current.getBoundingClientRect(), nav.getBoundingClientRect()];
  nav.scrollLeft += currentBox.left - navBox.left - (navBox.width - currentBox.width) / 2;
}

/** Starts header, glossary, search, copy buttons and folds. */
export function frame(): void {
  theme();
  showCurrentPage();
  glossary();
  searching();
  copying();
  folding();
}
