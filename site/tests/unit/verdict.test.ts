import { describe, expect, test } from "vitest";
import { pairedRatio, said, unpairedRatio, wordOf, type Ratio } from "../../src/lib/verdict";

// Student's 0.975 quantiles for 1 to 5 degrees of freedom (any table).
const T = [12.7062047, 4.30265273, 3.18244631, 2.77644511, 2.57058184];

const ratio = (low: number, high: number): Ratio => ({ ratio: Math.sqrt(low * high), low, high, trials: 5, paired: true });

describe("two sides of one session", () => {
  test("pairs by block, whatever their order", () => {
    const found = pairedRatio({ blocks: [1, 2, 3], values: [10, 20, 40] }, { blocks: [3, 1, 2], values: [80, 20, 40] }, T)!;
    expect(found.ratio).toBeCloseTo(2, 12);
    expect(found.low).toBeCloseTo(2, 12);
    expect(found.trials).toBe(3);
  });

  test("the interval is that of Student on logarithms", () => {
    const found = pairedRatio({ blocks: [1, 2], values: [1, 1] }, { blocks: [1, 2], values: [Math.E, Math.E ** 3] }, T)!;
    // Differences 1 and 3: mean 2, sd sqrt(2), half = 12.706 * sqrt(2) / sqrt(2).
    expect(Math.log(found.ratio)).toBeCloseTo(2, 12);
    expect(Math.log(found.high)).toBeCloseTo(2 + 12.7062047, 6);
  });

  test("blocks of one side alone do not count, and one pair says nothing", () => {
    expect(pairedRatio({ blocks: [1, 2], values: [1, 1] }, { blocks: [2, 3], values: [2, 2] }, T)).toBeNull();
  });
});

describe("two sessions", () => {
  test("Welch's interval holds the ratio of geometric means", () => {
    const found = unpairedRatio([10, 11, 9], [20, 22, 18], T)!;
    expect(found.ratio).toBeCloseTo(2, 12);
    expect(found.low).toBeLessThan(2);
    expect(found.high).toBeGreaterThan(2);
    expect(found.paired).toBe(false);
  });
  test("one trial says nothing", () => expect(unpairedRatio([10], [20, 21], T)).toBeNull());
});

describe("words", () => {
  test.each([
    [1.05, 1.1, "higher", "throughput_per_s", "faster"],
    [1.05, 1.1, "lower", "latency_p99_ms", "slower"],
    [0.8, 0.9, "lower", "rss_idle_bytes", "better"],
    [0.99, 1.01, "higher", "throughput_per_s", "equivalent"],
    [0.9, 1.1, "higher", "throughput_per_s", "inconclusive"],
  ] as const)("%d to %d, %s is better, %s: %s", (low, high, better, metric, word) => expect(wordOf(ratio(low, high), better, metric)).toBe(word));

  test("a proven difference inside the margin says so", () => {
    const found = ratio(1.005, 1.015);
    expect(said(wordOf(found, "higher", "throughput_per_s"), found)).toBe("faster (within 2 %)");
  });
  test("never `no change` for want of proof", () => expect(said("inconclusive", ratio(0.5, 2))).toBe("inconclusive"));
});
