// Search as a page: it has an address, and works where the key `/` is taken.

import { frame } from "../frame/frame";
import { search } from "../frame/found";
import { resultLine } from "../frame/search";
import { h, need, put } from "../lib/dom";
import { load, LoadError } from "../lib/load";
import { count } from "../lib/numbers";
import { changed, go, onReturn, read } from "../lib/state";

frame();

const PATH = "api/v1/search.json";

const input = need<HTMLInputElement>("q");
const results = need("results");
const said = need("found");
/** What the template offers while nothing is asked. */
const offered = [...results.children];

const asked = (): string => (read().get("q") ?? "").trim();

async function show(): Promise<void> {
  const query = asked();
  if (query === "") {
    draw("", offered, "");
    return;
  }
  try {
    const { entries } = await load(PATH, "search");
    if (query !== asked()) return;
    const found = search(entries, query);
    const sentence = found.length === 0 ? `Nothing found for “${query}”.` : `${count(found.length, "result")} for “${query}”.`;
    draw(query, found.map((entry) => h("li", {}, resultLine(entry))), sentence);
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    said.textContent = error.message;
  }
}

function draw(query: string, lines: Element[], sentence: string): void {
  document.documentElement.classList.toggle("asked", query !== "");
  put(results, lines);
  said.textContent = sentence;
}

function returned(): void {
  input.value = read().get("q") ?? "";
  void show();
}

// Whoever steps into the field will ask: the answer to the first letter is then there.
input.addEventListener("focus", () => void load(PATH, "search").catch(() => undefined));
input.addEventListener("input", () => {
  go(changed(read(), { q: input.value }), "replace");
  void show();
});
need("search-form").addEventListener("submit", (event) => event.preventDefault());
onReturn(returned);
returned();
