// Texts of the API carry three marks: `code`, *emphasis*, **strong**. Only these marks become elements.

import { h } from "./dom";

const MARKS = /`([^`]+)`|\*\*([^*]+)\*\*|\*(\w[^*]*)\*/g;

/** The text with elements in place of its marks. */
export function marked(text: string): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let end = 0;
  for (const match of text.matchAll(MARKS)) {
    if (match.index > end) parts.push(text.slice(end, match.index));
    const [whole, code, strong, emphasis] = match;
    if (code !== undefined) parts.push(h("code", {}, code));
    else if (strong !== undefined) parts.push(h("strong", {}, strong));
    else parts.push(h("em", {}, emphasis));
    end = match.index + whole.length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}
