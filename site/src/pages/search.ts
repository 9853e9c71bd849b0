// Search as a page: it has an address, and works where the key `/` is taken.

import { frame } from "../frame/frame";
import { search } from "../frame/found";
import { resultLine } from "../frame/search";
import { h, need, put } from "../lib/dom";
import { load } from "../lib/load";
import { count } from "../lib/numbers";
import { changed, go, onReturn, read } from "../lib/state";

frame();

const input = need<HTMLInputElement>("q");

async function show(): Promise<void> {
  const query = read().get("q") ?? "";
  if (input.value !== query && document.activeElement !== input) input.value = query;
  const { entries } = await load("api/v1/search.json", "search");
  const found = search(entries, query);
  put(need("results"), found.map((entry) => h("li", {}, resultLine(entry))));
  need("found").textContent = query ? `${count(found.length, "result")} for “${query}”.` : "";
}

input.value = read().get("q") ?? "";
input.addEventListener("input", () => {
  go(changed(read(), { q: input.value }), "replace");
  void show();
});
need("search-form").addEventListener("submit", (event) => event.preventDefault());
onReturn(() => {
  input.value = read().get("q") ?? "";
  void show();
});
void show();
