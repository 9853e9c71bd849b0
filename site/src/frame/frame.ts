// What every page does.

import "../style/site.css";
import { copying } from "./copy";
import { glossary } from "./glossary";
import { searching } from "./search";
import { theme } from "./theme";

/** Header, glossary, search, copying; and on paper every fold is open. */
export function frame(): void {
  theme();
  glossary();
  searching();
  copying();
  addEventListener("beforeprint", () => {
    for (const fold of document.querySelectorAll("details")) fold.open = true;
  });
}
