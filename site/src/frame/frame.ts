// What every page does.

import "../style/site.css";
import { copying } from "./copy";
import { folding } from "./folds";
import { glossary } from "./glossary";
import { searching } from "./search";
import { theme } from "./theme";

/** Where one is stands in view, however many pages come before it in a narrow header. */
function whereOneIs(): void {
  const current = document.querySelector<HTMLElement>(".top nav [aria-current]");
  const nav = current?.closest("nav");
  if (!current || !nav) return;
  const [here, whole] = [current.getBoundingClientRect(), nav.getBoundingClientRect()];
  nav.scrollLeft += here.left - whole.left - (whole.width - here.width) / 2;
}

/** Header, glossary, search, copying, folds. */
export function frame(): void {
  theme();
  whereOneIs();
  glossary();
  searching();
  copying();
  folding();
}
