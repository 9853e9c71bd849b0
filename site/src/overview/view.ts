// The first page after a filter: the answer, the table, other measures, what was refused, the way to the others.

import type { Overview, SessionSaid, SiteIndex, Standings, Table } from "../data/api";
import { local } from "../lib/address";
import { h, link, type Child } from "../lib/dom";
import { root } from "../lib/load";
import { count, date, when } from "../lib/numbers";
import { marked } from "../lib/text";
import { keyOf, type Choice } from "./choose";
import { standingsTable, trendOf } from "./table";

export class Names {
  private readonly hosts: Map<string, string>;
  private readonly scenarios: Map<string, string>;
  constructor(index: SiteIndex) {
    this.hosts = new Map(index.hosts.map((one) => [one.slug, one.name]));
    this.scenarios = new Map(index.scenarios.map((one) => [one.slug, one.id]));
  }
  host(slug: string): string {
    return this.hosts.get(slug) ?? slug;
  }
  scenario(slug: string): string {
    return this.scenarios.get(slug) ?? slug;
  }
}

/** The head of the page. */
export function answer({ standings, table, from, bars }: Choice, names: Names): Child[] {
  const page = local(from.session.page, root());
  return [
    h(
      "p",
      { class: "eyebrow" },
      h("b", {}, names.scenario(standings.scenario)),
      ` · ${table.title} ${table.where} · ${names.host(standings.host)}, ${date(from.session.t)}`,
    ),
    h("h1", {}, lines(table.headline)),
    h("p", { class: "lede" }, table.said),
    h(
      "div",
      { class: "row" },
      h("span", { class: `badge ${from.verdict}` }, from.verdict),
      " ",
      h(
        "span",
        { class: "soft" },
        `${from.measured - from.refused} of ${from.measured} trials count`,
        from.refused > 0 && `, ${from.refused} refused`,
        ".",
      ),
      " ",
      link(page, {}, "May I trust it?"),
      " ",
      link(local(trendOf(table, standings, (bars[0] ?? table.bars[0])?.subject ?? ""), root()), {}, "Since when?"),
      " ",
      link(local(`${from.session.page}#check`, root()), {}, "Check it at home"),
    ),
  ];
}

/** What follows it. `to` makes the address of another choice on this page. */
export function below(overview: Overview, choice: Choice, names: Names, to: (by: Record<string, string>) => HTMLElement): Child[] {
  const { standings, table, from, bars, hidden } = choice;
  return [
    h(
      "section",
      { class: "chart-card", "aria-labelledby": "standings" },
      h("h2", { id: "standings" }, standings.heading),
      !table.sound &&
        h(
          "p",
          { class: "note warn" },
          "On this host something other than the application often limits this measure: read it together with the run report.",
        ),
      table.warming_up && h("p", { class: "note warn" }, from.steady),
      h(
        "p",
        { class: "soft small" },
        `${table.title} ${table.where}, ${table.symbol}; ${table.better} is better. Bars start at zero, and whiskers are ${(table.confidence * 100).toFixed(0)} % intervals of the mean. A line at the left joins subjects of one class whose order is undecided.`,
        hidden > 0 && ` ${count(hidden, "subject is", "subjects are")} hidden by the filters; ranks are among all.`,
      ),
      bars.length > 0
        ? standingsTable(table, standings, bars, names.scenario(standings.scenario))
        : h("p", { class: "note" }, "No subject of this workload passes the filters. Take one away."),
    ),
    measures(choice, to),
    refused(standings, from),
    others(overview, standings, names, to),
  ];
}

/** A name of at most this length is not broken at its hyphen in a heading. */
const MOST_WHOLE = 24;

/** Lines of a heading. */
function lines(all: readonly string[]): Child {
  const whole = (word: string): Child => (word.includes("-") && word.length <= MOST_WHOLE ? h("span", { class: "whole" }, word) : word);
  return all.map((one, index) => [index > 0 && " ", h("span", { class: "line" }, one.split(" ").map((word, place) => [place > 0 && " ", whole(word)]))]);
}

function card(anchor: HTMLElement, what: string, headline: readonly string[]): HTMLElement {
  anchor.className = "card claim";
  anchor.append(h("span", { class: "what" }, what), h("span", { class: "said" }, lines(headline)));
  return h("li", {}, anchor);
}

/** The measure of a table, and its session where that is not the one that is shown. */
function what(table: Table, shown: SessionSaid): string {
  const elsewhere = table.session.session !== shown.session.session;
  return `${table.title} ${table.where}${elsewhere ? `, ${when(table.session.t)}` : ""}`;
}

function measures({ standings, table, from }: Choice, to: (by: Record<string, string>) => HTMLElement): Child {
  const rest = standings.tables.filter((one) => one !== table);
  if (rest.length === 0) return null;
  return h(
    "section",
    { "aria-labelledby": "measures" },
    h("h2", { id: "measures" }, "By other measures"),
    h("ul", { class: "cards" }, rest.map((one) => card(to({ metric: keyOf(one) }), what(one, from), one.headline))),
  );
}

function refused(standings: Standings, from: SessionSaid): Child {
  return h(
    "section",
    { "aria-labelledby": "refused" },
    h("h2", { id: "refused" }, "Refused, and why"),
    from.refusals.length === 0
      ? h("p", {}, "None: every trial of this session counts.")
      : [
          h(
            "p",
            {},
            `Refused: ${from.refused} of ${count(from.measured, "trial")}. What is refused is in no figure above, and keeps its place, its evidence and its reasons.`,
          ),
          h(
            "div",
            { class: "scroll", role: "region", "aria-label": "Table: why trials were refused", tabindex: 0 },
            h(
              "table",
              { class: "stack", role: "table" },
              h(
                "thead",
                { role: "rowgroup" },
                h("tr", { role: "row" }, ["Rule", "Trials", "A reading"].map((head) => h("th", { role: "columnheader", scope: "col", class: head === "Trials" && "num" }, head))),
              ),
              h(
                "tbody",
                { role: "rowgroup" },
                from.refusals.map((one) =>
                  h(
                    "tr",
                    { role: "row" },
                    h("th", { role: "rowheader", scope: "row" }, `${one.rule ?? ""} ${one.title}`),
                    h("td", { role: "cell", class: "num", "data-of": "Trials" }, one.trials),
                    h("td", { role: "cell", class: "long" }, marked(one.reading)),
                  ),
                ),
              ),
            ),
          ),
        ],
    h("ul", {}, [from.steady, ...from.cautions].map((one) => h("li", {}, one))),
    standings.passed_over.length > 0 &&
      h(
        "p",
        {},
        "Newer sessions in which nothing counted: ",
        standings.passed_over.map((one, index) => [index > 0 && ", ", link(local(one.page, root()), {}, date(one.t))]),
        ".",
      ),
  );
}

function others(overview: Overview, shown: Standings, names: Names, to: (by: Record<string, string>) => HTMLElement): Child {
  const rest = overview.standings.filter((one) => one !== shown && one.tables.length > 0);
  if (rest.length === 0) return null;
  return h(
    "section",
    { "aria-labelledby": "others" },
    h("h2", { id: "others" }, "Other workloads and hosts"),
    h(
      "ul",
      { class: "cards" },
      rest.map((one) =>
        card(
          to({ scenario: one.scenario, host: one.host, metric: "" }),
          `${names.scenario(one.scenario)} on ${names.host(one.host)}, ${date(one.session.t)}`,
          one.tables[0]!.headline,
        ),
      ),
    ),
  );
}
