// Shows the meaning of a word beside the word: on hover, on focus, and on a click, which without a script leads to the glossary.

import { h, link } from "../lib/dom";
import { local } from "../lib/address";
import { load, root } from "../lib/load";
import { marked } from "../lib/text";

const SLUG = /^[a-z0-9-]{1,60}$/;

let tooltip: HTMLElement | null = null;
let owner: HTMLElement | null = null;
let closeTimer = 0;

function close(): void {
  tooltip?.remove();
  owner?.removeAttribute("aria-describedby");
  tooltip = owner = null;
}

async function open(word: HTMLElement): Promise<void> {
  const slug = word.dataset["term"] ?? "";
  if (owner === word || !SLUG.test(slug)) return;
  close();
  owner = word;
  const { terms } = await load("api/v1/method.json", "method");
  const term = terms.find((entry) => entry.slug === slug);
  if (term === undefined || owner !== word) return;
  tooltip = h(
    "div",
    { class: "pop", id: "pop", role: "tooltip" },
    h("strong", {}, term.word),
    h("p", {}, marked(term.meaning)),
    link(local(`method/#term-${slug}`, root()), { class: "small" }, "All words"),
  );
  word.after(tooltip);
  word.setAttribute("aria-describedby", "pop");
  place(word, tooltip);
  tooltip.addEventListener("pointerenter", () => clearTimeout(closeTimer));
  tooltip.addEventListener("pointerleave", closeSoon);
}

function place(word: HTMLElement, box: HTMLElement): void {
  const wordBox = word.getBoundingClientRect();
  const parent = (box.offsetParent ?? document.body).getBoundingClientRect();
  const left = Math.max(8, Math.min(wordBox.left, innerWidth - box.offsetWidth - 16));
  const below = wordBox.bottom + box.offsetHeight + 12 < innerHeight || wordBox.top < box.offsetHeight + 12;
  box.style.left = `${left - parent.left}px`;
  box.style.top = `${(below ? wordBox.bottom + 6 : wordBox.top - box.offsetHeight - 6) - parent.top}px`;
}

function closeSoon(): void {
  clearTimeout(closeTimer);
  closeTimer = window.setTimeout(close, 250);
}

const wordOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>("a.term") : null;

/** Listens on the whole page: words may come and go. */
export function glossary(): void {
  const show = (event: Event): void => {
    const word = wordOf(event.target);
    if (word === null) return;
    clearTimeout(closeTimer);
    open(word).catch(close);
  };
  document.addEventListener("pointerover", (event) => event.pointerType === "mouse" && show(event));
  document.addEventListener("pointerout", (event) => wordOf(event.target) && event.pointerType === "mouse" && closeSoon());
  document.addEventListener("focusin", (event) => {
    if (wordOf(event.target)) show(event);
    else if (tooltip && !tooltip.contains(event.target as Node)) close();
  });
  document.addEventListener("click", (event) => {
    if (wordOf(event.target)) {
      event.preventDefault();
      show(event);
    } else if (tooltip && !tooltip.contains(event.target as Node)) close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && tooltip) close();
  });
}
