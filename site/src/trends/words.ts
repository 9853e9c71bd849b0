// Trends in words and in tables: the readout under the chart, the table view, the files.

import type { Cell } from "../lib/download";
import { runPage } from "../lib/address";
import { h, link, type Child } from "../lib/dom";
import { root } from "../lib/load";
import { swatch } from "../lib/marks";
import { count, date, figure, number, when } from "../lib/numbers";
import { whyNoPoint } from "./events";
import { shown, within, type Line, type Scale } from "./join";

/** A value with its symbol, on the given scale. */
export function reading(line: Line, row: number, scale: Scale): string {
  const value = shown(line, row, scale);
  if (value === null) return scale !== "ratio" ? "–" : line.mark === null ? "the control itself" : "no control in this session";
  const symbol = scale === "ratio" ? "× control" : line.file.symbol;
  const interval = within(line, row, scale);
  const text = figure(value, symbol);
  const few = scale === "ratio" ? "fewer than three trials of the subject or of the control" : "fewer than three trials";
  return interval === null ? `${text} (${few}: no interval)` : `${text} (${number(interval[0])} to ${number(interval[1])})`;
}

/** The values of all lines at a time, with a link to the run. */
export function readout(lines: readonly Line[], t: number, scale: Scale): Child[] {
  const rows = lines.flatMap((line) => {
    const row = line.columns.t.indexOf(t);
    return row < 0 ? [] : [{ line, row }];
  });
  const refused = lines.flatMap((line) => line.file.refused.filter((refusal) => refusal.t === t).map((refusal) => ({ line, refusal })));
  const session = rows[0] ? rows[0].line.columns.session[rows[0].row]! : refused[0]?.refusal.session;
  if (session === undefined) return ["No session at this time."];
  return [
    h("strong", {}, when(t)),
    " ",
    link(runPage(session, root()), { id: "open-run" }, "Open this run"),
    h(
      "ul",
      {},
      rows.map(({ line, row }) =>
        h("li", {}, swatch(line.mark), ` ${line.short}: ${reading(line, row, scale)}`, line.columns.verdict[row] !== "valid" && ` · ${line.columns.verdict[row]}`),
      ),
      refused.map(({ line, refusal }) => h("li", { class: "soft" }, `${line.short}: ${whyNoPoint(refusal)}`)),
    ),
  ];
}

const NAMES = ["time", "session", "subject", "value", "low", "high", "ratio to control", "low of the ratio", "high of the ratio", "verdict"];

/** The rows of a file, one for each point within a range of time, oldest first. */
export function rows(lines: readonly Line[], from: number, to: number): Cell[][] {
  return lines
    .flatMap((line) =>
      line.columns.t.flatMap((t, row): Cell[][] => {
        if (t < from || t > to) return [];
        const [interval, ofRatio] = [within(line, row, "absolute"), within(line, row, "ratio")];
        return [
          [
            new Date(t * 1000).toISOString(),
            line.columns.session[row]!,
            line.short,
            line.columns.value[row]! / line.file.per,
            interval?.[0] ?? null,
            interval?.[1] ?? null,
            line.columns.ratio[row] ?? null,
            ofRatio?.[0] ?? null,
            ofRatio?.[1] ?? null,
            line.columns.verdict[row]!,
          ],
        ];
      }),
    )
    .sort((a, b) => (a[0]! < b[0]! ? -1 : a[0]! > b[0]! ? 1 : 0));
}

/** The heads of the columns of a file; figures are in the unit of the symbol. */
export function heads(symbol: string): string[] {
  return NAMES.map((name) => (["value", "low", "high"].includes(name) ? `${name}, ${symbol}` : name));
}

const MOST_ROWS = 500;

/** The points as a table, newest first. */
export function table(lines: readonly Line[], from: number, to: number, scale: Scale): HTMLElement {
  const times = [...new Set(lines.flatMap((line) => line.columns.t))].filter((t) => t >= from && t <= to).sort((a, b) => b - a);
  const rowByTime = lines.map((line) => new Map(line.columns.t.map((t, row) => [t, row])));
  const body = times.slice(0, MOST_ROWS).map((t) => {
    const rowsFound = lines.map((_, index) => rowByTime[index]!.get(t));
    const first = rowsFound.findIndex((row) => row !== undefined);
    const session = lines[first]!.columns.session[rowsFound[first]!]!;
    return h(
      "tr",
      {},
      h("th", { scope: "row", class: "num" }, link(runPage(session, root()), {}, date(t))),
      lines.map((line, index) => h("td", {}, rowsFound[index] === undefined ? "–" : reading(line, rowsFound[index], scale))),
    );
  });
  return h(
    "div",
    { class: "scroll", role: "region", "aria-label": "Table: the points of the chart", tabindex: 0 },
    h(
      "table",
      {},
      h("caption", {}, times.length > MOST_ROWS ? `The newest ${MOST_ROWS} of ${times.length} sessions in view; CSV has all.` : `${count(times.length, "session")} in view, newest first.`),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Session of"), lines.map((line) => h("th", { scope: "col" }, line.short)))),
      h("tbody", {}, body),
    ),
  );
}
