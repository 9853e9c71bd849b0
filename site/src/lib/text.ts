// Texts of the API carry three marks: `code`, *emphasis*, **strong**. They become elements; nothing else does.

import { h } from "./dom";

const MARKS = /`([^`]+)`|\*\*([^*]+)\*\*|\*(\w[^*]*)\*/g;

/** The text with its marks as elements. */
export function marked(text: string): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let end = 0;
  for (const found of text.matchAll(MARKS)) {
    if (found.index > end) parts.push(text.slice(end, found.index));
    const [whole, code, strong, emphasis] = found;
    if (code !== undefined) parts.push(h("code", {}, code));
    else if (strong !== undefined) parts.push(h("strong", {}, strong));
    else parts.push(h("em", {}, emphasis));
    end = found.index + whole.length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}
