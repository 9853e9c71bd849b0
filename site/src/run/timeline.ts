// The timeline of a trial: rate, CPU by set, memory, collections, second by second.

import type { RunFile, Timeline } from "../data/api";
import { fold, select } from "../lib/controls";
import { curves, legend, secondTicks, type Curve, type Point } from "../lib/curves";
import { h, put, type Child } from "../lib/dom";
import { load, LoadError } from "../lib/load";
import { number } from "../lib/numbers";
import { changed, go, oneOf, read } from "../lib/state";

const PANEL_TITLES: Record<Timeline["panels"][number]["name"], string> = {
  rate: "Requests a second",
  cpu: "CPU by set",
  memory: "Memory",
  gc: "Garbage collection",
};

function panelFigure(panel: Timeline["panels"][number], timeline: Timeline): Child {
  const lines = panel.lines.map((line, mark): Curve => ({ label: line.label, mark, pieces: line.pieces.map((piece) => piece.map(([x, y]): Point => [x, y])) }));
  const points = lines.flatMap((line) => line.pieces.flat());
  if (points.length === 0) return null;
  const peak = (line: Curve): string => number(Math.max(...line.pieces.flat().map(([, y]) => y)));
  return h(
    "figure",
    { class: "chart-card" },
    h("figcaption", {}, h("h3", {}, panel.title || PANEL_TITLES[panel.name])),
    lines.length > 1 && legend(lines),
    curves(lines, {
      label: `${panel.title} over ${number(timeline.end_s)} seconds: ${lines.map((line) => `${line.label} at most ${peak(line)} ${panel.symbol}`).join("; ")}.`,
      x: [0, timeline.end_s],
      xTicks: secondTicks(0, timeline.end_s),
      symbol: panel.symbol,
      ground: timeline.bands.map((band) => ({ label: band.label, kind: band.kind, from: band.start_s, to: band.end_s })),
      height: 200,
      marks: false,
    }),
    fold("Table", () =>
      h(
        "div",
        { class: "scroll", role: "region", "aria-label": `Table: ${panel.title}, trial ${timeline.trial}`, tabindex: 0 },
        h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Second"), lines.map((line) => h("th", { scope: "col", class: "num" }, `${line.label}, ${panel.symbol}`)))), h("tbody", {}, rows(lines))),
      ),
    ),
  );
}

function rows(lines: readonly Curve[]): HTMLElement[] {
  const valuesOfLines = lines.map((line) => new Map(line.pieces.flat()));
  const seconds = [...new Set(valuesOfLines.flatMap((values) => [...values.keys()]))].sort((a, b) => a - b);
  return seconds.map((second) => h("tr", {}, h("th", { scope: "row", class: "num" }, number(second)), valuesOfLines.map((values) => h("td", { class: "num" }, values.has(second) ? number(values.get(second)!) : "–"))));
}

let latest = 0;

/** Draws a list of trials and the panels of the chosen trial, within `place`. */
export async function timelines(place: HTMLElement, run: RunFile, names: (slug: string) => string): Promise<void> {
  const withTimeline = run.trials.filter((candidate) => candidate.timeline !== null);
  if (withTimeline.length === 0) return;
  const first = withTimeline.find((candidate) => candidate.role === "measured") ?? withTimeline[0]!;
  const numbers = withTimeline.map((candidate) => String(candidate.number));
  const chosenNumber = oneOf(read(), "trial", [String(first.number), ...numbers])!;
  const trial = withTimeline.find((candidate) => String(candidate.number) === chosenNumber)!;
  const turn = (latest += 1);
  const timeline = await load(trial.timeline!, "timeline").catch((error: unknown) => {
    if (error instanceof LoadError) return error;
    throw error;
  });
  if (turn !== latest) return;
  put(
    place,
    h(
      "div",
      { class: "row" },
      select(
        "f-trial",
        "Timeline of trial",
        withTimeline.map((candidate) => ({ value: String(candidate.number), label: `${candidate.number}: ${names(candidate.subject)}, ${candidate.verdict}${candidate.role === "measured" ? "" : ` (${candidate.role})`}` })),
        chosenNumber,
        (value) => {
          go(changed(read(), { trial: value }));
          void timelines(place, run, names).then(() => document.getElementById("f-trial")?.focus());
        },
      ),
      h("span", { class: `badge ${trial.verdict}` }, trial.verdict),
    ),
    trial.reasons.length > 0 && h("ul", {}, trial.reasons.map((reason) => h("li", {}, reason))),
    timeline instanceof LoadError
      ? h("p", { class: "note bad", role: "alert" }, timeline.message)
      : h("div", { class: "pair" }, timeline.panels.map((panel) => panelFigure(panel, timeline))),
  );
}
