import { describe, expect, test, vi } from "vitest";
import { logTicks, secondTicks } from "../../src/lib/curves";
import { honestRange, niceStep } from "../../src/lib/scale";

describe("axes", () => {
  test.each([
    [100, 4, 50],
    [7000, 4, 2000],
    [0.3, 4, 0.1],
    [1, 5, 0.2],
    [0, 4, 1],
  ])("%d in at most %d parts: %d", (span, most, step) => expect(niceStep(span, most)).toBeCloseTo(step, 12));

  test("noise of a percent does not fill the chart", () => {
    const [low, high] = honestRange(0.995, 1.005, 0.1, false);
    expect(high - low).toBeGreaterThanOrEqual(0.1);
    expect((1.005 - 0.995) / (high - low)).toBeLessThan(0.1);
  });

  test("a large step is shown whole", () => {
    const [low, high] = honestRange(1, 2, 0.1, false);
    expect(low).toBeLessThan(1);
    expect(high).toBeGreaterThan(2);
  });

  test("figures that can't be negative have no negative axis", () => expect(honestRange(0, 1, 0.1, false)[0]).toBe(0));
  test("from zero when asked", () => expect(honestRange(9, 10, 0.1, true)[0]).toBe(0));
  test("nothing to show still gives an axis", () => expect(honestRange(Infinity, -Infinity, 0.1, false)).toEqual([0, 1]));
  test("equal values get height", () => {
    const [low, high] = honestRange(5, 5, 0.1, false);
    expect(high - low).toBeCloseTo(0.55, 6);
  });
  test("seconds of a trial that ended early are as round as those of others", () => {
    vi.stubGlobal("matchMedia", () => ({ matches: false }));
    expect(secondTicks(0, 0.9).map(([, label]) => label)).toEqual(["0 s", "0.2 s", "0.4 s", "0.6 s", "0.8 s"]);
    vi.unstubAllGlobals();
  });
  test("logarithmic ticks", () => {
    expect(logTicks(1, 10)).toEqual([1, 2, 5, 10]);
    expect(logTicks(0.001, 1000).every((tick) => Number.isInteger(Math.round(Math.log10(tick) * 1e9) / 1e9))).toBe(true);
  });
});
