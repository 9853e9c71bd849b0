// The view of a comparison: the sentence, ratios with intervals, latency and warm-up of all sides in shared charts.

import { copier } from "../frame/copy";
import { local, withState } from "../lib/address";
import { fold } from "../lib/controls";
import { curves, legend, secondTicks, type Curve, type Point } from "../lib/curves";
import { h, link, s, type Child } from "../lib/dom";
import { buttons, type Cell } from "../lib/download";
import { root } from "../lib/load";
import { swatch } from "../lib/marks";
import { change, changeWithin, number, when } from "../lib/numbers";
import { keyOf } from "../lib/state";
import { measuresOf, surroundings, textOf, type Side } from "./contenders";
import { answers, confidence, isAdvisory, level, measureOf, ratioText, sentence, type Answer } from "./ratios";
import { twoSessions } from "./every";

const inSession = (base: Side, head: Side): boolean => head.place.session === base.place.session;

/** A whole comparison of one base with one or more heads. */
export function comparison(base: Side, heads: readonly Side[]): Child[] {
  const all = heads.flatMap((head) => answers([[base, head]]));
  const lead = all.find((answer) => answer.word !== null) ?? all[0];
  const unsteady = [...new Set([base, ...heads].flatMap((side) => measuresOf(side).map((measured) => measured.warming_up)))].filter(Boolean);
  return [
    lead !== undefined && quote(lead, base, heads),
    unsteady.length > 0 && h("p", { class: "note warn", id: "unsteady" }, `Not every phase was proven steady: ${unsteady[0]} What was measured while warming up is compared with nothing.`),
    severalSessions(base, heads.filter((head) => !inSession(base, head)), lead),
    heads.map((head) => ratios(base, head, answers([[base, head]]))),
    h("div", { class: "pair" }, latency([base, ...heads]), warmUp([base, ...heads])),
    footnotes(base, heads),
    h("p", {}, "Run reports: ", [base, ...heads].map((side, index) => [index > 0 && ", ", link(local(`run/${side.place.session}/`, root()), {}, side.label)])),
    h(
      "div",
      { class: "chart-tools" },
      buttons(
        "plumbline-compare",
        () => ({ head: ["base", "subject", "measure", "where", "verdict", "ratio", "low", "high", "trials"], rows: all.map(rowOf) }),
        () => all.map(({ values, base: answerBase, head, found, shown }) => ({ base: answerBase.place, head: head.place, metric: values.metric, phase: values.phase, verdict: shown, ...found })),
      ),
    ),
  ];
}

/** The warning that sides come from several sessions, with what differs around them and with the control's own change. */
function severalSessions(base: Side, heads: readonly Side[], lead: Answer | undefined): Child {
  if (heads.length === 0) return null;
  return h(
    "div",
    { class: "note warn" },
    h("p", {}, "The sides come from several sessions, so a difference may be the machine's. Their trials are not paired, and such a verdict never fails a pull request."),
    [...new Map(heads.map((head) => [head.place.session, head])).values()].map((head) =>
      h(
        "p",
        {},
        `Sessions of ${when(base.file.t)} and ${when(head.file.t)}. `,
        surroundings(base.file, head.file),
        lead !== undefined && controlSentence(base, head, lead),
        " ",
        link(withState(twoSessions(base.place.session, head.place.session)), {}, "All that both measured, in one table"),
      ),
    ),
  );
}

/** The control's own change by the leading measure: the machine's, as far as anybody can tell. */
function controlSentence(base: Side, head: Side, lead: Answer): string {
  if (base.control === null || head.control === null) return "";
  const controls = answers([[{ ...base, contender: base.control }, { ...head, contender: head.control }]]);
  const found = controls.find(({ values }) => keyOf(values) === keyOf(lead.values))?.found;
  return found == null ? "" : ` ${measureOf(lead.values)}: the control itself, which has no framework, reads ${changeWithin(found.ratio, found.low, found.high)}.`;
}

/** The meaning of the words, for each design that the comparison has. */
function footnotes(base: Side, heads: readonly Side[]): Child {
  const atLevel = `at a level of ${Number((base.file.rule.level * 100).toFixed(2))} %`;
  const designs = [
    heads.some((head) => inSession(base, head)) &&
      `Within a session, faster or slower means that a t test of the paired logarithms says so, ${atLevel} that all pairs of a class share, and that no robust estimate contradicts it. `,
    heads.some((head) => !inSession(base, head)) &&
      `Between two sessions, faster or slower means that Welch's t test of the logarithms says so, ${atLevel} that all measures of the two sides share: by Holm's adjustment for the primary ones, by that of Benjamini and Hochberg for the others. No robust estimate is asked. `,
  ];
  return h(
    "p",
    { class: "soft", id: "footnotes" },
    designs,
    "Equivalent: the whole interval lies within 2 %. ",
    "Inconclusive: neither is proven, which never means “no change”. ",
    isAdvisory([base, ...heads]) && "Advisory: a host that could not be made quiet, or a trial that lacks evidence. ",
    h("code", {}, "./bench compare"),
    " uses the same words, and measures on until one of them holds.",
  );
}

