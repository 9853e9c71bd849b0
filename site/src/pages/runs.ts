// The list of all runs, with filters for host, suite and verdict.

import type { RunEntry, RunIndex, SiteIndex } from "../data/api";
import { frame } from "../frame/frame";
import { local } from "../lib/address";
import { h, link, need, put } from "../lib/dom";
import { load } from "../lib/load";
import { count, date } from "../lib/numbers";
import { button, keepFocus } from "../lib/controls";
import { drawn } from "../lib/page";
import { root } from "../lib/load";
import { changed, go, read } from "../lib/state";

const FILTERS = ["host", "suite", "verdict"] as const;
const A_PAGE = 100;

class RunsPage {
  private readonly hosts: Map<string, string>;
  /** The publisher renders the first rows of all runs: this script need not draw them again. */
  private rendered = true;
  constructor(
    index: SiteIndex,
    private readonly runs: RunIndex,
  ) {
    this.hosts = new Map(index.hosts.map((host) => [host.slug, host.name]));
    for (const name of FILTERS)
      need<HTMLSelectElement>(`f-${name}`).addEventListener("change", (event) => {
        go(changed(read(), { [name]: (event.target as HTMLSelectElement).value, rows: null }));
        void this.show();
      });
  }

  async show(): Promise<void> {
    const state = read();
    for (const name of FILTERS) need<HTMLSelectElement>(`f-${name}`).value = state.get(name) ?? "";
    const found = this.runs.runs.filter((run) => FILTERS.every((name) => !state.get(name) || run[name] === state.get(name)));
    const most = Math.max(A_PAGE, Math.floor(Number(state.get("rows"))) || 0);
    const noun = this.runs.older.length > 0 ? "newest session" : "session";
    need("shown").textContent = `${count(found.length, noun)}${found.length < this.runs.runs.length ? ` of ${this.runs.runs.length}` : ""}.`;
    const body = document.querySelector("#view tbody");
    if (body === null) return;
    if (!this.rendered || state.size > 0) this.rows(body, found, most);
    this.rendered = false;
    const view = need("view");
    keepFocus(view, () => {
      document.getElementById("more")?.remove();
      if (found.length > most) view.append(this.more(found.length - most, most));
    });
  }

  private more(left: number, most: number): HTMLElement {
    const showMore = (): void => {
      go(changed(read(), { rows: String(most + A_PAGE * 2) }), "replace");
      void this.show();
    };
    return button(`${left} more`, showMore, { id: "more" });
  }

  private rows(body: Element, found: readonly RunEntry[], most: number): void {
    put(
      body,
      found.slice(0, most).map((run) =>
        h(
          "tr",
          {},
          h("td", { class: "num" }, date(run.t)),
          h("td", {}, h("span", { class: `badge ${run.word}` }, run.word)),
          h("th", { scope: "row" }, link(local(run.page, root()), {}, run.session)),
          h("td", {}, this.hosts.get(run.host) ?? run.host),
          h("td", {}, run.suite),
          h("td", { class: "num" }, run.trials),
          h("td", { class: "num" }, run.refused > 0 ? h("strong", { class: "bad" }, run.refused) : 0),
          h("td", { class: "mono" }, (run.commit ?? "").slice(0, 10)),
        ),
      ),
      found.length === 0 && h("tr", {}, h("td", { colspan: 8 }, "No session passes the filters.")),
    );
  }
}

frame();
void drawn(async () => {
  const [index, runs] = await Promise.all([load("api/v1/index.json", "site"), load("api/v1/runs.json", "runs")]);
  return new RunsPage(index, runs);
});
