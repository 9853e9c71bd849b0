// The trends page: filters, the chart with its words, and what happened.

import type { SeriesIndex, SiteIndex } from "../data/api";
import { local, runPage } from "../lib/address";
import { box, boxes, button, keepFocus, select } from "../lib/controls";
import { h, link, need, put, type Child } from "../lib/dom";
import { buttons } from "../lib/download";
import { root } from "../lib/load";
import { swatch } from "../lib/marks";
import { count, date } from "../lib/numbers";
import { changed, go, read } from "../lib/state";
import { happenings, inWords, kindName, type Happening } from "./events";
import { join, leavesAxis, type Line, type Scale } from "./join";
import { linesOf } from "./lines";
import type { Plot } from "./plot";
import { query, type Query } from "./query";
import { heads, reading, readout, rows, table } from "./words";

const DAY = 86_400;
const RANGES = [
  ["90 days", 90],
  ["1 year", 365],
  ["Everything", Infinity],
] as const;
const MOST_EVENTS = 12;
const SETTLED_MS = 350;

interface View {
  lines: Line[];
  scale: Scale;
  range: [number, number] | null;
}

export class TrendsPage {
  private plot: Plot | null = null;
  private turn = 0;
  private settling = 0;
  /** What the address said of the range when the chart was drawn, or what the chart said since. */
  private settled = "";

  constructor(
    private readonly index: SiteIndex,
    private readonly series: SeriesIndex,
  ) {}

  /** Draws what the address asks for. */
  async show(): Promise<void> {
    const turn = (this.turn += 1);
    const state = read();
    const asked = query(this.index, this.series.series, state);
    const view = need("view");
    if (asked === null) {
      put(view, h("p", { class: "note" }, "No series yet: history begins with the first session that counts."));
      return;
    }
    this.filters(asked);
    const lines = await linesOf(asked.chosen, asked.subjects, this.wanted(state));
    const { Plot: Chart } = await import("./plot");
    if (turn !== this.turn) return;
    const ratio = lines.some((line) => line.columns.ratio.some((one) => one !== null));
    const scale: Scale = !ratio || state.get("y") === "absolute" ? "absolute" : "ratio";
    this.draw(view, { lines, scale, range: rangeOf(state) }, Chart, ratio);
  }

  private wanted(state: URLSearchParams): number | null {
    if (state.get("range") === "all") return -Infinity;
    return rangeOf(state)?.[0] ?? null;
  }

  private set(by: Record<string, string | null>): void {
    go(changed(read(), by));
    void this.show();
  }

  private filters(asked: Query): void {
    const form = need("filters");
    const [phase, metric] = split(asked.key);
    const keep = { host: asked.host, scenario: asked.scenario, phase, metric };
    keepFocus(form, () =>
      put(
        form,
        select("f-host", "Host", asked.hosts, asked.host, (host) => this.set({ ...keep, host, from: null, to: null })),
        select("f-scenario", "Workload", asked.scenarios, asked.scenario, (scenario) => this.set({ ...keep, scenario })),
        select("f-metric", "Measure", asked.measures, asked.key, (key) => {
          const [toPhase, toMetric] = split(key);
          this.set({ ...keep, phase: toPhase, metric: toMetric });
        }),
        boxes(
          "f-subject",
          "Subjects (up to eight)",
          asked.subjects.map((one) => ({ value: one.slug, label: one.short + (one.retired ? " (retired)" : ""), before: swatch(one.mark) })),
          asked.chosen.map((one) => one.subject),
          (values) => this.set({ ...keep, subject: values.slice(0, 8).join(",") }),
        ),
      ),
    );
  }

