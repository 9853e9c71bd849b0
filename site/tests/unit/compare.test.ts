// Questions of two sessions are one family, however many subjects they are asked of.

import { expect, test } from "vitest";
import { opposed, pairsOf, type Side } from "../../src/compare/contenders";
import { answers } from "../../src/compare/ratios";
import type { CompareFile } from "../../src/data/api";
import { holm, unpaired } from "../../src/lib/verdict";

const RULE = { level: 0.01, margin: 0.02, minimum_pairs: 3, trimmed_share: 0.2, trimmed_from: 10, trimmed_doubts_above: 0.1 };
const SUBJECTS = ["one", "two", "three", "control"];

/** A session in which each subject has five trials around its level, and the control comes first. */
function session(name: string, factor: number): CompareFile {
  const values = (level: number): number[] => [0.99, 1.01, 1, 1.02, 0.98].map((noise) => level * noise);
  return {
    api: "v1", kind: "compare", simulated: true, session: name, t: 0, host: "sim", blocks: 5, recent: false, rule: RULE,
    measures: [{ phase: "closed", metric: "app_cpu_us_per_request", title: "CPU", where: "closed", symbol: "µs", per: 1, better: "lower", primary: true }],
    contenders: [...SUBJECTS].reverse().map((subject) => ({
      subject, short: subject, mark: 0, control: subject === "control", data_access: null, scenario: "fruits", latency: [], warm_up: null,
      values: [{ measure: 0, level: 0.05, warming_up: "", drift: [0, 0], blocks: [1, 2, 3, 4, 5], values: values(subject === "one" ? 100 * factor : 100) }],
    })),
  };
}

const pairs = (): [Side, Side][] => pairsOf(session("a", 1), session("b", 1.04), (subject) => subject);

test("every subject of both, the control last", () => {
  expect(pairs().map(([base]) => base.place.subject).sort()).toEqual([...SUBJECTS].sort());
  expect(pairs().at(-1)![0].contender.control).toBe(true);
});

test("p values are adjusted for the questions of all pairs", () => {
  const alone = answers(pairs().filter(([base]) => base.place.subject === "one"));
  const together = answers(pairs());
  const raw = unpaired(alone[0]!.values.values, alone[0]!.other.values, "lower", RULE)!.p;
  expect(raw * SUBJECTS.length).toBeGreaterThan(RULE.level);
  expect(raw).toBeLessThan(RULE.level);
  expect(alone[0]!.word).toBe("worse");
  const undecided = together.find((one) => one.base.place.subject === "one")!;
  expect(undecided.word).toBe("inconclusive");
  expect(undecided.found!.low).toBeLessThan(1);
  expect(undecided.found!.high).toBeGreaterThan(alone[0]!.found!.high);
  expect(holm([raw, 1, 1, 1])[0]).toBeCloseTo(raw * SUBJECTS.length, 12);
});

test("who named nobody sees two of one class with trials enough for a verdict", () => {
  const classes = { one: "orm", two: "sql", three: "sql", control: null } as const;
  const made = session("a", 1);
  const file = (few: string | null): CompareFile => ({
    ...made,
    contenders: made.contenders.map((its) => ({
      ...its,
      data_access: classes[its.subject as keyof typeof classes],
      values: its.subject === few ? its.values.map((one) => ({ ...one, blocks: [1, 2], values: [1, 1] })) : its.values,
    })),
  });
  expect(opposed(file(null), "fruits")).toEqual(["three", "two"]);
  expect(opposed(file(null), "fruits", "two")).toEqual(["two", "three"]);
  expect(opposed(file(null), "fruits", "one")).toEqual(["one", "three"]);
  const another = file("three");
  another.contenders.push({ ...another.contenders.find((one) => one.subject === "two")!, subject: "four" });
  expect(opposed(another, "fruits")).toEqual(["two", "four"]);
  expect(opposed({ ...made, contenders: made.contenders.slice(0, 1) }, "fruits")).toEqual(["control", "control"]);
});
