// The verdict on two sets of trial values, by the rule of `./bench compare`. The thresholds come with each document, and a test
// checks that both give the same answers. Seconds of one process are no repetitions: a value is one trial. Trials of one session
// are paired by block, by their mean where a block has several; trials of two sessions can't be paired.

import type { CompareRule } from "../data/api";
import { quantile, twoSidedP } from "./student";

export type Word = "faster" | "slower" | "better" | "worse" | "equivalent" | "inconclusive";

/** Effects are log ratios, above zero where head is better; `p` is two-sided. `robust` is null where trials are not paired. */
export interface Comparison {
  trials: number;
  paired: boolean;
  degrees: number;
  effect: number;
  low: number;
  high: number;
  p: number;
  robust: { estimates: readonly number[]; doubted: boolean } | null;
}

export interface Sample {
  blocks: readonly number[];
  values: readonly number[];
}

/** The error that floating point may add to a log ratio; a smaller difference counts as none. */
const ROUNDING = 1e-12;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number => sum(values) / values.length;

function variance(values: readonly number[]): number {
  const middle = mean(values);
  return sum(values.map((value) => (value - middle) ** 2)) / (values.length - 1);
}

/** The mean logarithm of the values of each block: a block may hold several trials of the control. */
function meanLogs({ blocks, values }: Sample): Map<number, number> {
  const logsOf = (block: number): number[] => values.flatMap((value, index) => (blocks[index] === block ? [Math.log(value)] : []));
  return new Map(blocks.map((block) => [block, mean(logsOf(block))]));
}

/** Log ratios of head over base in common blocks, above zero where head is better. */
export function differences(base: Sample, head: Sample, better: "higher" | "lower"): number[] {
  const [baseLogs, headLogs] = [meanLogs(base), meanLogs(head)];
  const sign = better === "higher" ? 1 : -1;
  return [...headLogs].flatMap(([block, log]) => (baseLogs.has(block) ? [sign * (log - baseLogs.get(block)!)] : []));
}

function testResult(effect: number, error: number, degrees: number, rule: CompareRule): Pick<Comparison, "degrees" | "effect" | "low" | "high" | "p"> {
  const half = quantile(degrees, 1 - rule.level / 2) * error;
  const p = error > ROUNDING ? twoSidedP(degrees, effect / error) : Math.abs(effect) > ROUNDING ? 0 : 1;
  return { degrees, effect, low: effect - half, high: effect + half, p };
}

/** Compares two sides by their paired differences; null where the differences are too few for a verdict. */
export function paired(values: readonly number[], rule: CompareRule): Comparison | null {
  const count = values.length;
  if (count < rule.minimum_pairs) return null;
  const found = testResult(mean(values), Math.sqrt(variance(values) / count), count - 1, rule);
  const trimmed = yuen(values, rule.trimmed_share);
  return {
    trials: count,
    paired: true,
    ...found,
    robust: { estimates: [trimmed.estimate, hodgesLehmann(values)], doubted: count >= rule.trimmed_from && trimmed.p > rule.trimmed_doubts_above },
  };
}

/** Compares trials of two sessions by Welch's test of the logarithms; null where a session has too few trials. */
export function unpaired(base: readonly number[], head: readonly number[], better: "higher" | "lower", rule: CompareRule): Comparison | null {
  const [a, b] = [base, head].map((values) => values.filter((value) => value > 0).map(Math.log)) as [number[], number[]];
  if (Math.min(a.length, b.length) < rule.minimum_pairs) return null;
  const [va, vb] = [variance(a) / a.length, variance(b) / b.length];
  const degrees = va + vb === 0 ? a.length + b.length - 2 : (va + vb) ** 2 / (va ** 2 / (a.length - 1) + vb ** 2 / (b.length - 1));
  const effect = (mean(b) - mean(a)) * (better === "higher" ? 1 : -1);
  return { trials: Math.min(a.length, b.length), paired: false, ...testResult(effect, Math.sqrt(va + vb), degrees, rule), robust: null };
}

/** Yuen's trimmed mean with the p of its test against zero. */
function yuen(values: readonly number[], share: number): { estimate: number; p: number } {
  const ordered = [...values].sort((a, b) => a - b);
  const cut = Math.floor(share * ordered.length);
  const kept = ordered.slice(cut, ordered.length - cut);
  const estimate = mean(kept);
  const winsorised = ordered.map((value) => Math.min(Math.max(value, kept[0]!), kept.at(-1)!));
  const error = Math.sqrt(((ordered.length - 1) * variance(winsorised)) / (kept.length * (kept.length - 1)));
  if (error === 0) return { estimate, p: estimate === 0 ? 1 : 0 };
  return { estimate, p: twoSidedP(kept.length - 1, estimate / error) };
}

