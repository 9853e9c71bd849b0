// "Which for my case": what stays under the limits of a reader, and what of it is decided. Orders are the harness's; here
// they are only looked up.

import type { Cell, Column, Matrix } from "../data/api";

const MIB = 1024 * 1024;

export interface Limit {
  metric: string;
  most: number;
}

export interface Kept {
  rows: number[];
  /** Those whose interval has the limit in it: another night may put them on its other side. */
  near: number[];
  /** Those without the figure. */
  unknown: number[];
}

/** A value in the unit in which a reader is asked for a limit: MiB, else as it is stored. */
function asked(metric: string, value: number): number {
  return metric.endsWith("_bytes") ? value / MIB : value;
}

function cellOf(matrix: Matrix, row: number, column: number): Cell | null {
  return matrix.rows[row]?.cells[column] ?? null;
}

/** The rows that hold all limits by their mean; each limit is asked of the first measure of its metric. */
export function within(matrix: Matrix, rows: readonly number[], limits: readonly Limit[]): Kept {
  const kept: Kept = { rows: [], near: [], unknown: [] };
  for (const row of rows) {
    const held = limits.map(({ metric, most }) => {
      const cell = cellOf(matrix, row, matrix.columns.findIndex((one) => one.metric === metric));
      if (cell === null) return { cell, mean: false, near: false };
      const [mean, low, high] = [cell.mean, cell.low ?? cell.mean, cell.high ?? cell.mean].map((value) => asked(metric, value));
      return { cell, mean: mean! <= most, near: low! <= most && most < high! };
    });
    if (held.some((one) => one.cell === null)) kept.unknown.push(row);
    else if (held.every((one) => one.mean || one.near) && held.some((one) => one.near)) kept.near.push(row);
    if (held.every((one) => one.mean)) kept.rows.push(row);
  }
  return kept;
}

const has = (pairs: Column["surely"], one: number, other: number): boolean => pairs.some(([a, b]) => a === one && b === other);

function listed(names: readonly string[]): string {
  if (names.length > 4) return `${names.slice(0, 3).join(", ")} and ${names.length - 3} others`;
  return names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Of one class: who is left once everybody is gone that another one left is better than for sure. */
function ofClass(matrix: Matrix, rows: readonly number[], column: number): string {
  const { surely, alike } = matrix.columns[column]!;
  const name = (row: number): string => matrix.rows[row]!.short;
  const told = rows.filter((row) => cellOf(matrix, row, column) !== null);
  const first = told.filter((row) => !told.some((other) => has(surely, other, row)));
  if (told.length === 0) return "no figure of a warm program counts";
  if (told.length === 1) return `only ${name(told[0]!)} has a figure`;
  if (first.length === 1) return `${name(first[0]!)} is first`;
  const same = first.every((one, index) => first.slice(index + 1).every((other) => has(alike, one, other) || has(alike, other, one)));
  return same ? `${listed(first.map(name))} are equivalent: closer than 2 %` : `undecided between ${listed(first.map(name))}`;
}

/** The answer in sentences, class by class; what is asked of nobody has none. */
export function answer(matrix: Matrix, kept: Kept, limits: readonly Limit[], column: number | null): string[] {
  const said: string[] = [];
  const names = (rows: readonly number[]): string => listed(rows.map((row) => matrix.rows[row]!.short));
  if (limits.length > 0) {
    said.push(`${kept.rows.length} ${kept.rows.length === 1 ? "subject fits" : "subjects fit"}.`);
    if (kept.near.length > 0) said.push(`Undecided, since their intervals have a limit in them: ${names(kept.near)}.`);
    if (kept.unknown.length > 0) said.push(`Without a figure to ask: ${names(kept.unknown)}.`);
  }
  if (column === null) return said;
  const { title, where } = matrix.columns[column]!;
  const classes = [...new Set(kept.rows.map((row) => matrix.rows[row]!.data_access))].filter((one) => one !== null);
  const parts = classes.map((access) => {
    const its = kept.rows.filter((row) => matrix.rows[row]!.data_access === access);
    return `${classes.length > 1 ? `${matrix.classes[access] ?? access}: ` : ""}${ofClass(matrix, its, column)}`;
  });
  if (parts.length > 0) said.push(`${title} ${where}: ${parts.join("; ")}.`);
  return said;
}
