// The timeline of a trial: rate, CPU by set, memory, collections, second by second.

import type { RunFile, Timeline } from "../data/api";
import { fold, select } from "../lib/controls";
import { curves, legend, secondTicks, type Curve, type Point } from "../lib/curves";
import { h, put, type Child } from "../lib/dom";
import { load } from "../lib/load";
import { number } from "../lib/numbers";
import { changed, go, oneOf, read } from "../lib/state";

const EXPLAINED: Record<Timeline["panels"][number]["name"], string> = {
  rate: "Requests a second",
  cpu: "CPU by set",
  memory: "Memory",
  gc: "Garbage collection",
};

function panel(one: Timeline["panels"][number], timeline: Timeline): Child {
  const lines = one.lines.map((line, mark): Curve => ({ label: line.label, mark, pieces: line.pieces.map((piece) => piece.map(([x, y]): Point => [x, y])) }));
  const points = lines.flatMap((line) => line.pieces.flat());
  if (points.length === 0) return null;
  const peak = (line: Curve): string => number(Math.max(...line.pieces.flat().map(([, y]) => y)));
  return h(
    "figure",
    { class: "chart-card" },
    h("figcaption", {}, h("h3", {}, one.title || EXPLAINED[one.name])),
    lines.length > 1 && legend(lines),
    curves(lines, {
      label: `${one.title} over ${number(timeline.end_s)} seconds: ${lines.map((line) => `${line.label} at most ${peak(line)} ${one.symbol}`).join("; ")}.`,
      x: [0, timeline.end_s],
      xTicks: secondTicks(0, timeline.end_s),
      symbol: one.symbol,
      ground: timeline.bands.map((band) => ({ label: band.label, kind: band.kind, from: band.start_s, to: band.end_s })),
      height: 200,
      marks: false,
    }),
    fold("Table", () =>
      h(
        "div",
        { class: "scroll", role: "region", "aria-label": `Table: ${one.title}, trial ${timeline.trial}`, tabindex: 0 },
        h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Second"), lines.map((line) => h("th", { scope: "col", class: "num" }, `${line.label}, ${one.symbol}`)))), h("tbody", {}, rows(lines))),
      ),
    ),
  );
}

function rows(lines: readonly Curve[]): HTMLElement[] {
  const at = lines.map((line) => new Map(line.pieces.flat()));
  const seconds = [...new Set(at.flatMap((one) => [...one.keys()]))].sort((a, b) => a - b);
  return seconds.map((second) => h("tr", {}, h("th", { scope: "row", class: "num" }, number(second)), at.map((one) => h("td", { class: "num" }, one.has(second) ? number(one.get(second)!) : "–"))));
}

/** A choice of trials and the panels of the chosen one, within `place`. */
export async function timelines(place: HTMLElement, run: RunFile, names: (slug: string) => string): Promise<void> {
  const able = run.trials.filter((one) => one.timeline !== null);
  if (able.length === 0) return;
  const first = able.find((one) => one.role === "measured") ?? able[0]!;
  const numbers = able.map((one) => String(one.number));
  const chosen = oneOf(read(), "trial", [String(first.number), ...numbers])!;
  const trial = able.find((one) => String(one.number) === chosen)!;
  const timeline = await load(trial.timeline!, "timeline");
  put(
    place,
    h(
      "div",
      { class: "row" },
      select(
        "f-trial",
        "Timeline of trial",
        able.map((one) => ({ value: String(one.number), label: `${one.number}: ${names(one.subject)}, ${one.verdict}${one.role === "measured" ? "" : ` (${one.role})`}` })),
        chosen,
        (value) => {
          go(changed(read(), { trial: value }));
          void timelines(place, run, names).then(() => document.getElementById("f-trial")?.focus());
        },
      ),
      h("span", { class: `badge ${trial.verdict}` }, trial.verdict),
    ),
    trial.reasons.length > 0 && h("ul", {}, trial.reasons.map((reason) => h("li", {}, reason))),
    h("div", { class: "pair" }, timeline.panels.map((one) => panel(one, timeline))),
  );
}
