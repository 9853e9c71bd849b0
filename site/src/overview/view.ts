// The first page after a filter: the answer, the table, other measures, refused trials, links to other workloads and hosts.

import type { Overview, SessionSaid, SiteIndex, Standings, Table } from "../data/api";
import { local } from "../lib/address";
import { h, link, type Child } from "../lib/dom";
import { root } from "../lib/load";
import { count, date, when } from "../lib/numbers";
import { keyOf } from "../lib/state";
import { marked } from "../lib/text";
import type { Choice } from "./choose";
import { standingsTable, trendOf } from "./table";

export class Names {
  private readonly hosts: Map<string, string>;
  private readonly scenarios: Map<string, string>;
  constructor(index: SiteIndex) {
    this.hosts = new Map(index.hosts.map((host) => [host.slug, host.name]));
    this.scenarios = new Map(index.scenarios.map((scenario) => [scenario.slug, scenario.id]));
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
  const trend = trendOf(bars[0] ?? table.bars[0]);
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
      trend !== null && [link(trend, {}, "Since when?"), " "],
      link(local(`${from.session.page}#check`, root()), {}, "Check it at home"),
    ),
  ];
}

/** The sections below the head. `linkTo` makes a link to another choice on this page. */
export function below(overview: Overview, choice: Choice, names: Names, linkTo: (changes: Record<string, string>) => HTMLElement): Child[] {
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
        ? standingsTable(table, bars, names.scenario(standings.scenario))
        : h("p", { class: "note" }, "No subject of this workload passes the filters. Take one away."),
    ),
    measures(choice, linkTo),
    refused(standings, from),
    others(overview, standings, names, linkTo),
  ];
}

/** A heading does not break a name of at most this length at its hyphen. */
const MOST_WHOLE = 24;

/** Lines of a heading. */
function lines(texts: readonly string[]): Child {
  const whole = (word: string): Child => (word.includes("-") && word.length <= MOST_WHOLE ? h("span", { class: "whole" }, word) : word);
  return texts.map((text, index) => [index > 0 && " ", h("span", { class: "line" }, text.split(" ").map((word, place) => [place > 0 && " ", whole(word)]))]);
}

function card(anchor: HTMLElement, title: string, headline: readonly string[]): HTMLElement {
  anchor.className = "card claim";
  anchor.append(h("span", { class: "what" }, title), h("span", { class: "said" }, lines(headline)));
  return h("li", {}, anchor);
}

/** The measure of a table, with the time of its session where the page shows another session. */
function measureTitle(table: Table, shown: SessionSaid): string {
  const elsewhere = table.session.session !== shown.session.session;
  return `${table.title} ${table.where}${elsewhere ? `, ${when(table.session.t)}` : ""}`;
}

function measures({ standings, table, from }: Choice, linkTo: (changes: Record<string, string>) => HTMLElement): Child {
  const otherTables = standings.tables.filter((candidate) => candidate !== table);
  if (otherTables.length === 0) return null;
  return h(
    "section",
    { "aria-labelledby": "measures" },
    h("h2", { id: "measures" }, "By other measures"),
    h("ul", { class: "cards" }, otherTables.map((other) => card(linkTo({ metric: keyOf(other) }), measureTitle(other, from), other.headline))),
  );
}

function refused(standings: Standings, from: SessionSaid): Child {
  return h(
    "section",
    { "aria-labelledby": "refused" },
    h("h2", { id: "refused" }, "Refused, and why"),
    from.refusals.length === 0
      ? h("p", {}, "None: every measured trial of this workload counts.")
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
                from.refusals.map((refusal) =>
                  h(
                    "tr",
                    { role: "row" },
                    h("th", { role: "rowheader", scope: "row" }, `${refusal.rule ?? ""} ${refusal.title}`),
                    h("td", { role: "cell", class: "num", "data-of": "Trials" }, refusal.trials),
                    h("td", { role: "cell", class: "long" }, marked(refusal.reading)),
                  ),
                ),
              ),
            ),
          ),
        ],
    from.control_refused > 0 &&
      h("p", {}, `${count(from.control_refused, "trial of the control was refused", "trials of the control were refused")}.`),
    h("ul", {}, [from.steady, ...from.cautions].map((sentence) => h("li", {}, sentence))),
    standings.passed_over.length > 0 &&
      h(
        "p",
        {},
        "Newer sessions in which nothing counted: ",
        standings.passed_over.map((session, index) => [index > 0 && ", ", link(local(session.page, root()), {}, date(session.t))]),
        ".",
      ),
  );
}

function others(overview: Overview, shown: Standings, names: Names, linkTo: (changes: Record<string, string>) => HTMLElement): Child {
  const otherStandings = overview.standings.filter((candidate) => candidate !== shown && candidate.tables.length > 0);
  if (otherStandings.length === 0) return null;
  return h(
    "section",
    { "aria-labelledby": "others" },
    h("h2", { id: "others" }, "Other workloads and hosts"),
    h(
      "ul",
      { class: "cards" },
      otherStandings.map((other) =>
        card(
          linkTo({ scenario: other.scenario, host: other.host, metric: "" }),
          `${names.scenario(other.scenario)} on ${names.host(other.host)}, ${date(other.session.t)}${other.verdict === "valid" ? "" : `, ${other.verdict}`}`,
          other.tables[0]!.headline,
        ),
      ),
    ),
  );
}
