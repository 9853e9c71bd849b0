// The trends page: filters, the chart with its words, and the list of events.

import type { SeriesIndex, SiteIndex } from "../data/api";
import { local, runPage } from "../lib/address";
import { box, boxes, button, keepFocus, select } from "../lib/controls";
import { h, link, need, put, type Child } from "../lib/dom";
import { buttons } from "../lib/download";
import { root } from "../lib/load";
import { swatch } from "../lib/marks";
import { count, date } from "../lib/numbers";
import { showError } from "../lib/page";
import { changed, go, read } from "../lib/state";
import { happenings, inWords, kindName, sessionsOf, type Happening } from "./events";
import { join, leavesAxis, type Line, type Scale } from "./join";
import { linesOf } from "./lines";
import type { Plot } from "./plot";
import { missing, MOST_LINES, query, rangeOf, type Query } from "./query";
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
  /** The range that the chart told last; null until it told one. */
  private settled: string | null = null;

  constructor(
    private readonly index: SiteIndex,
    private readonly series: SeriesIndex,
  ) {}

  /** Draws the series that the address names. */
  async show(): Promise<void> {
    const turn = (this.turn += 1);
    const state = read();
    const selection = query(this.index, this.series.series, state);
    const view = need("view");
    if (selection === null) {
      put(view, h("p", { class: "note" }, "No series yet: history begins with the first session that counts."));
      return;
    }
    this.filters(selection);
    const lines = await linesOf(selection.chosen, selection.subjects, this.startOfRange(state));
    const { Plot: Chart } = await import("./plot");
    if (turn !== this.turn) return;
    const ratio = lines.some((line) => line.columns.ratio.some((value) => value !== null));
    const scale: Scale = !ratio || state.get("y") === "absolute" ? "absolute" : "ratio";
    this.draw(view, { lines, scale, range: rangeOf(state) }, Chart, ratio);
    const absent = missing(this.index, selection, state);
    if (absent !== "") view.prepend(h("p", { class: "note warn", role: "status" }, absent));
  }

  private startOfRange(state: URLSearchParams): number | null {
    if (state.get("range") === "all") return -Infinity;
    return rangeOf(state)?.[0] ?? null;
  }

  private set(changes: Record<string, string | null>): void {
    go(changed(read(), changes));
    this.show().catch(showError);
  }

  private filters(selection: Query): void {
    const form = need("filters");
    const [phase, metric] = split(selection.key);
    const current = { host: selection.host, scenario: selection.scenario, phase, metric };
    keepFocus(form, () =>
      put(
        form,
        select("f-host", "Host", selection.hosts, selection.host, (host) => this.set({ ...current, host, from: null, to: null })),
        select("f-scenario", "Workload", selection.scenarios, selection.scenario, (scenario) => this.set({ ...current, scenario })),
        select("f-metric", "Measure", selection.measures, selection.key, (key) => {
          const [toPhase, toMetric] = split(key);
          this.set({ ...current, phase: toPhase, metric: toMetric });
        }),
        boxes(
          "f-subject",
          "Subjects (up to eight)",
          selection.subjects.map((subject) => ({ value: subject.slug, label: subject.short + (subject.retired ? " (retired)" : ""), before: swatch(subject.mark) })),
          selection.chosen.map((entry) => entry.subject),
          (values) => this.set({ ...current, subject: values.join(",") }),
          MOST_LINES,
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
      "aria-label": `${first.title} ${first.where} over time. Arrow keys go from point to point, with Shift they pan; plus and minus zoom, 0 shows all that is loaded, Enter opens the run.`,
      "aria-describedby": "in-words",
    });
    const readoutBox = h("div", { class: "readout", role: "status", id: "readout" }, hint());
    const eventsBox = h("div", { id: "happened" });
    const tableBox = h("div", { id: "tabled" });
    const drawing: Child[] = [
      h(
        "figure",
        { class: "chart-card" },
        h(
          "figcaption",
          {},
          h("h2", {}, `${first.title} ${first.where}`.trim(), h("span", { class: "soft" }, scale === "ratio" ? ", times the control" : `, ${first.symbol}`)),
          h("p", {}, scaleInWords(shown, this.index.scenarios.find((scenario) => scenario.slug === first.scenario)?.control_operation ?? null)),
        ),
        h("ul", { class: "legend" }, lines.map((line) => h("li", {}, swatch(line.mark), ` ${line.short}`))),
        this.tools(shown, ratio, state, tableBox),
        place,
        readoutBox,
        h("div", { class: "visually-hidden", id: "in-words" }, lines.map((line) => h("p", {}, `${inWords(line, reading(line, line.columns.t.length - 1, scale))} `))),
        tableBox,
      ),
      eventsBox,
    ];
    keepFocus(view, () => put(view, drawing));
    const joined = join(lines, scale);
    this.settled = null;
    const range = shown.range;
    this.plot = new Chart(
      place,
      {
        lines,
        joined,
        events,
        fromZero: state.get("zero") === "1",
        minRange: Math.max(...lines.map((line) => line.file.min_range)),
      },
      {
        cursor: (t) => t !== null && put(readoutBox, readout(lines, t, scale)),
        open: (t) => {
          put(readoutBox, readout(lines, t, scale));
          document.getElementById("open-run")?.click();
        },
        range: (from, to) => {
          clearTimeout(this.settling);
          this.settling = window.setTimeout(() => this.settle(shown, events, eventsBox, tableBox, from, to), SETTLED_MS);
        },
      },
      range,
    );
    const [from, to] = this.plot.seen();
    this.list(eventsBox, events, from, to);
    this.tables(tableBox, shown, from, to);
  }

  private settle(shown: View, events: Happening[], eventsBox: HTMLElement, tableBox: HTMLElement, from: number, to: number): void {
    const changes = rangeChanges(shown, from, to);
    const rangeText = `${changes.from ?? ""}-${changes.to ?? ""}`;
    if (rangeText !== this.settled) {
      // A chart tells its first range too: an entry of the history for that range would catch the reader who goes back.
      go(changed(read(), changes), this.settled === null ? "replace" : "push");
      this.settled = rangeText;
    }
    this.list(eventsBox, events, from, to);
    this.tables(tableBox, shown, from, to);
  }

  private tools(shown: View, ratio: boolean, state: URLSearchParams, tableBox: HTMLElement): HTMLElement {
    const newest = Math.max(...shown.lines.map((line) => line.columns.t[line.columns.t.length - 1] ?? 0));
    const shownRange = (): [number, number] => this.plot!.seen();
    const name = `plumbline-${shown.lines[0]!.file.metric}`;
    const symbol = shown.lines[0]!.file.symbol;
    const toTable = button("Table", () => {
      const shownAsTable = read().get("view") !== "table";
      go(changed(read(), { view: shownAsTable ? "table" : null }));
      toTable.setAttribute("aria-pressed", String(shownAsTable));
      this.tables(tableBox, shown, ...shownRange());
    }, { "aria-pressed": String(state.get("view") === "table") });
    return h(
      "div",
      { class: "chart-tools" },
      RANGES.map(([label, days]) =>
        button(label, () =>
          days === Infinity
            ? this.set({ from: null, to: null, range: "all" })
            : this.set({ from: String(newest - days * DAY), to: String(newest + DAY), range: null }),
          { id: `f-days-${days}` },
        ),
      ),
      button("−", () => this.plot!.zoom(1 / 0.6), { "aria-label": "Zoom out" }),
      button("+", () => this.plot!.zoom(0.6), { "aria-label": "Zoom in" }),
      button("←", () => this.plot!.pan(-0.2), { "aria-label": "Earlier" }),
      button("→", () => this.plot!.pan(0.2), { "aria-label": "Later" }),
      h("span", { class: "spring" }),
      ratio && box("f-y", "As measured", shown.scale === "absolute", (on) => this.set({ y: on ? "absolute" : null })),
      box("f-zero", "Axis from zero", state.get("zero") === "1", (on) => this.set({ zero: on ? "1" : null })),
      toTable,
      buttons(name, () => ({ head: heads(symbol), rows: rows(shown.lines, ...shownRange()) }), () => shown.lines.map((line) => ({ ...line.file, first: line.first, columns: line.columns }))),
    );
  }

  private tables(place: HTMLElement, shown: View, from: number, to: number): void {
    put(place, read().get("view") === "table" && table(shown.lines, from, to, shown.scale));
  }

  private list(place: HTMLElement, events: readonly Happening[], from: number, to: number): void {
    const inside = events.filter((event) => event.t >= from && event.t <= to);
    const important = inside.filter((event) => event.kind !== "refused");
    const withoutPoint = inside.filter((event) => event.kind === "refused");
    const sessions = sessionsOf(withoutPoint);
    put(
      place,
      h("h2", {}, "What happened"),
      inside.length === 0 && h("p", {}, "Within this range: no change point, no new version, no new environment: what moves is as small as the noise."),
      h("ol", { class: "events" }, important.slice(0, MOST_EVENTS).map(item)),
      important.length > MOST_EVENTS && h("details", { class: "more" }, h("summary", {}, `${important.length - MOST_EVENTS} more`), h("ol", { class: "events" }, important.slice(MOST_EVENTS).map(item))),
      sessions > 0 &&
        h(
          "details",
          { class: "more" },
          h("summary", {}, `${count(sessions, "session")} without a point`),
          h("ol", { class: "events" }, withoutPoint.slice(0, 200).map(item)),
        ),
    );
  }
}

