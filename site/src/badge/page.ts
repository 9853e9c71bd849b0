// The page of badges: the badge of a series, and the lines that put the badge into a README.

import type { SeriesEntry, SeriesIndex, SiteIndex } from "../data/api";
import { copier } from "../frame/copy";
import { local } from "../lib/address";
import { keepFocus, select } from "../lib/controls";
import { h, image, need, put } from "../lib/dom";
import { root } from "../lib/load";
import { changed, go, read } from "../lib/state";
import { query, type Query } from "../trends/query";
import { linesFor } from "./lines";

export class BadgePage {
  constructor(
    private readonly index: SiteIndex,
    private readonly series: SeriesIndex,
  ) {}

  /** Draws the badge that the address names. */
  show(): Promise<void> {
    const selection = query(this.index, this.series.series, read());
    if (selection === null) put(need("view"), h("p", { class: "note" }, "No series yet: badges begin with the first session that counts."));
    else {
      this.filters(selection);
      this.draw(selection, selection.chosen[0]!);
    }
    return Promise.resolve();
  }

  private filters(selection: Query): void {
    const set = (changes: Record<string, string>): void => {
      go(changed(read(), changes), "replace");
      void this.show();
    };
    const measure = (key: string): Record<string, string> => {
      const [phase, metric] = key.split("/") as [string, string];
      return { phase, metric };
    };
    const subjects = selection.subjects.map((subject) => ({ value: subject.slug, label: subject.short + (subject.retired ? " (retired)" : "") }));
    const form = need("filters");
    keepFocus(form, () =>
      put(
        form,
        select("f-host", "Host", selection.hosts, selection.host, (host) => set({ host })),
        select("f-scenario", "Workload", selection.scenarios, selection.scenario, (scenario) => set({ scenario })),
        select("f-metric", "Measure", selection.measures, selection.key, (key) => set(measure(key))),
        select("f-subject", "Subject", subjects, selection.chosen[0]!.subject, (subject) => set({ subject })),
      ),
    );
  }

  private draw(selection: Query, entry: SeriesEntry): void {
    const short = selection.subjects.find((subject) => subject.slug === entry.subject)?.short ?? entry.subject;
    const measure = selection.measures.find((option) => option.value === selection.key)!.label;
    const title = `${short}, ${entry.scenario}: ${measure}`;
    const source = local(entry.badge, root());
    const site = new URL(root() || "./", location.href).href;
    put(
      need("view"),
      source !== null && h("p", { class: "badge-shown", tabindex: 0, role: "region", "aria-label": "The badge" }, image(source, title)),
      linesFor(site, entry, title).map(({ name, text }) => {
        const shown = h("pre", { tabindex: 0, role: "region", "aria-label": name }, text);
        return [h("h3", {}, name), h("div", { class: "command" }, shown, copier(text, `Copy as ${name}`, () => shown))];
      }),
    );
  }
}
