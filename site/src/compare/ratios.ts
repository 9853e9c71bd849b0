// One measure of two sides, in words that may be quoted.

import type { Values } from "../data/api";
import { change, number } from "../lib/numbers";
import { pairedRatio, said, unpairedRatio, wordOf, type Ratio, type Word } from "../lib/verdict";
import type { Side } from "./contenders";

export interface Answer {
  values: Values;
  base: Side;
  head: Side;
  found: Ratio | null;
  word: Word | null;
  shown: string;
}

const keyOf = (values: Values): string => `${values.phase}/${values.metric}`;

const mean = (values: readonly number[]): number => Math.exp(values.reduce((sum, one) => sum + Math.log(one), 0) / values.length);

/** Every measure that both sides have. */
export function answers(base: Side, head: Side): Answer[] {
  const others = new Map(head.contender.values.map((one) => [keyOf(one), one]));
  return base.contender.values.flatMap((values) => {
    const other = others.get(keyOf(values));
    if (other === undefined) return [];
    const quantiles = base.file.t_quantiles;
    const found =
      base.place.session === head.place.session
        ? pairedRatio(values, other, quantiles)
        : unpairedRatio(values.values, other.values, quantiles);
    const word = found === null ? null : wordOf(found, values.better, values.metric);
    return [{ values, base, head, found, word, shown: word === null || found === null ? "not told" : said(word, found) }];
  });
}

/** Geometric mean for people, in the shown unit. */
export function level(values: Values): string {
  if (values.values.length === 0 || values.values.some((one) => one <= 0)) return "–";
  const text = number(mean(values.values) / values.per);
  return values.symbol.startsWith("/") ? text + values.symbol : `${text} ${values.symbol}`;
}

/** The sentence: who, what, by how much, how sure, of how many trials, and what stands against it. */
export function sentence({ values, base, head, found, word, shown }: Answer): string {
  const what = `${values.title} ${values.where}`.trim();
  if (found === null || word === null) return `${what}: fewer than two trials of a side count, so nothing is said of ${head.label} against ${base.label}.`;
  const interval = `${change(found.ratio)} (95 % interval ${change(found.low)} to ${change(found.high)})`;
  const design = found.paired ? `${found.trials} pairs of trials in one session` : `two sessions, at least ${found.trials} trials each, not paired`;
  if (word === "inconclusive") return `${what}: ${head.label} against ${base.label} is inconclusive: ${interval}; ${design}.`;
  if (word === "equivalent") return `${what}: ${head.label} and ${base.label} are equivalent within 2 %: ${interval}; ${design}.`;
  return `${what}: ${head.label} is ${shown} than ${base.label}: ${interval}; ${design}.`;
}
