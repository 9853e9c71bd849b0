// "Which for my case": the subjects under the limits of a reader, and the decided orders among them. The harness decides the
// orders; this file only looks them up.

import type { Cell, Column, Matrix } from "../data/api";

const MIB = 1024 * 1024;

export interface Limit {
  metric: string;
  most: number;
}

/** The amount that a reader typed, null for a text that is no amount. A comma before three digits separates thousands, as in the
 * cells; another comma stands for a decimal point. */
export function amountOf(text: string): number | null {
  const plain = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text) ? text.replaceAll(",", "") : text.replace(",", ".");
  return /^\d+(?:\.\d+)?$/.test(plain) && Number(plain) > 0 ? Number(plain) : null;
}

export interface Kept {
  rows: number[];
  /** Rows whose interval contains the limit: another session may put these rows on the other side of the limit. */
  near: number[];
  /** Rows without the figure. */
  unknown: number[];
}

/** A value in the unit in which a reader states a limit: MiB for bytes, else the stored unit. */
function inAskedUnit(metric: string, value: number): number {
  return metric.endsWith("_bytes") ? value / MIB : value;
}

function cellOf(matrix: Matrix, row: number, column: number): Cell | null {
  return matrix.rows[row]?.cells[column] ?? null;
}

/** The rows whose means keep all limits; each limit is checked with the first measure of its metric. */
export function within(matrix: Matrix, rows: readonly number[], limits: readonly Limit[]): Kept {
  const kept: Kept = { rows: [], near: [], unknown: [] };
  for (const row of rows) {
    const checks = limits.map(({ metric, most }) => {
      const cell = cellOf(matrix, row, matrix.columns.findIndex((column) => column.metric === metric));
      if (cell === null) return { cell, mean: false, near: false };
      const [mean, low, high] = [cell.mean, cell.low ?? cell.mean, cell.high ?? cell.mean].map((value) => inAskedUnit(metric, value));
      return { cell, mean: mean! <= most, near: low! <= most && most < high! };
    });
    if (checks.some((check) => check.cell === null)) kept.unknown.push(row);
    else if (checks.every((check) => check.mean || check.near) && checks.some((check) => check.near)) kept.near.push(row);
    if (checks.every((check) => check.mean)) kept.rows.push(row);
  }
  return kept;
}

const hasPair = (pairs: Column["surely"], first: number, second: number): boolean => pairs.some(([a, b]) => a === first && b === second);

function listed(names: readonly string[]): string {
  if (names.length > 4) return `${names.slice(0, 3).join(", ")} and ${names.length - 3} others`;
  return names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** The result of one class: the rows than which no other row of the class is surely better. */
function classSentence(matrix: Matrix, rows: readonly number[], column: number): string {
  const { surely, alike } = matrix.columns[column]!;
  const name = (row: number): string => matrix.rows[row]!.short;
  const measured = rows.filter((row) => cellOf(matrix, row, column) !== null);
  const leaders = measured.filter((row) => !measured.some((other) => hasPair(surely, other, row)));
  if (measured.length === 0) return "no figure of a warm program counts";
  if (measured.length === 1) return `only ${name(measured[0]!)} has a figure`;
  if (leaders.length === 1) return `${name(leaders[0]!)} is first`;
  const equivalent = leaders.every((leader, index) => leaders.slice(index + 1).every((other) => hasPair(alike, leader, other) || hasPair(alike, other, leader)));
  return equivalent ? `${listed(leaders.map(name))} are equivalent: closer than 2 %` : `undecided between ${listed(leaders.map(name))}`;
}

/** A limit in words: the measure that is asked, and how much of it is allowed. */
function limitInWords(matrix: Matrix, { metric, most }: Limit): string {
  const column = matrix.columns.find((candidate) => candidate.metric === metric);
  const amount = `${most.toLocaleString("en-US", { maximumFractionDigits: 20 })} ${metric.endsWith("_bytes") ? "MiB" : "ms"}`;
  return `${column === undefined ? metric : `${column.title} ${column.where}`.trim()} at most ${amount}`;
}

/** The answer in sentences, class by class; without limits and without a column there is no sentence. */
export function answer(matrix: Matrix, kept: Kept, limits: readonly Limit[], column: number | null): string[] {
  const sentences: string[] = [];
  const names = (rows: readonly number[]): string => listed(rows.map((row) => matrix.rows[row]!.short));
  if (limits.length > 0) {
    const asked = limits.map((limit) => limitInWords(matrix, limit)).join("; ");
    sentences.push(`${kept.rows.length} ${kept.rows.length === 1 ? "subject fits" : "subjects fit"}: ${asked}.`);
    if (kept.near.length > 0) sentences.push(`Undecided, since their intervals have a limit in them: ${names(kept.near)}.`);
    if (kept.unknown.length > 0) sentences.push(`Without a figure to ask: ${names(kept.unknown)}.`);
  }
  if (column === null) return sentences;
  const { title, where } = matrix.columns[column]!;
  const classes = [...new Set(kept.rows.map((row) => matrix.rows[row]!.data_access))].filter((access) => access !== null);
  const parts = classes.map((access) => {
    const classRows = kept.rows.filter((row) => matrix.rows[row]!.data_access === access);
    return `${classes.length > 1 ? `${matrix.classes[access] ?? access}: ` : ""}${classSentence(matrix, classRows, column)}`;
  });
  if (parts.length > 0) sentences.push(`${title} ${where}: ${parts.join("; ")}.`);
  return sentences;
}
