// The word on two sets of trial values, and the sentence that may be quoted. Seconds of one process are no repetitions:
// a value is one trial. In one session trials are paired by block; across sessions they can't be.

export type Word = "faster" | "slower" | "better" | "worse" | "equivalent" | "inconclusive";

export interface Ratio {
  ratio: number;
  low: number;
  high: number;
  trials: number;
  paired: boolean;
}

export interface Sample {
  blocks: readonly number[];
  values: readonly number[];
}

/** Differences within so much are called equivalent when that is proven, as everywhere in the project. */
export const MARGIN = 0.02;

function moments(values: readonly number[]): { mean: number; variance: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return { mean, variance };
}

/** Ratio of `head` over `base` in common blocks, with its 95 % interval; null below two common blocks. */
export function pairedRatio(base: Sample, head: Sample, t: readonly number[]): Ratio | null {
  const of = new Map(base.blocks.map((block, index) => [block, base.values[index]!]));
  const differences: number[] = [];
  head.blocks.forEach((block, index) => {
    const other = of.get(block);
    const value = head.values[index]!;
    if (other !== undefined && other > 0 && value > 0) differences.push(Math.log(value / other));
  });
  const n = differences.length;
  const quantile = t[n - 2];
  if (n < 2 || quantile === undefined) return null;
  const { mean, variance } = moments(differences);
  const half = quantile * Math.sqrt(variance / n);
  return { ratio: Math.exp(mean), low: Math.exp(mean - half), high: Math.exp(mean + half), trials: n, paired: true };
}

/** The same for trials of two sessions, by Welch's interval of the logarithms; null below two trials of either. */
export function unpairedRatio(base: readonly number[], head: readonly number[], t: readonly number[]): Ratio | null {
  const a = base.filter((value) => value > 0).map(Math.log);
  const b = head.filter((value) => value > 0).map(Math.log);
  if (a.length < 2 || b.length < 2) return null;
  const [one, two] = [moments(a), moments(b)];
  const [va, vb] = [one.variance / a.length, two.variance / b.length];
  const freedom =
    va + vb === 0 ? a.length + b.length - 2 : (va + vb) ** 2 / (va ** 2 / (a.length - 1) + vb ** 2 / (b.length - 1));
  const quantile = t[Math.max(1, Math.floor(freedom)) - 1] ?? t[t.length - 1];
  if (quantile === undefined) return null;
  const half = quantile * Math.sqrt(va + vb);
  const mean = two.mean - one.mean;
  return {
    ratio: Math.exp(mean),
    low: Math.exp(mean - half),
    high: Math.exp(mean + half),
    trials: Math.min(a.length, b.length),
    paired: false,
  };
}

/** Is the metric one where `faster` is the word? Else it is better or worse: nobody's memory is fast. */
function isSpeed(metric: string): boolean {
  return /throughput_per_s|latency|_ms$|_s$|rate/.test(metric);
}

/** The word, by the interval: significance first, then equivalence, else inconclusive. */
export function wordOf(found: Ratio, better: "higher" | "lower", metric: string): Word {
  const [good, bad]: [Word, Word] = isSpeed(metric) ? ["faster", "slower"] : ["better", "worse"];
  if (found.low > 1) return better === "higher" ? good : bad;
  if (found.high < 1) return better === "lower" ? good : bad;
  if (found.low >= 1 - MARGIN && found.high <= 1 + MARGIN) return "equivalent";
  return "inconclusive";
}

/** The word as it is shown: a proven difference inside the margin says so. */
export function said(word: Word, found: Ratio): string {
  const proven = word !== "equivalent" && word !== "inconclusive";
  const small = found.low >= 1 - MARGIN && found.high <= 1 + MARGIN;
  return proven && small ? `${word} (within 2 %)` : word;
}