  private draw(view: HTMLElement, shown: View, Chart: typeof Plot, ratio: boolean): void {
    this.plot?.destroy();
    const state = read();
    const { lines, scale } = shown;
    const events = happenings(lines);
    const first = lines[0]!.file;
    const place = h("div", {
      class: "plot",
      tabindex: 0,
      role: "application",
      "aria-roledescription": "chart",
      "aria-label": `${first.title} ${first.where} over time. Arrow keys go from point to point, with Shift they pan; plus and minus zoom, 0 shows everything, Enter opens the run.`,
      "aria-describedby": "in-words",
    });
    const said = h("div", { class: "readout", role: "status", id: "readout" }, hint());
    const happened = h("div", { id: "happened" });
    const tabled = h("div", { id: "tabled" });
    put(
      view,
      h(
        "figure",
        { class: "chart-card" },
        h(
          "figcaption",
          {},
          h("h2", {}, `${first.title} ${first.where}`.trim(), h("span", { class: "soft" }, scale === "ratio" ? ", times the control" : `, ${first.symbol}`)),
          h("p", {}, scaleInWords(shown)),
        ),
        h("ul", { class: "legend" }, lines.map((line) => h("li", {}, swatch(line.mark), ` ${line.short}`))),
        this.tools(shown, ratio, state, tabled),
        place,
        said,
        h("div", { class: "visually-hidden", id: "in-words" }, lines.map((line) => h("p", {}, `${inWords(line, reading(line, line.columns.t.length - 1, scale))} `))),
        tabled,
      ),
      happened,
    );
    const joined = join(lines, scale);
    this.settled = `${state.get("from") ?? ""}-${state.get("to") ?? ""}`;
    const range = shown.range;
    this.plot = new Chart(
      place,
      {
        lines,
        joined,
        events,
        fromZero: state.get("zero") === "1",
        minRange: Math.max(...lines.map((line) => line.file.min_range)),
        reference: null,
      },
      {
        cursor: (t) => t !== null && put(said, readout(lines, t, scale)),
        open: (t) => {
          put(said, readout(lines, t, scale));
          document.getElementById("open-run")?.click();
        },
        range: (from, to) => {
          clearTimeout(this.settling);
          this.settling = window.setTimeout(() => this.settle(shown, events, happened, tabled, from, to), SETTLED_MS);
        },
      },
      range,
    );
    const [from, to] = this.plot.seen();
    this.list(happened, events, from, to);
    this.tables(tabled, shown, from, to);
  }

  private settle(shown: View, events: Happening[], happened: HTMLElement, tabled: HTMLElement, from: number, to: number): void {
    const times = shown.lines.flatMap((line) => [line.columns.t[0] ?? 0, line.columns.t[line.columns.t.length - 1] ?? 0]);
    const all = from <= Math.min(...times) && to >= Math.max(...times);
    const by = all ? { from: null, to: null } : { from: String(Math.floor(from)), to: String(Math.ceil(to)) };
    const said = `${by.from ?? ""}-${by.to ?? ""}`;
    if (said !== this.settled) {
      this.settled = said;
      go(changed(read(), by));
    }
    this.list(happened, events, from, to);
    this.tables(tabled, shown, from, to);
  }

  private tools(shown: View, ratio: boolean, state: URLSearchParams, tabled: HTMLElement): HTMLElement {
    const newest = Math.max(...shown.lines.map((line) => line.columns.t[line.columns.t.length - 1] ?? 0));
    const seen = (): [number, number] => this.plot!.seen();
    const name = `plumbline-${shown.lines[0]!.file.metric}`;
    const symbol = shown.lines[0]!.file.symbol;
    const toTable = button("Table", () => {
      const on = read().get("view") !== "table";
      go(changed(read(), { view: on ? "table" : null }));
      toTable.setAttribute("aria-pressed", String(on));
      this.tables(tabled, shown, ...seen());
    }, { "aria-pressed": String(state.get("view") === "table") });
    return h(
      "div",
      { class: "chart-tools" },
      RANGES.map(([label, days]) =>
        button(label, () =>
          days === Infinity
            ? this.set({ from: null, to: null, range: "all" })
            : this.set({ from: String(newest - days * DAY), to: String(newest + DAY), range: null }),
        ),
      ),
      button("−", () => this.plot!.zoom(1 / 0.6), { "aria-label": "Zoom out" }),
      button("+", () => this.plot!.zoom(0.6), { "aria-label": "Zoom in" }),
      button("←", () => this.plot!.pan(-0.2), { "aria-label": "Earlier" }),
      button("→", () => this.plot!.pan(0.2), { "aria-label": "Later" }),
      h("span", { class: "spring" }),
      ratio && box("As measured", shown.scale === "absolute", (on) => this.set({ y: on ? "absolute" : null })),
      box("Axis from zero", state.get("zero") === "1", (on) => this.set({ zero: on ? "1" : null })),
      toTable,
      buttons(name, () => ({ head: heads(symbol), rows: rows(shown.lines, ...seen()) }), () => shown.lines.map((line) => ({ ...line.file, first: line.first, columns: line.columns }))),
    );
  }

