// One dense table compares two sessions, such as those of two commits: every subject, workload and measure of both, changes
// first.

import { withState, type Address } from "../lib/address";
import { fold } from "../lib/controls";
import { h, link, type Child } from "../lib/dom";
import { buttons } from "../lib/download";
import { swatch } from "../lib/marks";
import { change, count } from "../lib/numbers";
import { EVERY, surroundings, textOf, type Side } from "./contenders";
import { answers, confidence, isAdvisory, level, ratioText, type Answer } from "./ratios";

/** The state of the page that compares a subject of two sessions; with an empty `subject`, the page chooses the subject. */
export function twoSessions(base: string, head: string, subject = EVERY): URLSearchParams {
  return new URLSearchParams({ base: textOf([{ session: base, subject }]), with: textOf([{ session: head, subject }]) });
}

type Group = "worse" | "better" | "equivalent" | "open";

const GROUP: Readonly<Record<string, Group>> = { slower: "worse", worse: "worse", faster: "better", better: "better", equivalent: "equivalent" };

/** The group that an answer belongs to. */
const groupOf = ({ word }: Answer): Group => GROUP[word ?? ""] ?? "open";

const size = ({ found }: Answer): number => (found === null ? 0 : Math.abs(Math.log(found.ratio)));

/** The answers of each group: primary measures first, the largest change first. */
function grouped(all: readonly Answer[]): Record<Group, Answer[]> {
  const groups: Record<Group, Answer[]> = { worse: [], better: [], equivalent: [], open: [] };
  for (const answer of all) groups[groupOf(answer)].push(answer);
  for (const group of Object.values(groups)) group.sort((a, b) => Number(b.values.primary) - Number(a.values.primary) || size(b) - size(a));
  return groups;
}

/** The view of all pairs of two sessions; `names` are the names of the sessions, `titleOf` gives the title of a scenario. */
export function everything(pairs: readonly (readonly [Side, Side])[], names: readonly [string, string], titleOf: (scenario: string) => string): Child[] {
  const first = pairs[0];
  if (first === undefined) return [h("p", { class: "note" }, "The two sessions share no subject and workload that counts. Choose another.")];
  const all = answers(pairs);
  const manyScenarios = new Set(pairs.map(([side]) => side.contender.scenario)).size > 1;
  const { worse, better, equivalent, open } = grouped(all);
  const rows = (label: string, group: readonly Answer[]): HTMLElement => table(group, names, label, confidence(first[0].file.rule), manyScenarios ? titleOf : () => "");
  const section = (title: string, group: readonly Answer[]): Child => group.length > 0 && h("section", { class: "chart-card" }, h("h2", {}, title), rows(title, group));
  const folded = (title: string, group: readonly Answer[]): Child => group.length > 0 && fold(`${title}: ${group.length}`, () => rows(title, group));
  return [
    h("p", { class: "note lede-answer", id: "sentence" }, `${isAdvisory(first) ? "Advisory. " : ""}${names[1]} against ${names[0]}: of ${count(all.length, "question")}, ${worse.length} worse, ${better.length} better, ${equivalent.length} equivalent, ${open.length} open.`),
    h("p", { class: "note warn" }, "A difference between two sessions may be the machine's. Their trials are not paired, and all questions of this table share one level. ", surroundings(first[0].file, first[1].file), " ", controlSentence(all)),
    section("Worse", worse),
    section("Better", better),
    folded("Equivalent, closer than 2 %", equivalent),
    folded("Open, and never called “no change”", open),
    h(
      "div",
      { class: "chart-tools" },
      buttons(
        "plumbline-sessions",
        () => ({
          head: ["subject", "scenario", "measure", "where", "verdict", "ratio", "low", "high", "trials"],
          rows: all.map(({ head, values, shown, found }) => [head.label, head.contender.scenario, values.title, values.where, shown, found?.ratio ?? null, found?.low ?? null, found?.high ?? null, found?.trials ?? null]),
        }),
        () => all.map(({ values, base, head, found, shown }) => ({ base: base.place, head: head.place, scenario: head.contender.scenario, metric: values.metric, phase: values.phase, verdict: shown, ...found })),
      ),
    ),
  ];
}

/** A sentence on the control, the program without a framework: where the control changed, the machine may have changed. */
export function controlSentence(all: readonly Answer[]): string {
  const controls = all.filter((answer) => answer.head.contender.control && answer.found !== null);
  if (controls.length === 0) return "The control, which has no framework, was not compared.";
  const changedControls = controls.filter((answer) => groupOf(answer) === "worse" || groupOf(answer) === "better");
  const largest = changedControls.sort((a, b) => size(b) - size(a))[0];
  return largest?.found == null ? "The control, which has no framework, shows no proven change." : `The control itself, which has no framework, changed: ${largest.values.title} ${largest.values.where} ${change(largest.found.ratio)}.`;
}

function table(all: readonly Answer[], [baseName, headName]: readonly [string, string], label: string, confidenceText: string, titleOf: (scenario: string) => string): HTMLElement {
  return h(
    "div",
    { class: "scroll", role: "region", "aria-label": `Table: ${label}`, tabindex: 0 },
    h(
      "table",
      { class: "dense" },
      h("thead", {}, h("tr", {}, ["Verdict", `Change and ${confidenceText} interval`, "Subject", "Measure", baseName, headName].map((text) => h("th", { scope: "col" }, text)))),
      h(
        "tbody",
        {},
        all.map((answer) =>
          h(
            "tr",
            {},
            h("td", { class: "verdict" }, h("span", { class: `badge ${answer.word ?? ""}` }, answer.shown)),
            h("td", { class: "num ratio" }, ratioText(answer)),
            h("th", { scope: "row" }, swatch(answer.head.contender.mark), " ", link(pairAddress(answer), {}, answer.head.label), " ", h("span", { class: "soft small" }, titleOf(answer.head.contender.scenario))),
            h("td", {}, answer.values.title, " ", h("span", { class: "soft small" }, answer.values.where)),
            h("td", { class: "num level" }, level(answer.values)),
            h("td", { class: "num level" }, level(answer.other)),
          ),
        ),
      ),
    ),
  );
}

/** The address of the whole comparison of a row, with latency and warm-up. */
function pairAddress({ base, head }: Answer): Address {
  return withState(new URLSearchParams({ base: textOf([base.place]), scenario: head.contender.scenario, with: textOf([head.place]) }));
}
