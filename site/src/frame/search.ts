// The search box, which the key `/` opens on every page.

import type { Found } from "../data/api";
import { local } from "../lib/address";
import { h, link, need, put } from "../lib/dom";
import { load, root } from "../lib/load";
import { groupName, search } from "./found";

/** One line of results. */
export function resultLine(entry: Found): HTMLElement {
  return link(
    local(entry.page, root()),
    {},
    h("span", {}, entry.title),
    h("span", { class: "group" }, groupName(entry.group)),
  );
}

class SearchBox {
  private readonly input = h("input", {
    type: "search",
    id: "search-input",
    role: "combobox",
    "aria-expanded": "true",
    "aria-controls": "search-results",
    "aria-autocomplete": "list",
    "aria-label": "Search subjects, workloads, hosts, alerts, rules, words",
    placeholder: "Framework, workload, rule, word …",
    autocomplete: "off",
  });
  private readonly list = h("ul", { class: "results", id: "search-results", role: "listbox", "aria-label": "Results" });
  private readonly status = h("p", { class: "visually-hidden", role: "status" });
  private readonly dialog: HTMLDialogElement;
  private at = 0;

  constructor() {
    const closeButton = h("button", { type: "button", "aria-label": "Close search" }, "Esc");
    closeButton.addEventListener("click", () => this.dialog.close());
    this.dialog = h(
      "dialog",
      { class: "search", "aria-label": "Search" },
      h("div", { class: "search-box" }, this.input, closeButton),
      this.list,
      this.status,
    );
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
    this.input.addEventListener("input", () => void this.show());
    this.input.addEventListener("keydown", (event) => this.key(event));
    document.body.append(this.dialog);
  }

  open(): void {
    if (!this.dialog.open) this.dialog.showModal();
    this.input.select();
    void this.show();
  }

  private async show(): Promise<void> {
    const query = this.input.value;
    let entries: Found[];
    try {
      entries = (await load("api/v1/search.json", "search")).entries;
    } catch (error) {
      put(this.list, h("li", { class: "no-results", role: "option" }, String((error as Error).message)));
      return;
    }
    const found = search(entries, query, 12);
    this.at = 0;
    put(
      this.list,
      found.map((entry, index) => h("li", { role: "option", id: `result-${index}` }, resultLine(entry))),
      found.length === 0 && h("li", { class: "no-results", role: "option" }, `Nothing found for “${query}”.`),
    );
    this.status.textContent = `${found.length} ${found.length === 1 ? "result" : "results"}`;
    this.mark();
  }

  private mark(): void {
    [...this.list.children].forEach((item, index) => item.setAttribute("aria-selected", String(index === this.at)));
    const item = this.list.children[this.at];
    item?.scrollIntoView({ block: "nearest" });
    if (item?.id) this.input.setAttribute("aria-activedescendant", item.id);
    else this.input.removeAttribute("aria-activedescendant");
  }

  private key(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      this.at = Math.max(0, Math.min(this.list.children.length - 1, this.at + step));
      this.mark();
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.list.children[this.at]?.querySelector("a")?.click();
    }
  }
}

/** Makes the search link of the header and the key `/` open the search box. */
export function searching(): void {
  let box: SearchBox | null = null;
  const open = (): void => {
    box ??= new SearchBox();
    box.open();
  };
  need("search-button").addEventListener("click", (event) => {
    event.preventDefault();
    open();
  });
  document.addEventListener("keydown", (event) => {
    const target = event.target;
    // A field of a closed box keeps the focus until the next frame.
    const typing =
      target instanceof HTMLElement &&
      target.closest("input, select, textarea, [contenteditable]") !== null &&
      target.checkVisibility();
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    open();
  });
}
