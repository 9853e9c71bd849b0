// The badge of a series, as it is to be pasted into a README.

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

  /** Draws what the address asks for. */
  show(): Promise<void> {
    const asked = query(this.index, this.series.series, read());
    if (asked === null) put(need("view"), h("p", { class: "note" }, "No series yet: badges begin with the first session that counts."));
    else {
      this.filters(asked);
      this.draw(asked, asked.chosen[0]!);
    }
    return Promise.resolve();
  }

  private filters(asked: Query): void {
    const set = (by: Record<string, string>): void => {
      go(changed(read(), by), "replace");
      void this.show();
    };
    const measure = (key: string): Record<string, string> => {
      const [phase, metric] = key.split("/") as [string, string];
      return { phase, metric };
    };
    const subjects = asked.subjects.map((one) => ({ value: one.slug, label: one.short + (one.retired ? " (retired)" : "") }));
    const form = need("filters");
    keepFocus(form, () =>
      put(
        form,
        select("f-host", "Host", asked.hosts, asked.host, (host) => set({ host })),
        select("f-scenario", "Workload", asked.scenarios, asked.scenario, (scenario) => set({ scenario })),
        select("f-metric", "Measure", asked.measures, asked.key, (key) => set(measure(key))),
        select("f-subject", "Subject", subjects, asked.chosen[0]!.subject, (subject) => set({ subject })),
      ),
    );
  }

  private draw(asked: Query, chosen: SeriesEntry): void {
    const short = asked.subjects.find((one) => one.slug === chosen.subject)?.short ?? chosen.subject;
    const measure = asked.measures.find((one) => one.value === asked.key)!.label;
    const title = `${short}, ${chosen.scenario}: ${measure}`;
    const source = local(chosen.badge, root());
    const site = new URL(root() || "./", location.href).href;
    put(
      need("view"),
      source !== null && h("p", { class: "badge-shown", tabindex: 0, role: "region", "aria-label": "The badge" }, image(source, title)),
      linesFor(site, chosen, title).map(({ name, text }) => {
        const place = h("div", { class: "command" }, h("pre", { tabindex: 0, role: "region", "aria-label": name }, text));
        place.append(copier(place, text, `Copy as ${name}`));
        return [h("h3", {}, name), place];
      }),
    );
  }
}