/** The median of the means of all pairs of values; a value also makes a pair with itself. */
function hodgesLehmann(values: readonly number[]): number {
  const sums = values.flatMap((first, index) => values.slice(index).map((second) => first + second)).sort((a, b) => a - b);
  const middle = Math.floor(sums.length / 2);
  return (sums.length % 2 === 1 ? sums[middle]! : (sums[middle - 1]! + sums[middle]!) / 2) / 2;
}

/** Adjusted p values of questions of which not one may be a false alarm (Holm 1979), in the order given. */
export function holm(ps: readonly number[]): number[] {
  const adjusted = ps.map(() => 1);
  let largest = 0;
  [...ps.keys()].sort((a, b) => ps[a]! - ps[b]!).forEach((place, rank) => {
    largest = Math.max(largest, Math.min(1, ps[place]! * (ps.length - rank)));
    adjusted[place] = largest;
  });
  return adjusted;
}

/** Adjusted p values of questions of which only a share may be false alarms (Benjamini and Hochberg 1995). */
export function benjaminiHochberg(ps: readonly number[]): number[] {
  const adjusted = ps.map(() => 1);
  let smallest = 1;
  [...ps.keys()].sort((a, b) => ps[b]! - ps[a]!).forEach((place, index) => {
    smallest = Math.min(smallest, (ps[place]! * ps.length) / (ps.length - index));
    adjusted[place] = smallest;
  });
  return adjusted;
}

/** The comparison with a p that was adjusted for its family of questions. The interval becomes that of the level that the
 * adjustment leaves to the question: without a verdict it contains 0. */
export function withP(found: Comparison, p: number, rule: CompareRule): Comparison {
  if (found.p <= 0 || found.p >= p || found.high === found.low) return { ...found, p };
  const wider = quantile(found.degrees, 1 - (rule.level * found.p) / p / 2) / quantile(found.degrees, 1 - rule.level / 2);
  const half = (wider * (found.high - found.low)) / 2;
  return { ...found, p, low: found.effect - half, high: found.effect + half };
}

/** Whether a robust estimate contradicts the test: then a few odd trials decide the result of the test. */
export function heterogeneous(found: Comparison, rule: CompareRule): boolean {
  if (found.robust === null) return false;
  const { estimates, doubted } = found.robust;
  if (estimates.some((estimate) => estimate < found.low - ROUNDING || estimate > found.high + ROUNDING)) return true;
  return found.p < rule.level && (estimates.some((estimate) => estimate * found.effect < 0) || doubted);
}

const withinMargin = (low: number, high: number, rule: CompareRule): boolean => Math.max(-low, high) < rule.margin;

/** Whether the verdict holds however far the two sides drift: drift may move the effect by `down` and by `up`. */
export function withinDrift(found: Comparison, [down, up]: readonly [number, number], rule: CompareRule): boolean {
  const [low, high] = [found.low - down, found.high + up];
  if (found.p < rule.level) return low > 0 || high < 0;
  return !withinMargin(found.low, found.high, rule) || withinMargin(low, high, rule);
}

/** The word: significance first, then equivalence, else inconclusive. `faster` is for speeds: nobody's memory is fast. */
export function wordOf(found: Comparison, metric: string, rule: CompareRule): Word {
  const significant = found.p < rule.level;
  if (!(significant || withinMargin(found.low, found.high, rule)) || heterogeneous(found, rule)) return "inconclusive";
  if (!significant) return "equivalent";
  const speed = /throughput_per_s|latency|_ms$|_s$|rate/.test(metric);
  if (found.effect > 0) return speed ? "faster" : "better";
  return speed ? "slower" : "worse";
}

/** The text of the word, with a note on a proven difference inside the margin and on trials that contradict each other. */
export function said(word: Word, found: Comparison, rule: CompareRule): string {
  if (word === "inconclusive") return heterogeneous(found, rule) ? "inconclusive (heterogeneous trials)" : word;
  return word !== "equivalent" && withinMargin(found.low, found.high, rule) ? `${word} (within 2 %)` : word;
}
