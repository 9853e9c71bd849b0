// Every measure of two sides, in words that may be quoted.

import type { CompareRule } from "../data/api";
import { change, number } from "../lib/numbers";
import { benjaminiHochberg, differences, holm, paired, said, unpaired, wordOf, type Comparison, type Word } from "../lib/verdict";
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
  values: Measured;
  base: Side;
  head: Side;
  found: Ratio | null;
  word: Word | null;
  shown: string;
}

const keyOf = (values: Measured): string => `${values.phase}/${values.metric}`;

const mean = (values: readonly number[]): number => Math.exp(values.reduce((sum, one) => sum + Math.log(one), 0) / values.length);

/** Every measure that both sides have; p values are adjusted for all that is asked of the two at once. */
export function answers(base: Side, head: Side): Answer[] {
  const rule = base.file.rule;
  const others = new Map(measuresOf(head).map((one) => [keyOf(one), one]));
  const within = base.place.session === head.place.session;
  const asked = measuresOf(base).flatMap((values) => {
    const other = others.get(keyOf(values));
    if (other === undefined) return [];
    return [{ values, found: within ? paired(differences(values, other, values.better), rule) : unpaired(values.values, other.values, values.better, rule) }];
  });
  const adjusted = new Map<Measured, Comparison>();
  for (const [primary, adjust] of [[true, holm], [false, benjaminiHochberg]] as const) {
    const family = asked.flatMap(({ values, found }) => (found !== null && values.primary === primary ? [{ values, found }] : []));
    const ps = adjust(family.map(({ found }) => found.p));
    family.forEach(({ values, found }, index) => adjusted.set(values, { ...found, p: ps[index]! }));
  }
  return asked.map(({ values }) => {
    const found = adjusted.get(values);
    if (found === undefined) return { values, base, head, found: null, word: null, shown: "not told" };
    const word = wordOf(found, values.metric, rule);
    return { values, base, head, found: ratioOf(found, values.better), word, shown: said(word, found, rule) };
  });
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

/** The sentence: who, what, by how much, how sure, of how many trials, and what stands against it. */
export function sentence({ values, base, head, found, word, shown }: Answer): string {
  const what = `${values.title} ${values.where}`.trim();
  const rule = base.file.rule;
  if (found === null || word === null) return `${what}: fewer than ${rule.minimum_pairs} trials of a side count, so nothing is said of ${head.label} against ${base.label}.`;
  const interval = `${change(found.ratio)} (${confidence(rule)} interval ${change(found.low)} to ${change(found.high)})`;
  const design = found.paired ? `${found.trials} pairs of trials in one session` : `two sessions, at least ${found.trials} trials each, not paired`;
  if (word === "inconclusive") return `${what}: ${head.label} against ${base.label} is ${shown}: ${interval}; ${design}.`;
  if (word === "equivalent") return `${what}: ${head.label} and ${base.label} are equivalent, closer than 2 %: ${interval}; ${design}.`;
  return `${what}: ${head.label} is ${shown} than ${base.label}: ${interval}; ${design}.`;
}
