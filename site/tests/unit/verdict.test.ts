import { describe, expect, test } from "vitest";
import type { CompareRule } from "../../src/data/api";
import { against, between, change } from "../../src/lib/numbers";
import { quantile, twoSidedP } from "../../src/lib/student";
import { benjaminiHochberg, differences, heterogeneous, holm, paired, said, unpaired, withinDrift, withP, wordOf } from "../../src/lib/verdict";
// Written by the harness out of its own statistics, and held to them by a test there.
import kept from "./verdicts.json";

const rule: CompareRule = kept.rule;
const blocks = (values: readonly number[]): number[] => values.map((_, index) => index + 1);
const close = (value: number, other: number): void => expect(Math.abs(value - other)).toBeLessThanOrEqual(1e-9 * Math.abs(other) + 1e-14);

describe("Student's distribution is that of the harness", () => {
  test.each(kept.student)("$degrees degrees, t = $t", (one) => {
    close(twoSidedP(one.degrees, one.t), one.p);
    close(quantile(one.degrees, 0.995), one.quantile);
  });
});

test.each(kept.families)("families of p values: $p", (one) => {
  holm(one.p).forEach((p, index) => close(p, one.holm[index]!));
  benjaminiHochberg(one.p).forEach((p, index) => close(p, one.benjamini_hochberg[index]!));
});

test.each(kept.amounts)("a ratio in the words of the harness: $words", (one) => {
  const words = one.low <= 1 && one.high >= 1 ? between(one.low, one.high) : against(one.ratio, one.low, one.high, "99 %");
  expect(words).toBe(one.words);
  expect(change(one.ratio)).toBe(one.change);
});

test("an order that a drift could turn round is not said", () => {
  const found = paired([0.1, 0.11, 0.1], rule)!;
  expect(wordOf(found, "throughput_per_s", rule)).toBe("faster");
  expect(withinDrift(found, [0, 0], rule)).toBe(true);
  expect(withinDrift(found, [0.2, 0], rule)).toBe(false);
});

describe("two sides of one session", () => {
  test("are told apart as `./bench compare` does", () => {
    for (const one of kept.comparisons) {
      const better = one.better as "higher" | "lower";
      const found = paired(differences({ blocks: blocks(one.base), values: one.base }, { blocks: blocks(one.head), values: one.head }, better), rule)!;
      close(found.effect, one.effect);
      close(found.low, one.low);
      close(found.high, one.high);
      close(found.p, one.p);
      expect(said(wordOf(found, "throughput_per_s", rule), found, rule)).toBe(one.words);
    }
  });

  test("as one family they have the adjusted p and the interval that goes with it", () => {
    const found = kept.comparisons.map((one) =>
      paired(differences({ blocks: blocks(one.base), values: one.base }, { blocks: blocks(one.head), values: one.head }, one.better as "higher" | "lower"), rule)!,
    );
    const adjusted = holm(found.map((one) => one.p));
    let widened = 0;
    found.forEach((one, index) => {
      const [its, expected] = [withP(one, adjusted[index]!, rule), kept.adjusted[index]!];
      close(its.p, expected.p);
      close(its.low, expected.low);
      close(its.high, expected.high);
      widened += Number(its.high > one.high);
      if (its.p >= rule.level) expect(its.low <= 0 && its.high >= 0).toBe(true);
    });
    expect(widened).toBeGreaterThan(found.length / 2);
  });

  test("pair by block, whatever their order; blocks of one side alone do not count", () => {
    const base = { blocks: [1, 2, 3, 5], values: [10, 20, 40, 1] };
    const head = { blocks: [3, 1, 2, 4], values: [80, 20, 40, 1] };
    expect(differences(base, head, "higher").map(Math.exp)).toEqual([2, 2, 2].map((one) => expect.closeTo(one, 12)));
    expect(differences(base, head, "lower")[0]).toBeLessThan(0);
  });

  test("several trials of one block make one pair, of their mean", () => {
    const one = { blocks: [1, 2, 3], values: [10, 10, 10] };
    const control = { blocks: [1, 1, 2], values: [20, 80, 40] };
    for (const pairs of [differences(one, control, "higher"), differences(control, one, "lower")])
      expect(pairs.map(Math.exp)).toEqual([4, 4].map((ratio) => expect.closeTo(ratio, 12)));
  });

  test("too few pairs say nothing", () => expect(paired([0.1, 0.1], rule)).toBeNull());

  test("a difference without any spread is certain, and none is none", () => {
    expect(wordOf(paired([0.1, 0.1, 0.1], rule)!, "throughput_per_s", rule)).toBe("faster");
    expect(wordOf(paired([0, 0, 0], rule)!, "throughput_per_s", rule)).toBe("equivalent");
  });

  test("what has no speed is better or worse", () => {
    expect(wordOf(paired([0.1, 0.1, 0.1], rule)!, "rss_idle_bytes", rule)).toBe("better");
    expect(wordOf(paired([-0.1, -0.1, -0.1], rule)!, "rss_idle_bytes", rule)).toBe("worse");
  });
});

describe("two sessions", () => {
  test("Welch's interval holds the ratio of geometric means", () => {
    const found = unpaired([10, 11, 9], [20, 22, 18], "higher", rule)!;
    expect(Math.exp(found.effect)).toBeCloseTo(2, 12);
    expect(found.low).toBeLessThan(found.effect);
    expect(found.paired).toBe(false);
    expect(heterogeneous(found, rule)).toBe(false);
  });
  test("too few trials of a side say nothing", () => expect(unpaired([10, 11], [20, 21, 22], "higher", rule)).toBeNull());
});
