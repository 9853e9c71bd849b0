// Every measure of two sides, in words that may be quoted.

import type { CompareRule } from "../data/api";
import { against, between, change, number } from "../lib/numbers";
import { benjaminiHochberg, differences, holm, paired, said, unpaired, withinDrift, wordOf, type Comparison, type Word } from "../lib/verdict";
import { measuresOf, type Measured, type Side } from "./contenders";

/** Head over base with its interval. */
export interface Ratio {
  ratio: number;
  low: number;
  high: number;
  trials: number;
  paired: boolean;
}

export interface Answer {
  /** What was measured of the base, and of the head. */
  values: Measured;
  other: Measured;
  base: Side;
  head: Side;
  found: Ratio | null;
  word: Word | null;
  shown: string;
  /** Why there is no word, as the end of a sentence. */
  why: string;
}

const keyOf = (values: Measured): string => `${values.phase}/${values.metric}`;

const mean = (values: readonly number[]): number => Math.exp(values.reduce((sum, one) => sum + Math.log(one), 0) / values.length);

/** Why the two are not told apart by a measure, whatever its values say; null where they may be. */
function refusal(base: Side, head: Side, values: Measured, other: Measured): [string, string] | null {
  const unsteady = values.warming_up || other.warming_up;
  if (unsteady) return ["while warming up", `no order is claimed of programs that may still be warming up. ${unsteady}`];
  const [one, two] = [base.contender.data_access, head.contender.data_access];
  if (one !== null && two !== null && (one !== two || one === "unknown"))
    return ["other class", "their ways to the data are of different classes, which are not ranked against each other."];
  return null;
}

/** A measure that both sides have, with what its values say before anything is adjusted. */
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
  const others = new Map(measuresOf(head).map((one) => [keyOf(one), one]));
  const within = base.place.session === head.place.session;
  return measuresOf(base).flatMap((values) => {
    const other = others.get(keyOf(values));
    if (other === undefined) return [];
    const refused = refusal(base, head, values, other);
    const its = { ...rule, level: within ? Math.max(values.level, other.level) : rule.level };
    const found = refused !== null ? null : within ? paired(differences(values, other, values.better), its) : unpaired(values.values, other.values, values.better, its);
    return [{ base, head, values, other, rule: its, refused, found }];
  });
}

/** Every measure that the two sides of each pair have. In one session each question has its class's level, which is that
 * of all pages; between two sessions p values are adjusted for all that is asked at once. */
export function answers(pairs: readonly (readonly [Side, Side])[]): Answer[] {
  const asked = pairs.flatMap(([base, head]) => questions(base, head));
  const within = pairs.every(([base, head]) => base.place.session === head.place.session);
  const adjusted = new Map<Measured, Comparison>();
  for (const [primary, adjust] of [[true, holm], [false, benjaminiHochberg]] as const) {
    const family = asked.flatMap(({ values, found }) => (found !== null && values.primary === primary ? [{ values, found }] : []));
    const ps = within ? family.map(({ found }) => found.p) : adjust(family.map(({ found }) => found.p));
    family.forEach(({ values, found }, index) => adjusted.set(values, { ...found, p: ps[index]! }));
  }
  return asked.map(({ base, head, values, other, rule: its, refused }) => {
    const rule = base.file.rule;
    const found = adjusted.get(values);
    const shared = { values, other, base, head };
    if (refused !== null) return { ...shared, found: null, word: null, shown: refused[0], why: refused[1] };
    if (found === undefined) return { ...shared, found: null, word: null, shown: "not told", why: `fewer than ${rule.minimum_pairs} trials of a side count, so nothing is said.` };
    const held = withinDrift(found, widest(values, other), its);
    const word = held ? wordOf(found, values.metric, its) : "inconclusive";
    return { ...shared, found: ratioOf(found, values.better), word, shown: held ? said(word, found, its) : "inconclusive (may still drift)", why: "" };
  });
}

/** How far the drifts of both may move the log ratio of head over base, down and up, turned so that above is better. */
function widest(values: Measured, other: Measured): [number, number] {
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

/** Geometric mean for people, in the shown unit. */
export function level(values: Measured): string {
  if (values.values.length === 0 || values.values.some((one) => one <= 0)) return "–";
  const text = number(mean(values.values) / values.per);
  return values.symbol.startsWith("/") ? text + values.symbol : `${text} ${values.symbol}`;
}

/** Ratio and interval as changes, or a dash. */
export function ratioText({ found }: Answer): string {
  return found === null ? "–" : `${change(found.ratio)} (${change(found.low)} to ${change(found.high)})`;
}

/** The sentence: who, what, by how much, how sure, of how many trials, or why nothing is said. */
export function sentence({ values, base, head, found, word, shown, why }: Answer): string {
  const what = `${values.title} ${values.where}`.trim();
  if (found === null || word === null) return `${what}, ${head.label} against ${base.label}: ${why}`;
  const sure = confidence(base.file.rule);
  const design = found.paired ? `${found.trials} pairs of trials in one session` : `two sessions, at least ${found.trials} trials each, not paired`;
  const open = found.low <= 1 && found.high >= 1;
  const interval = open ? `${between(found.low, found.high)} (${sure} interval)` : against(found.ratio, found.low, found.high, sure);
  if (word === "inconclusive") return `${what}: ${head.label} against ${base.label} is ${shown}: ${interval}; ${design}. What a session can’t decide, more blocks may.`;
  if (word === "equivalent") return `${what}: ${head.label} and ${base.label} are equivalent, closer than 2 %: ${interval}; ${design}.`;
  return `${what}: ${head.label} is ${shown} than ${base.label}: ${interval}; ${design}.`;
}
