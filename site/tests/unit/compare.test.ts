// Sides of two sessions: their marks, what differs between the sessions, and one family of questions for all subjects.

import { expect, test } from "vitest";
import { headOf, opposed, pairsOf, surroundings, toldApart, type Side } from "../../src/compare/contenders";
import { controlSentence } from "../../src/compare/every";
import { answers, sentence } from "../../src/compare/ratios";
import type { CompareFile } from "../../src/data/api";
import { holm, unpaired } from "../../src/lib/verdict";

const RULE = { level: 0.01, margin: 0.02, minimum_pairs: 3, trimmed_share: 0.2, trimmed_from: 10, trimmed_doubts_above: 0.1 };
const SUBJECTS = ["one", "two", "three", "control"];

/** A session in which each subject has five trials around its level, and the control comes first. */
function session(name: string, factor: number): CompareFile {
  const values = (level: number): number[] => [0.99, 1.01, 1, 1.02, 0.98].map((noise) => level * noise);
  return {
    api: "v1", kind: "compare", simulated: true, session: name, t: 0, host: "sim", word: "valid", environment: { kernel: "a", figures: "5" }, phases: { fruits: "closed 20" }, blocks: 5, recent: false, rule: RULE,
    measures: [{ phase: "closed", metric: "app_cpu_us_per_request", title: "CPU", where: "closed", symbol: "µs", per: 1, better: "lower", primary: true }],
    contenders: [...SUBJECTS].reverse().map((subject) => ({
      subject, short: subject, mark: 0, control: subject === "control", data_access: null, scenario: "fruits", operation: "GET /fruits", latency: [], warm_up: null,
      values: [{ measure: 0, level: 0.05, warming_up: "", drift: [0, 0], blocks: [1, 2, 3, 4, 5], values: values(subject === "one" ? 100 * factor : 100) }],
    })),
  };
}

const pairs = (): [Side, Side][] => pairsOf(session("a", 1), session("b", 1.04), (subject) => subject);

test("every subject of both, the control last", () => {
  expect(pairs().map(([base]) => base.place.subject).sort()).toEqual([...SUBJECTS].sort());
  expect(pairs().at(-1)![0].contender.control).toBe(true);
});

test("a control that was not compared is not said to be unchanged", () => {
  expect(controlSentence(answers(pairs()))).toContain("shows no proven change");
  const otherLoad = pairs().map(([base, head]): [Side, Side] => [base, { ...head, file: { ...head.file, phases: { fruits: "closed 40" } } }]);
  expect(controlSentence(answers(otherLoad))).toContain("was not compared");
  expect(controlSentence(answers(pairs().slice(0, -1)))).toContain("was not compared");
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

const pairOf = (subject: string, base: CompareFile, head: CompareFile): [Side, Side] => pairsOf(base, head, (slug) => slug).find(([side]) => side.place.subject === subject)!;

test("a subject is not compared with a control that ran another operation", () => {
  const file = session("a", 1);
  const [base, head] = ["one", "control"].map((subject) => pairOf(subject, file, file)[0]) as [Side, Side];
  expect(answers([[base, head]])[0]!.found).not.toBeNull();
  const reading = { ...head, contender: { ...head.contender, operation: "GET /fruits/{name}" } };
  const [answer] = answers([[base, reading]]);
  expect([answer!.found, answer!.word, answer!.shown]).toEqual([null, null, "other operation"]);
  expect(sentence(answer!)).toBe("CPU closed, control against one: one ran GET /fruits, and control ran GET /fruits/{name}.");
});

test.each<[string, (file: CompareFile) => CompareFile, string]>([
  ["another load", (file) => ({ ...file, measures: file.measures.map((one) => ({ ...one, where: "at full load (25 connections)" })) }), "the sessions differ in the load (at full load (25 connections) against closed)."],
  ["longer phases", (file) => ({ ...file, phases: { fruits: "closed 60" } }), "the sessions differ in the phases."],
  ["other figures", (file) => ({ ...file, environment: { ...file.environment, figures: "6" } }), "the sessions differ in the version of the figures."],
])("%s in another session leaves no ratio", (_, changed, why) => {
  const [answer] = answers([pairOf("one", session("a", 1), changed(session("b", 1.5)))]);
  expect(answer).toMatchObject({ found: null, word: null, shown: "measured otherwise", why });
  expect(answers([pairOf("one", session("a", 1), session("b", 1.5))])[0]!.word).toBe("worse");
});

test.each<["higher" | "lower", [number, number], [number, number], string]>([
  ["higher", [0, 0.5], [0, 0], "inconclusive"],
  ["higher", [0, 0], [0.5, 0], "inconclusive"],
  ["higher", [0.5, 0], [0, 0.5], "better"],
  ["lower", [0, 0.5], [0, 0], "inconclusive"],
  ["lower", [0, 0], [0.5, 0], "inconclusive"],
  ["lower", [0.5, 0], [0, 0.5], "worse"],
])("where %s is better, a base that may move by %j and a head, half as much again, by %j are %s", (better, ofBase, ofHead, word) => {
  const drifting = (file: CompareFile, drift: [number, number]): CompareFile => ({
    ...file,
    measures: file.measures.map((one) => ({ ...one, better })),
    contenders: file.contenders.map((its) => ({ ...its, values: its.values.map((one) => ({ ...one, drift })) })),
  });
  expect(answers([pairOf("one", drifting(session("a", 1), ofBase), drifting(session("b", 1.5), ofHead))])[0]!.word).toBe(word);
});

test("another host and kernel are named, and leave the ratio", () => {
  const other: CompareFile = { ...session("b", 1.5), host: "lab", environment: { kernel: "b", cpu_model: "x", figures: "5" } };
  expect(surroundings(session("a", 1), other)).toBe("Around the subjects they differ in host, cpu model and kernel.");
  expect(surroundings(session("a", 1), session("b", 1))).toContain("Nothing that is recorded");
  expect(answers([pairOf("one", session("a", 1), other)])[0]!.word).toBe("worse");
});

test("a result of a session that is advisory says so", () => {
  const told = (word: CompareFile["word"]): string => sentence(answers([pairOf("one", session("a", 1), { ...session("b", 1.5), word })])[0]!);
  expect(told("valid")).toMatch(/^CPU closed: one is worse than one/);
  expect(told("advisory")).toMatch(/^Advisory\. CPU closed: one is worse than one/);
});

test("sides with one mark are told apart, and no side takes the mark of another", () => {
  const [side] = pairOf("one", session("a", 1), session("b", 1));
  const marks = (...given: (number | null)[]): (number | null)[] => toldApart(given.map((mark) => ({ ...side, mark }))).map((one) => one.mark);
  expect(marks(3, 3, 4, 3)).toEqual([3, 5, 4, 6]);
  expect(marks(null, null, 0)).toEqual([null, 1, 0]);
  expect(marks(7, 2)).toEqual([7, 2]);
});

test("a subject is compared with itself in another session only", () => {
  const file = session("a", 1);
  const base = { session: "a", subject: "one" };
  const head = (place: string, subject: string, made = file, scenario = "fruits"): string => headOf({ session: place, subject }, made, scenario, base).subject;
  expect(head("a", "two")).toBe("two");
  expect(head("a", "one")).toBe(opposed(file, "fruits", "one")[1]);
  expect(head("a", "what-did-not-run")).toBe(opposed(file, "fruits", "one")[1]);
  expect(head("b", "what-did-not-run")).toBe("one");
  expect(head("a", "two", { ...file, contenders: file.contenders.filter((one) => one.subject === "one") })).toBe("");
  expect(head("b", "one", file, "orders")).toBe("");
});