function rowOf({ values, base, head, found, shown }: Answer): Cell[] {
  return [base.label, head.label, values.title, values.where, shown, found?.ratio ?? null, found?.low ?? null, found?.high ?? null, found?.trials ?? null];
}

function quote(lead: Answer, base: Side, heads: readonly Side[]): Child {
  const places = { base: textOf([base.place]), scenario: base.contender.scenario, with: textOf(heads.map((head) => head.place)) };
  // The address of this moment may name no session: then it leads to other numbers after the next night.
  const text = `${sentence(lead)} ${new URL(withState(new URLSearchParams(places)), location.href).href}`;
  const whole = h("p", { class: "mono small", hidden: true }, text);
  const shown = (): HTMLElement => {
    whole.hidden = false;
    return whole;
  };
  return h(
    "section",
    { class: "note", "aria-label": "The answer" },
    h("p", { class: "lede-answer", id: "sentence" }, sentence(lead)),
    h("div", { class: "row" }, h("span", { class: `badge ${lead.word ?? ""}` }, lead.shown), isAdvisory([lead.base, lead.head]) && h("span", { class: "badge advisory" }, "advisory"), copier(text, "Copy the sentence with its address", shown)),
    whole,
  );
}

/** Draws a ratio with its interval on an axis that all rows share; the middle of the axis is 1. */
function forest(answer: Answer, axisEnd: number): Child {
  const { found } = answer;
  if (found === null) return "–";
  const xOf = (ratio: number): string => `${(50 + (Math.log(ratio) / axisEnd) * 48).toFixed(2)}%`;
  const zone = (answer.base.file.rule.margin / axisEnd) * 48;
  return s(
    "svg",
    { class: "forest", "aria-hidden": "true" },
    s("rect", { class: "zone", x: `${(50 - zone).toFixed(2)}%`, y: 0, width: `${(2 * zone).toFixed(2)}%`, height: 34 }),
    s("line", { class: "one", x1: "50%", x2: "50%", y1: 0, y2: 34 }),
    s("line", { class: "whisker", x1: xOf(found.low), x2: xOf(found.high), y1: 17, y2: 17 }),
    s("circle", { class: "dot", cx: xOf(found.ratio), cy: 17, r: 5 }),
  );
}

function ratios(base: Side, head: Side, all: readonly Answer[]): Child {
  if (all.length === 0) return h("p", { class: "note" }, `${head.label} and ${base.label} share no measure that counts.`);
  const axisEnd = Math.max(0.05, ...all.flatMap(({ found }) => (found === null ? [] : [Math.abs(Math.log(found.low)), Math.abs(Math.log(found.high))]))) * 1.05;
  return h(
    "section",
    { class: "chart-card" },
    h("h2", {}, swatch(head.mark), ` ${head.label} `, h("span", { class: "soft" }, "against "), swatch(base.mark), ` ${base.label}`),
    h("p", { class: "soft small" }, `Ratio with its ${confidence(base.file.rule)} interval; the dashed line is “no difference”, the grey zone ±2 %. The axis ends at ${change(Math.exp(-axisEnd))} and ${change(Math.exp(axisEnd))}.`),
    h(
      "div",
      { class: "scroll", role: "region", "aria-label": `Table: ${head.label} against ${base.label}`, tabindex: 0 },
      h(
        "table",
        { class: "ratios", role: "table" },
        h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, ["Measure", "Verdict", `Ratio and ${confidence(base.file.rule)} interval`, "", base.label, head.label, "Trials"].map((text) => h("th", { role: "columnheader", scope: "col" }, text || h("span", { class: "visually-hidden" }, "Picture of the interval"))))),
        h(
          "tbody",
          { role: "rowgroup" },
          all.map((answer) =>
            h(
              "tr",
              { role: "row" },
              h("th", { role: "rowheader", scope: "row" }, answer.values.title, " ", h("span", { class: "soft small" }, answer.values.where)),
              h("td", { role: "cell", class: "verdict" }, h("span", { class: `badge ${answer.word ?? ""}` }, answer.shown)),
              h("td", { role: "cell", class: "num ratio" }, ratioText(answer)),
              h("td", { role: "cell", class: "forest-cell" }, forest(answer, axisEnd)),
              h("td", { role: "cell", class: "num level", "data-of": base.label }, level(answer.values)),
              h("td", { role: "cell", class: "num level", "data-of": head.label }, level(answer.other)),
              h("td", { role: "cell", class: "num level", "data-of": "trials" }, answer.found?.trials ?? "–"),
            ),
          ),
        ),
      ),
    ),
  );
}

/** The position of a percentile on its axis depends on the share of requests beyond, so that each nine takes the same width. */
const positionOf = (quantile: number): number => -Math.log10(Math.max(1 - quantile, 1e-6));
const PERCENTILES = [0, 0.5, 0.9, 0.99, 0.999, 0.9999];

