// Comparisons of two sides by every measure, in sentences that a reader may quote.

import type { CompareRule } from "../data/api";
import { against, between, change, listed, number } from "../lib/numbers";
import { keyOf } from "../lib/state";
import { benjaminiHochberg, differences, holm, paired, said, unpaired, withinDrift, withP, wordOf, type Comparison, type Word } from "../lib/verdict";
import { measuresOf, type Measured, type Side } from "./contenders";

/** The ratio of head over base with its interval. */
export interface Ratio {
  ratio: number;
  low: number;
  high: number;
  trials: number;
  paired: boolean;
}

export interface Answer {
  /** The measured values of the base (`values`) and of the head (`other`). */
  values: Measured;
  other: Measured;
  base: Side;
  head: Side;
  found: Ratio | null;
  word: Word | null;
  shown: string;
  /** The reason why there is no word, as the end of a sentence. */
  why: string;
}

const mean = (values: readonly number[]): number => Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

/** The parts of what was asked in which two sessions differ: no ratio tells them from the subjects. */
function askedOtherwise(base: Side, head: Side, values: Measured, other: Measured): string[] {
  const phases = (side: Side): string | undefined => side.file.phases[side.contender.scenario];
  return [
    ...(values.where === other.where ? [] : [`the load (${other.where} against ${values.where})`]),
    ...(phases(base) === phases(head) ? [] : ["the phases"]),
    ...["workload", "figures"].filter((name) => base.file.environment[name] !== head.file.environment[name]).map((name) => `the version of the ${name}`),
  ];
}

/** The reason why a measure may not compare the two sides, whatever its values are; null where it may compare them. */
function refusal(base: Side, head: Side, values: Measured, other: Measured): [string, string] | null {
  const otherwise = askedOtherwise(base, head, values, other);
  if (otherwise.length > 0) return ["measured otherwise", `the sessions differ in ${listed(otherwise)}.`];
  const [ofBase, ofHead] = [base.contender.operation, head.contender.operation];
  if (ofBase !== ofHead) return ["other operation", `${base.label} ran ${ofBase}, and ${head.label} ran ${ofHead}.`];
  const unsteady = values.warming_up || other.warming_up;
  if (unsteady) return ["while warming up", `no order is claimed of programs that may still be warming up. ${unsteady}`];
  const [baseClass, headClass] = [base.contender.data_access, head.contender.data_access];
  if (baseClass !== null && headClass !== null && (baseClass !== headClass || baseClass === "unknown"))
    return ["other class", "their ways to the data are of different classes, which are not ranked against each other."];
  return null;
}

/** A measure that both sides have, with the comparison of its values before the p values are adjusted. */
interface Question {
  base: Side;
  head: Side;
  values: Measured;
  other: Measured;
  rule: CompareRule;
  refused: [string, string] | null;
  found: Comparison | null;
}

function questions(base: Side, head: Side): Question[] {
  const rule = base.file.rule;
  const headMeasures = new Map(measuresOf(head).map((measured) => [keyOf(measured), measured]));
  const sameSession = base.place.session === head.place.session;
  return measuresOf(base).flatMap((values) => {
    const other = headMeasures.get(keyOf(values));
    if (other === undefined) return [];
    const refused = refusal(base, head, values, other);
    const questionRule = { ...rule, level: sameSession ? Math.max(values.level, other.level) : rule.level };
    const found = refused !== null ? null : sameSession ? paired(differences(values, other, values.better), questionRule) : unpaired(values.values, other.values, values.better, questionRule);
    return [{ base, head, values, other, rule: questionRule, refused, found }];
  });
}

/** The answers for every measure that both sides of a pair have. In one session each question has the level of its class,
 * which all pages share; between two sessions the p values are adjusted for all questions together. */