/** The changes of the address for a shown range; a range that covers all points has no place in the address. */
function rangeChanges(shown: View, from: number, to: number): Record<"from" | "to", string | null> {
  const times = shown.lines.flatMap((line) => [line.columns.t[0] ?? 0, line.columns.t[line.columns.t.length - 1] ?? 0]);
  const coversAll = from <= Math.min(...times) && to >= Math.max(...times);
  return coversAll ? { from: null, to: null } : { from: String(Math.floor(from)), to: String(Math.ceil(to)) };
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

/** What the axis shows; `instead` is what the control runs in place of the operation of the subjects. */
function scaleInWords({ lines, scale }: View, instead: string | null): string {
  const better = lines[0]!.file.better;
  const direction = better === null ? "" : better === "higher" ? " Higher is better." : " Lower is better.";
  const least = Math.max(...lines.map((line) => line.file.min_range));
  const range = `The axis spans at least ${(least * 100).toFixed(0)} %, so that noise looks like noise.`;
  const control = scale === "ratio" ? " Divided by the control of the same session, so that a change of the machine cancels out." : "";
  const other = scale === "ratio" && instead !== null ? ` The control runs ${instead} instead: the steps of such a ratio say something, its size does not.` : "";
  const sound = lines.every((line) => line.file.sound) ? "" : " On this host something other than the application often limits this measure.";
  const cut = lines.some((line) => leavesAxis(line, scale)) ? " Bands of sessions with few trials go beyond the axis; the table has them whole." : "";
  const older = lines.some((line) => line.first > 0) ? " Older sessions are not loaded: “Everything” shows them." : "";
  return `${range}${direction}${control}${other}${sound}${cut}${older}`;
}

function split(key: string): [string, string] {
  const slash = key.lastIndexOf("/");
  return [key.slice(0, slash), key.slice(slash + 1)];
}