function latency(sides: readonly Side[]): Child {
  const all = sides.flatMap((side) => side.contender.latency.map((ladder) => ({ side, ladder, load: `${ladder.phase} ${ladder.where}` })));
  // Two sessions may have measured a phase at different loads: each load has a chart of its own.
  const loads = new Set(all.filter(({ ladder }) => ladder.points.length > 1).map(({ load }) => load));
  return [...loads].map((load) => {
    const ladders = all.filter((one) => one.load === load);
    const lines = ladders.map(({ side, ladder }): Curve => ({ label: side.label, mark: side.mark, pieces: [ladder.points.map(([q, ms]): Point => [positionOf(q), ms])] }));
    const last = Math.max(...lines.flatMap((line) => line.pieces.flat().map(([x]) => x)));
    const where = ladders[0]!.ladder.where;
    return h(
      "figure",
      { class: "chart-card" },
      h("figcaption", {}, h("h3", {}, `Latency ${where}`), h("p", {}, "By percentile, both axes logarithmic; shown where each trial has a hundred requests beyond.")),
      legend(lines),
      curves(lines, { label: `Latency by percentile ${where}: ${lines.map((line) => `${line.label} up to ${number(line.pieces[0]!.at(-1)?.[1] ?? NaN)} ms`).join("; ")}.`, x: [0, last], xTicks: PERCENTILES.filter((q) => positionOf(q) <= last + 1e-9).map((q) => [positionOf(q), q === 0 ? "min" : `p${Number((q * 100).toFixed(4))}`]), symbol: "ms", logarithmic: true }),
      latencyTable(ladders.map(({ side, ladder }) => ({ label: side.label, points: ladder.points })), where),
    );
  });
}

function latencyTable(lines: readonly { label: string; points: readonly (readonly number[])[] }[], where: string): HTMLElement {
  const quantiles = PERCENTILES.slice(1).filter((q) => lines.some((line) => line.points.some(([quantile]) => Math.abs(quantile! - q) < 1e-9)));
  return h(
    "details",
    {},
    h("summary", {}, "Table"),
    h(
      "div",
      { class: "scroll", role: "region", "aria-label": `Table: latency by percentile ${where}`, tabindex: 0 },
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Subject"), quantiles.map((q) => h("th", { scope: "col", class: "num" }, `p${Number((q * 100).toFixed(4))}, ms`)))),
        h("tbody", {}, lines.map((line) => h("tr", {}, h("th", { scope: "row" }, line.label), quantiles.map((q) => {
          const point = line.points.find(([quantile]) => Math.abs(quantile! - q) < 1e-9);
          return h("td", { class: "num" }, point === undefined ? "–" : number(point[1]!));
        })))),
      ),
    ),
  );
}

function warmUp(sides: readonly Side[]): Child {
  const measuredSides = sides.filter((side) => side.contender.warm_up !== null && side.contender.warm_up.pieces.flat().length > 1);
  if (measuredSides.length === 0) return sides.some((side) => !side.file.recent) && h("p", { class: "note" }, "Curves are kept here for the newest 90 sessions; those of older ones are in their evidence on the data branch.");
  const lines = measuredSides.map((side): Curve => ({ label: side.label, mark: side.mark, pieces: side.contender.warm_up!.pieces.map((piece) => piece.map(([x, y]): Point => [x, y])) }));
  const xs = lines.flatMap((line) => line.pieces.flat().map(([x]) => x));
  const range = [Math.min(...xs), Math.max(...xs)] as const;
  const ground = measuredSides[0]!.contender.warm_up!.bands.map((band) => ({ label: band.label, kind: band.kind, from: band.start_s, to: band.end_s }));
  const lastRate = (line: Curve): string => number(line.pieces.at(-1)?.at(-1)?.[1] ?? NaN);
  return h(
    "figure",
    { class: "chart-card" },
    h("figcaption", {}, h("h3", {}, "Warm-up"), h("p", {}, "Requests a second from the first load on; median of the trials that count. A phase begins at the same second in all trials of a session, after the longest of those before it.")),
    legend(lines),
    curves(lines, { label: `Requests a second since the first load: ${lines.map((line) => `${line.label} ends at ${lastRate(line)} a second`).join("; ")}.`, x: range, xTicks: secondTicks(...range), symbol: "requests/s", ground }),
    fold("Table", () =>
      h("div", { class: "scroll", role: "region", "aria-label": "Table: requests a second since the first load", tabindex: 0 }, h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Second"), lines.map((line) => h("th", { scope: "col", class: "num" }, line.label)))), h("tbody", {}, warmRows(lines)))),
    ),
  );
}

function warmRows(lines: readonly Curve[]): HTMLElement[] {
  const ratesOfLines = lines.map((line) => new Map(line.pieces.flat().map(([x, y]) => [Math.round(x), y])));
  const seconds = [...new Set(ratesOfLines.flatMap((rates) => [...rates.keys()]))].sort((a, b) => a - b);
  return seconds.map((second) => h("tr", {}, h("th", { scope: "row", class: "num" }, second), ratesOfLines.map((rates) => h("td", { class: "num" }, rates.has(second) ? number(rates.get(second)!) : "–"))));
}
