import { expect, test } from "vitest";
import type { Cell, Matrix } from "../../src/data/api";
import { amountOf, answer, within } from "../../src/matrix/case";

const MIB = 1024 * 1024;

function cell(mean: number, low: number | null = null, high: number | null = null): Cell {
  return { source: 0, mean, low, high, text: "", rank: null, tied: false, ratio: null, ratio_low: null, ratio_high: null, word: "undecided", shade: null, trend: null };
}

/** Four subjects: their throughput is decided as `surely` and `alike` say, their memory is 100, 200, 300 MiB and unknown. */
function matrix(surely: [number, number][], alike: [number, number][] = []): Matrix {
  const column = { source: 0, where: "", symbol: "", per: 1, sound: true, surely: [], alike: [] };
  return {
    api: "v1",
    kind: "matrix",
    simulated: true,
    host_class: "lab",
    scenario: "fruits-1",
    heading: "Standings",
    page: "matrix/lab/fruits-1/",
    sources: [],
    sparks: [],
    classes: { orm: "Entities through an ORM", sql: "Hand-written SQL" },
    columns: [
      { ...column, phase: "closed", metric: "throughput_per_s", title: "Throughput", where: "closed", better: "higher", surely, alike },
      { ...column, phase: "closed", metric: "rss_under_load_bytes", title: "Memory", where: "closed", better: "lower" },
    ],
    rows: ["a", "b", "c", "d"].map((short, row) => ({
      subject: short,
      short,
      mark: row,
      data_access: row === 3 ? "orm" : "sql",
      cells: [cell(100), row === 3 ? null : cell((row + 1) * 100 * MIB, (row * 100 + 90) * MIB, (row * 100 + 110) * MIB)],
    })),
  };
}

const all = [0, 1, 2, 3];
const memory = (most: number) => [{ metric: "rss_under_load_bytes", most }];

test("a limit keeps who holds it, names whose interval has it inside, and who has no figure", () => {
  expect(within(matrix([]), all, memory(250))).toEqual({ rows: [0, 1], near: [], unknown: [3] });
  expect(within(matrix([]), all, memory(205))).toEqual({ rows: [0, 1], near: [1], unknown: [3] });
  expect(within(matrix([]), all, memory(195))).toEqual({ rows: [0], near: [1], unknown: [3] });
});

test("an order is what the harness decided, among those that are left", () => {
  const told = (surely: [number, number][], rows: number[], alike: [number, number][] = []): string =>
    answer(matrix(surely, alike), { rows, near: [], unknown: [] }, [], 0).join(" ");
  expect(told([[0, 1], [0, 2]], [0, 1, 2])).toBe("Throughput closed: a is first.");
  expect(told([[0, 2]], [0, 1, 2])).toBe("Throughput closed: undecided between a and b.");
  expect(told([[0, 2], [1, 2]], [0, 1, 2], [[0, 1]])).toBe("Throughput closed: a and b are equivalent: closer than 2 %.");
  // Without the one that was better than all others, those are open again.
  expect(told([[0, 1], [0, 2]], [1, 2])).toBe("Throughput closed: undecided between b and c.");
  expect(told([[0, 1], [0, 2]], [0, 1, 2, 3])).toBe("Throughput closed: Hand-written SQL: a is first; Entities through an ORM: only d has a figure.");
});

test("what is undecided of a limit is said", () => {
  const limits = memory(195);
  const its = matrix([]);
  expect(answer(its, within(its, all, limits), limits, null).join(" ")).toBe(
    "1 subject fits: Memory closed at most 195 MiB. Undecided, since their intervals have a limit in them: b. Without a figure to ask: d.",
  );
});

test("a limit is read as the cells are written, and a text that is no amount is no limit", () => {
  expect(["1,500", "12,345,678", "1,500.5", "1,5", "0,125x", "512 MiB", "0", "-3", "1e3"].map(amountOf)).toEqual([1500, 12345678, 1500.5, 1.5, null, null, null, null, null]);
  const limits = memory(1500);
  expect(answer(matrix([]), within(matrix([]), all, limits), limits, null)[0]).toBe("3 subjects fit: Memory closed at most 1,500 MiB.");
});