  private tables(place: HTMLElement, shown: View, from: number, to: number): void {
    put(place, read().get("view") === "table" && table(shown.lines, from, to, shown.scale));
  }

  private list(place: HTMLElement, events: readonly Happening[], from: number, to: number): void {
    const inside = events.filter((one) => one.t >= from && one.t <= to);
    const important = inside.filter((one) => one.kind !== "refused");
    const refused = inside.length - important.length;
    put(
      place,
      h("h2", {}, "What happened"),
      inside.length === 0 && h("p", {}, "Within this range: no change point, no new version, no new environment: what moves is as small as the noise."),
      h("ol", { class: "events" }, important.slice(0, MOST_EVENTS).map(item)),
      important.length > MOST_EVENTS && h("details", { class: "more" }, h("summary", {}, `${important.length - MOST_EVENTS} more`), h("ol", { class: "events" }, important.slice(MOST_EVENTS).map(item))),
      refused > 0 &&
        h(
          "details",
          { class: "more" },
          h("summary", {}, `${count(refused, "session")} refused`),
          h("ol", { class: "events" }, inside.filter((one) => one.kind === "refused").slice(0, 200).map(item)),
        ),
    );
  }
}

function item(event: Happening): HTMLElement {
  return h(
    "li",
    {},
    event.session === null ? h("span", {}, date(event.t)) : link(runPage(event.session, root()), {}, date(event.t)),
    h(
      "div",
      {},
      h("span", { class: `badge ${event.tone}` }, kindName(event.kind)),
      ` ${event.text} `,
      event.alert !== null && link(local(`alerts/#alert-${event.alert.id}`, root()), {}, "The alert"),
    ),
  );
}

function hint(): Child[] {
  return ["Point at the chart, or focus it and use the arrow keys: values with their intervals stand here, with the way to the run. Drag to zoom."];
}

function scaleInWords({ lines, scale }: View): string {
  const better = lines[0]!.file.better;
  const way = better === null ? "" : better === "higher" ? " Higher is better." : " Lower is better.";
  const least = Math.max(...lines.map((line) => line.file.min_range));
  const range = `The axis spans at least ${(least * 100).toFixed(0)} %, so that noise looks like noise.`;
  const control = scale === "ratio" ? " Divided by the control of the same session, so that a change of the machine cancels out." : "";
  const sound = lines.every((line) => line.file.sound) ? "" : " On this host something other than the application often limits this measure.";
  const cut = lines.some(leavesAxis) ? " Bands of sessions with few trials go beyond the axis; the table has them whole." : "";
  return `${range}${way}${control}${sound}${cut}`;
}

function split(key: string): [string, string] {
  const at = key.lastIndexOf("/");
  return [key.slice(0, at), key.slice(at + 1)];
}

/** From and to of the address, when they are times in order. */
export function rangeOf(state: URLSearchParams): [number, number] | null {
  const [from, to] = [Number(state.get("from") ?? NaN), Number(state.get("to") ?? NaN)];
  return Number.isFinite(from) && Number.isFinite(to) && to > from ? [from, to] : null;
}

