// The publisher renders the whole matrix; this script hides rows, and answers "which for my case" from its document.

import type { Matrix } from "../data/api";
import { frame } from "../frame/frame";
import { withState } from "../lib/address";
import { need } from "../lib/dom";
import { load, LoadError } from "../lib/load";
import { changed, go, keyOf, onReturn, read, someOf } from "../lib/state";
import { amountOf, answer, within } from "../matrix/case";

frame();

const AXES = ["class", "framework", "concurrency", "packaging", "profile", "engine", "tls", "host"] as const;
const LIMITS = ["rss_under_load_bytes", "first_response_ms", "latency_p99_ms"] as const;
const form = document.getElementById("filters") as HTMLFormElement | null;
const rows = [...document.querySelectorAll<HTMLTableRowElement>("#matrix tr[data-row]")];

const wordOn = (row: HTMLTableRowElement, axis: string): string | undefined =>
  axis === "class" ? row.closest("tbody")?.dataset["class"] : row.dataset[axis];

/** The rows that pass the filters; the control stays, since all rows are compared with the control. */
function passing(): Set<HTMLTableRowElement> {
  const state = read();
  const wanted = AXES.map((axis) => [axis, someOf(state, axis, [...new Set(rows.map((row) => wordOn(row, axis) ?? ""))])] as const);
  return new Set(
    rows.filter(
      (row) =>
        row.classList.contains("aside") ||
        wanted.every(([axis, values]) => values.length === 0 || values.includes(wordOn(row, axis) ?? "")),
    ),
  );
}

/** The texts of the limits in the address, by metric. */
function limitTexts(): [string, string][] {
  const state = read();
  return LIMITS.flatMap((metric): [string, string][] => {
    const text = (state.get(metric) ?? "").trim();
    return text === "" ? [] : [[metric, text]];
  });
}

/** Sets the controls to the state in the address. */
function sync(): void {
  const state = read();
  for (const axis of AXES) {
    const checkedValues = (state.get(axis) ?? "").split(",");
    for (const input of document.querySelectorAll<HTMLInputElement>(`#f-${axis} input`)) input.checked = checkedValues.includes(input.value);
  }
  for (const control of form!.querySelectorAll<HTMLInputElement | HTMLSelectElement>("#case input, #case select"))
    control.value = state.get(control.name) ?? "";
  if (["matters", ...LIMITS].some((name) => state.has(name))) need<HTMLDetailsElement>("case").open = true;
  for (const link of document.querySelectorAll<HTMLAnchorElement>("a[data-carry]")) link.search = withState(state).replace(/^\.\//, "");
}

let latest = 0;

async function show(): Promise<void> {
  const turn = (latest += 1);
  sync();
  const passingRows = passing();
  const asked = limitTexts().map(([metric, text]) => ({ metric, text, most: amountOf(text) }));
  const limits = asked.flatMap(({ metric, most }) => (most === null ? [] : [{ metric, most }]));
  const matters = read().get("matters");
  const answerBox = need("answer");
  let visibleRows = passingRows;
  let column = -1;
  let sentences: string[];
  if (limits.length > 0 || matters) {
    const matrix: Matrix = await load(answerBox.dataset["document"] ?? "", "matrix");
    if (turn !== latest) return;
    const rowNumbers = [...passingRows].filter((row) => !row.classList.contains("aside")).map((row) => Number(row.dataset["row"]));
    const kept = within(matrix, rowNumbers, limits);
    column = matrix.columns.findIndex((candidate) => keyOf(candidate) === matters);
    visibleRows = new Set(rows.filter((row) => row.classList.contains("aside") || kept.rows.includes(Number(row.dataset["row"]))));
    sentences = answer(matrix, kept, limits, column < 0 ? null : column);
  } else {
    const hidden = rows.length - passingRows.size;
    sentences = hidden > 0 ? [`${rows.length - hidden} of ${rows.length} rows are shown; ranks and ratios are among all.`] : [];
  }
  const unread = asked.filter(({ most }) => most === null).map(({ text }) => `“${text}” is no number above zero, and limits nothing.`);
  answerBox.textContent = [...sentences, ...unread].join(" ");
  for (const row of rows) row.hidden = !visibleRows.has(row);
  for (const body of document.querySelectorAll("#matrix tbody"))
    (body as HTMLElement).hidden = ![...body.querySelectorAll<HTMLTableRowElement>("tr[data-row]")].some((row) => visibleRows.has(row));
  for (const row of rows)
    [...row.cells].forEach((cell, index) => cell.classList.toggle("matters", column >= 0 && index === column + 1));
}

function showError(error: unknown): void {
  if (!(error instanceof LoadError)) throw error;
  need("answer").textContent = error.message;
}

function stateOfForm(): Record<string, string | null> {
  const values = new FormData(form!);
  const changes: Record<string, string | null> = {};
  for (const axis of AXES) changes[axis] = values.getAll(axis).join(",");
  for (const name of ["matters", ...LIMITS]) changes[name] = String(values.get(name) ?? "").trim();
  return changes;
}

if (form !== null) {
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", () => {
    go(changed(read(), stateOfForm()));
    void show().catch(showError);
  });
  onReturn(() => void show().catch(showError));
  if (read().size > 0) void show().catch(showError);
}
