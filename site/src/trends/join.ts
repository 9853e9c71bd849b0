// Puts several series on one axis of time, in the form that uPlot draws: columns of equal length. `undefined` means that the
// series has no value there (the line goes on), null means that there is a gap.

import type { Columns, SeriesFile } from "../data/api";

export interface Line {
  short: string;
  mark: number | null;
  file: SeriesFile;
  columns: Columns;
  /** Index in the whole series of the first row of `columns`. */
  first: number;
}

export type Scale = "ratio" | "absolute";
export type Column = (number | null | undefined)[];

export interface Joined {
  x: number[];
  /** For each line: middle, low, high. */
  columns: [Column, Column, Column][];
  /** For each line: row of its columns by time. */
  rows: Map<number, number>[];
  /** Times in `x` at which nothing was measured: they only break lines. */
  pauses: ReadonlySet<number>;
}

/** Joins the loaded parts of a series, oldest first; parts are whole and follow each other. */
export function whole(parts: readonly Columns[]): Columns {
  const columnOf = <K extends keyof Columns>(name: K): Columns[K] => parts.flatMap((part) => part[name] as unknown[]) as Columns[K];
  return { t: columnOf("t"), session: columnOf("session"), value: columnOf("value"), ratio: columnOf("ratio"), half: columnOf("half"), ratio_half: columnOf("ratio_half"), verdict: columnOf("verdict") };
}

/** The shown value of a row, or null. */
export function shown(line: Line, row: number, scale: Scale): number | null {
  if (scale === "ratio") return line.columns.ratio[row] ?? null;
  const value = line.columns.value[row];
  return value === undefined ? null : value / line.file.per;
}

/** The halves of the intervals on a scale: the scatter of the control widens that of a ratio to it. */
const halves = (line: Line, scale: Scale): Columns["half"] => (scale === "ratio" ? line.columns.ratio_half : line.columns.half);

/** The interval of the shown value of a row; null below three trials, of the control too on the scale of ratios. */
export function within(line: Line, row: number, scale: Scale): [number, number] | null {
  const value = shown(line, row, scale);
  const half = halves(line, scale)[row];
  if (value === null || half === null || half === undefined) return null;
  return [value * Math.exp(-half), value * Math.exp(half)];
}

/** The rows of a line whose environment differs from that of the row before. */
function turnsOf({ file, columns, first }: Line): number[] {
  return file.turns.map((turn) => turn.index - first).filter((row) => row > 0 && row < columns.t.length);
}

/** The rows of a line that come after a session without a point. */
function afterGaps({ file, columns }: Line): number[] {
  return file.refused.map((refusal) => columns.t.findIndex((t) => t > refusal.t)).filter((row) => row > 0);
}

/** The times of sessions in which a line has a point, or lacks one after its first. */
function timesOf({ file, columns }: Line): number[] {
  return [...columns.t, ...file.refused.map((refusal) => refusal.t).filter((t) => t > (columns.t[0] ?? 0))];
}

/** Puts the lines on one axis. */
export function join(lines: readonly Line[], scale: Scale): Joined {
  const measured = new Set(lines.flatMap(timesOf));
  // A line that breaks needs a time between its points. Right after the older point that time takes no room from it.
  const pauses = new Set(lines.flatMap((line) => turnsOf(line).map((row) => line.columns.t[row - 1]! + 1)).filter((t) => !measured.has(t)));
  const x = [...measured, ...pauses].sort((a, b) => a - b);
  const indexByTime = new Map(x.map((t, index) => [t, index]));
  const rows: Map<number, number>[] = [];
  const columns = lines.map((line): [Column, Column, Column] => {
    const middle: Column = new Array(x.length);
    const low: Column = new Array(x.length);
    const high: Column = new Array(x.length);
    const rowByTime = new Map<number, number>();
    line.columns.t.forEach((t, row) => {
      const index = indexByTime.get(t)!;
      const value = shown(line, row, scale);
      const interval = within(line, row, scale);
      rowByTime.set(t, row);
      middle[index] = value;
      low[index] = interval?.[0] ?? value;
      high[index] = interval?.[1] ?? value;
    });
    // uPlot leaves out a line only next to a null, so every time between the two points is one.
    for (const row of [...turnsOf(line), ...afterGaps(line)]) {
      const [from, to] = [row - 1, row].map((end) => indexByTime.get(line.columns.t[end]!)!) as [number, number];
      for (const column of [middle, low, high]) column.fill(null, from + 1, to);
    }
    rows.push(rowByTime);
    return [middle, low, high];
  });
  return { x, columns, rows, pauses };
}

/** An interval extends the axis to at most this many times its value: an interval of two trials may have any width. */
const WIDEST = 2;

const limited = (ends: Column, middle: Column, most: number): Column =>
  ends.map((end, index) => {
    const value = middle[index];
    if (end == null || value == null) return end;
    return most > 1 ? Math.min(end, value * most) : Math.max(end, value * most);
  });

/** The columns that set the axis: for each line middle, low, high, with intervals cut to a width that can be read. */
export function forAxis(columns: Joined["columns"]): Joined["columns"] {
  return columns.map(([middle, low, high]) => [middle, limited(low, middle, 1 / WIDEST), limited(high, middle, WIDEST)]);
}

/** Whether an interval of the line is wider than an interval may extend the axis. */
export function leavesAxis(line: Line, scale: Scale): boolean {
  return halves(line, scale).some((half) => half !== null && half > Math.log(WIDEST));
}

/** The index of the value in sorted `x` that is nearest to `t`. */
export function nearest(x: readonly number[], t: number): number {
  let [low, high] = [0, x.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (x[middle]! <= t) low = middle;
    else high = middle;
  }
  return high >= 0 && Math.abs(x[high]! - t) < Math.abs(x[low]! - t) ? high : low;
}
