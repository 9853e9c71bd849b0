// The search page: it has an address, and works where the key `/` has another use.

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
const statusLine = need("found");
/** The entries that the template shows while the query is empty. */
const suggestions = [...results.children];

const currentQuery = (): string => (read().get("q") ?? "").trim();

async function show(): Promise<void> {
  const query = currentQuery();
  if (query === "") {
    draw("", suggestions, "");
    return;
  }
  try {
    const { entries } = await load(PATH, "search");
    if (query !== currentQuery()) return;
    const found = search(entries, query);
    const sentence = found.length === 0 ? `Nothing found for “${query}”.` : `${count(found.length, "result")} for “${query}”.`;
    draw(query, found.map((entry) => h("li", {}, resultLine(entry))), sentence);
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    statusLine.textContent = error.message;
  }
}

function draw(query: string, lines: Element[], sentence: string): void {
  document.documentElement.classList.toggle("asked", query !== "");
  put(results, lines);
  statusLine.textContent = sentence;
}

function showAddress(): void {
  input.value = read().get("q") ?? "";
  void show();
}

// A reader who focuses the field will search: the document is loaded before the first letter.
input.addEventListener("focus", () => void load(PATH, "search").catch(() => undefined));
input.addEventListener("input", () => {
  go(changed(read(), { q: input.value }), "replace");
  void show();
});
need("search-form").addEventListener("submit", (event) => event.preventDefault());
onReturn(showAddress);
showAddress();
