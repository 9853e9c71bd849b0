// Two sessions, such as those of two commits, in one dense table: every subject, workload and measure of both, what changed
// first.

import { withState, type Address } from "../lib/address";
import { fold } from "../lib/controls";
import { h, link, type Child } from "../lib/dom";
import { buttons } from "../lib/download";
import { swatch } from "../lib/marks";
import { change, count } from "../lib/numbers";
import { EVERY, textOf, type Side } from "./contenders";
import { answers, confidence, level, ratioText, type Answer } from "./ratios";

/** The state of the page that shows a subject of one session against that of another; without one, the page chooses. */
export function twoSessions(base: string, head: string, subject = EVERY): URLSearchParams {
  return new URLSearchParams({ base: textOf([{ session: base, subject }]), with: textOf([{ session: head, subject }]) });
}

type Group = "worse" | "better" | "equivalent" | "open";

const GROUP: Readonly<Record<string, Group>> = { slower: "worse", worse: "worse", faster: "better", better: "better", equivalent: "equivalent" };

/** What became of a question. */
const groupOf = ({ word }: Answer): Group => GROUP[word ?? ""] ?? "open";

const size = ({ found }: Answer): number => (found === null ? 0 : Math.abs(Math.log(found.ratio)));

/** The answers of each group: primary measures first, the largest change first. */
function grouped(all: readonly Answer[]): Record<Group, Answer[]> {
  const groups: Record<Group, Answer[]> = { worse: [], better: [], equivalent: [], open: [] };
  for (const one of all) groups[groupOf(one)].push(one);
  for (const group of Object.values(groups)) group.sort((a, b) => Number(b.values.primary) - Number(a.values.primary) || size(b) - size(a));
  return groups;
}

/** Every pair of two sessions; `names` are what the sessions are called, `titleOf` a scenario's. */
export function everything(pairs: readonly (readonly [Side, Side])[], names: readonly [string, string], titleOf: (scenario: string) => string): Child[] {
  const first = pairs[0];
  if (first === undefined) return [h("p", { class: "note" }, "The two sessions share no subject and workload that counts. Choose another.")];
  const all = answers(pairs);
  const many = new Set(pairs.map(([side]) => side.contender.scenario)).size > 1;
  const { worse, better, equivalent, open } = grouped(all);
  const rows = (label: string, its: readonly Answer[]): HTMLElement => table(its, names, label, confidence(first[0].file.rule), many ? titleOf : () => "");
  const section = (title: string, its: readonly Answer[]): Child => its.length > 0 && h("section", { class: "chart-card" }, h("h2", {}, title), rows(title, its));
  const folded = (title: string, its: readonly Answer[]): Child => its.length > 0 && fold(`${title}: ${its.length}`, () => rows(title, its));
  return [
    h("p", { class: "note lede-answer", id: "sentence" }, `${names[1]} against ${names[0]}: of ${count(all.length, "question")}, ${worse.length} worse, ${better.length} better, ${equivalent.length} equivalent, ${open.length} open.`),
    h("p", { class: "note warn" }, "A difference between two sessions may be the machine's. Their trials are not paired, and all questions of this table share one level. ", control(all)),
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

/** What the program without a framework says of the machine, where it says something. */
function control(all: readonly Answer[]): string {
  const moved = all.filter((one) => one.head.contender.control && (groupOf(one) === "worse" || groupOf(one) === "better"));
  const most = moved.sort((a, b) => size(b) - size(a))[0];
  return most?.found == null ? "The control, which has no framework, shows no proven change." : `The control itself, which has no framework, changed: ${most.values.title} ${most.values.where} ${change(most.found.ratio)}.`;
}

function table(all: readonly Answer[], [one, other]: readonly [string, string], label: string, sure: string, titleOf: (scenario: string) => string): HTMLElement {
  return h(
    "div",
    { class: "scroll", role: "region", "aria-label": `Table: ${label}`, tabindex: 0 },
    h(
      "table",
      { class: "dense" },
      h("thead", {}, h("tr", {}, ["Verdict", `Change and ${sure} interval`, "Subject", "Measure", one, other].map((text) => h("th", { scope: "col" }, text)))),
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

/** The whole comparison of a row: latency and warm-up too. */
function pairAddress({ base, head }: Answer): Address {
  return withState(new URLSearchParams({ base: textOf([base.place]), scenario: head.contender.scenario, with: textOf([head.place]) }));
}
