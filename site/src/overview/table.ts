// Draws standings as a table whose rows are bars, after a filter; before, templates/parts.html draws the same table.

import type { Bar, Table } from "../data/api";
import { local, type Address } from "../lib/address";
import { h, link, s, type Child } from "../lib/dom";
import { root } from "../lib/load";
import { colourClass, swatch } from "../lib/marks";
import { niceStep } from "../lib/scale";

interface Axis {
  top: number;
  step: number;
}

function axisOf(table: Table, bars: readonly Bar[]): Axis {
  const edges = bars.flatMap((bar) => (bar.mean === null ? [] : [(bar.high ?? bar.mean) / table.per]));
  const top = Math.max(0, ...edges) * 1.04 || 1;
  return { top, step: niceStep(top, 4) };
}

/** The page with the chart of a bar; null where there is no chart. */
export function trendOf(bar: Bar | undefined): Address | null {
  return bar?.trend ? local(bar.trend, root()) : null;
}

const percent = (share: number): string => `${share.toFixed(2)}%`;

function ticks({ top, step }: Axis): number[] {
  return [0, 1, 2, 3, 4, 5].map((index) => index * step).filter((tick) => tick <= top);
}

function picture(bar: Bar, table: Table, axis: Axis): Child {
  if (bar.mean === null) return null;
  const xOf = (value: number): string => percent((value / table.per / axis.top) * 100);
  const mean = xOf(bar.mean);
  const whisker = (x1: string, x2: string, y1: number, y2: number) => s("line", { class: "whisker", x1, x2, y1, y2 });
  const whiskers: Child[] = [];
  if (bar.low !== null && bar.high !== null) {
    const [low, high] = [xOf(Math.max(0, bar.low)), xOf(bar.high)];
    whiskers.push(whisker(low, high, 13, 13), whisker(low, low, 9, 17), whisker(high, high, 9, 17));
  }
  return s(
    "svg",
    { class: `bar ${colourClass(bar.mark)}`, "aria-hidden": "true" },
    ticks(axis).map((tick) => {
      const x = percent((tick / axis.top) * 100);
      return s("line", { class: tick ? "grid" : "zero", x1: x, x2: x, y1: -8, y2: 34 });
    }),
    s("rect", { class: "fill", x: 0, y: 6, width: mean, height: 14 }),
    s("rect", { class: "edge", x: mean, y: 4, width: 2.5, height: 18 }),
    whiskers,
  );
}

function gapOf(bar: Bar): string {
  if (bar.mark === null) return "control";
  if (bar.warming_up) return "while warming up";
  return bar.rank === 1 ? (bar.tied ? "tied for best" : "best") : bar.gap;
}

function row(bar: Bar, table: Table, axis: Axis): HTMLElement {
  return h(
    "tr",
    { role: "row", class: bar.mark === null ? "aside" : null },
    h("td", { role: "cell", class: "rank" }, bar.rank ?? ""),
    h(
      "th",
      { role: "rowheader", scope: "row", class: "name" },
      swatch(bar.mark),
      " ",
      link(trendOf(bar), {}, bar.short),
    ),
    h("td", { role: "cell", class: "chart" }, picture(bar, table, axis)),
    h("td", { role: "cell", class: "value" }, bar.text),
    h("td", { role: "cell", class: "gap" }, gapOf(bar)),
    h("td", { role: "cell", class: `since ${bar.since?.word ?? ""}`.trim() }, bar.since?.text ?? ""),
    h("td", { role: "cell", class: "trials" }, bar.trials, bar.refused > 0 && `, ${bar.refused} refused`),
  );
}

/** Groups neighbouring bars of one class and rank, in the given order; bars without a rank come after them. */
export function groups(bars: readonly Bar[]): Bar[][] {
  const result: Bar[][] = [];
  for (const bar of bars) {
    const last = result.at(-1);
    if (last !== undefined && last[0]!.rank === bar.rank && last[0]!.data_access === bar.data_access) last.push(bar);
    else result.push([bar]);
  }
  return result;
}

/** A row with the title of a class, above the first bars of the class. */
function classRow(table: Table, group: readonly Bar[], previous: readonly Bar[] | undefined): Child {
  const access = group[0]!.data_access;
  const title = table.classes.find((entry) => entry.data_access === access)?.title;
  if (!title || previous?.[0]!.data_access === access) return null;
  const words = access === "unknown" ? title : link(local(`classes/${access}/`, root()), {}, title);
  return h("tbody", { role: "rowgroup", class: "class" }, h("tr", { role: "row" }, h("th", { role: "rowheader", scope: "rowgroup", colspan: 7 }, words)));
}

/** The whole table. The axis spans all bars, shown or hidden, so that a filter does not change the scale. */
export function standingsTable(table: Table, bars: readonly Bar[], scenario: string): HTMLElement {
  const control = table.control === null ? [] : [table.control];
  const axis = axisOf(table, [...table.bars, ...control]);
  const head = (text: Child): HTMLElement => h("th", { role: "columnheader", scope: "col" }, text);
  const label = (tick: number): string =>
    axis.step < 1 ? String(Number(tick.toPrecision(6))) : Math.round(tick).toLocaleString("en-US");
  return h(
    "table",
    { class: "standings", role: "table", "aria-label": `${table.title} ${table.where}, ${scenario}` },
    h("colgroup", {}, ["c-rank", "c-name", "", "c-value", "c-gap", "c-since", "c-trials"].map((name) => h("col", { class: name || null }))),
    h(
      "thead",
      { role: "rowgroup" },
      h(
        "tr",
        { role: "row" },
        head("Rank"),
        head("Subject"),
        head([
          h("span", { class: "visually-hidden" }, "Bar from zero, with its interval"),
          s(
            "svg",
            { class: "axis", "aria-hidden": "true" },
            ticks(axis).map((tick) => s("text", { x: percent((tick / axis.top) * 100), y: 14, class: tick ? "at-middle" : null }, label(tick))),
          ),
        ]),
        head(`Mean and ${(table.confidence * 100).toFixed(0)} % interval`),
        head("Against the best"),
        head("Since last time"),
        head("Trials"),
      ),
    ),
    [...groups(bars), ...(control.length > 0 ? [control] : [])].map((group, index, all) => [
      classRow(table, group, all[index - 1]),
      h(
        "tbody",
        { role: "rowgroup", class: group.length > 1 && group[0]!.rank !== null ? "tie" : null },
        group.map((bar) => row(bar, table, axis)),
      ),
    ]),
  );
}
