import { describe, expect, test } from "vitest";
import { change, changeWithin, count, date, decimals, figure, listed, number, when } from "../../src/lib/numbers";

describe("numbers", () => {
  test.each([
    [12_345, "12,300"],
    [1.2345, "1.23"],
    [5, "5.00"],
    [0.0012345, "0.00123"],
    [0, "0"],
    [NaN, "–"],
    [-7.5, "-7.50"],
  ])("%d reads %s", (value, text) => expect(number(value)).toBe(text));

  test.each([
    [1.0344, "+3.4 %"],
    [0.9, "−10 %"],
    [1.5, "+50 %"],
    [0.99999, "0.0 %"],
    [0.006, "−99 %"],
    [0.004, "−99.60 %"],
    [0.0004, "−99.96 %"],
    [0.00004, "under 0.0001×"],
  ])("a ratio of %d reads %s", (ratio, text) => expect(change(ratio)).toBe(text));

  test("an interval stands beside its ratio", () => expect(changeWithin(0.9, 0.88, 0.92)).toBe("−10 % (−12 % to −8.0 %)"));
  test("a rate has its symbol at once, others after a space", () => {
    expect(figure(4670, "/s")).toBe("4,670/s");
    expect(figure(1.5, "ms")).toBe("1.50 ms");
  });
  test("times are UTC", () => {
    expect(date(1_793_404_958)).toBe("2026-10-31");
    expect(when(0)).toBe("1970-01-01 00:00 UTC");
  });
  test("words", () => {
    expect(count(1, "trial")).toBe("1 trial");
    expect(count(1200, "trial")).toBe("1,200 trials");
    expect(listed(["a"])).toBe("a");
    expect(listed(["a", "b", "c"])).toBe("a, b and c");
  });
});

test.each([
  [1234.5, 0, "1,235"],
  [1.05, 2, "1.05"],
  [0, 1, "0.0"],
])("%d with %d places is %s", (value, digits, text) => expect(decimals(value, digits)).toBe(text));