export function answers(pairs: readonly (readonly [Side, Side])[]): Answer[] {
  const allQuestions = pairs.flatMap(([base, head]) => questions(base, head));
  const sameSession = pairs.every(([base, head]) => base.place.session === head.place.session);
  const adjusted = new Map<Measured, Comparison>();
  for (const [primary, adjust] of [[true, holm], [false, benjaminiHochberg]] as const) {
    const family = allQuestions.flatMap(({ values, found, rule }) => (found !== null && values.primary === primary ? [{ values, found, rule }] : []));
    const ps = sameSession ? family.map(({ found }) => found.p) : adjust(family.map(({ found }) => found.p));
    family.forEach(({ values, found, rule }, index) => adjusted.set(values, withP(found, ps[index]!, rule)));
  }
  return allQuestions.map(({ base, head, values, other, rule: questionRule, refused }) => {
    const rule = base.file.rule;
    const found = adjusted.get(values);
    const shared = { values, other, base, head };
    if (refused !== null) return { ...shared, found: null, word: null, shown: refused[0], why: refused[1] };
    if (found === undefined) return { ...shared, found: null, word: null, shown: "not told", why: `fewer than ${rule.minimum_pairs} trials of a side count, so nothing is said.` };
    const holdsUnderDrift = withinDrift(found, driftRange(values, other), questionRule);
    const word = holdsUnderDrift ? wordOf(found, values.metric, questionRule) : "inconclusive";
    return { ...shared, found: ratioOf(found, values.better), word, shown: holdsUnderDrift ? said(word, found, questionRule) : "inconclusive (may still drift)", why: "" };
  });
}

/** How far the drifts of both sides may move the log ratio of head over base, down and up; above zero is better. */
function driftRange(values: Measured, other: Measured): [number, number] {
  const [down, up] = [other.drift[0] + values.drift[1], other.drift[1] + values.drift[0]];
  return values.better === "higher" ? [down, up] : [up, down];
}

function ratioOf(found: Comparison, better: "higher" | "lower"): Ratio {
  const [low, high] = better === "higher" ? [found.low, found.high] : [-found.high, -found.low];
  const effect = better === "higher" ? found.effect : -found.effect;
  return { ratio: Math.exp(effect), low: Math.exp(low), high: Math.exp(high), trials: found.trials, paired: found.paired };
}

/** `99 %`: the confidence of every interval of a comparison. */
export const confidence = (rule: CompareRule): string => `${Number(((1 - rule.level) * 100).toFixed(2))} %`;

/** The geometric mean as a text, in the unit that the page shows. */
export function level(values: Measured): string {
  if (values.values.length === 0 || values.values.some((value) => value <= 0)) return "–";
  const text = number(mean(values.values) / values.per);
  return values.symbol.startsWith("/") ? text + values.symbol : `${text} ${values.symbol}`;
}

/** A measure in words. */
export const measureOf = ({ title, where }: Measured): string => `${title} ${where}`.trim();

/** The ratio and its interval as changes, or a dash. */
export function ratioText({ found }: Answer): string {
  return found === null ? "–" : `${change(found.ratio)} (${change(found.low)} to ${change(found.high)})`;
}

/** Whether a result of these sides is advisory at best. */
export const isAdvisory = (sides: readonly Side[]): boolean => sides.some((side) => side.file.word !== "valid");

/** The answer as a sentence: measure, subjects, change, confidence and number of trials, or why there is no verdict. */
export function sentence({ values, base, head, found, word, shown, why }: Answer): string {
  const measure = measureOf(values);
  if (found === null || word === null) return `${measure}, ${head.label} against ${base.label}: ${why}`;
  const confidenceText = confidence(base.file.rule);
  const design = found.paired ? `${found.trials} pairs of trials in one session` : `two sessions, at least ${found.trials} trials each, not paired`;
  const undecided = found.low <= 1 && found.high >= 1;
  const interval = undecided ? `${between(found.low, found.high)} (${confidenceText} interval)` : against(found.ratio, found.low, found.high, confidenceText);
  const start = `${isAdvisory([base, head]) ? "Advisory. " : ""}${measure}`;
  if (word === "inconclusive") return `${start}: ${head.label} against ${base.label} is ${shown}: ${interval}; ${design}. What a session can’t decide, more blocks may.`;
  if (word === "equivalent") return `${start}: ${head.label} and ${base.label} are equivalent, closer than 2 %: ${interval}; ${design}.`;
  return `${start}: ${head.label} is ${shown} than ${base.label}: ${interval}; ${design}.`;
}
