// Chooses the standings that the address names, and the subjects that pass its filters.

import type { Bar, Overview, SessionSaid, Standings, SubjectEntry, Table } from "../data/api";
import { keyOf, oneOf, someOf, type State } from "../lib/state";

export const AXES = ["framework", "packaging", "concurrency", "tls"] as const;
export type Axis = (typeof AXES)[number];

export interface Choice {
  standings: Standings;
  table: Table;
  /** The session of the table. */
  from: SessionSaid;
  bars: Bar[];
  hidden: number;
}

/** The word of a subject on an axis. */
export function wordOn(subject: SubjectEntry, axis: Axis): string {
  return axis === "tls" ? (subject.tls ? "on" : "off") : subject[axis];
}

/** The choice to show; null when nothing was measured. A value that the data does not contain counts as not given. */
export function choose(
  overview: Overview,
  subjects: ReadonlyMap<string, SubjectEntry>,
  state: State,
): Choice | null {
  const withTables = overview.standings.filter((entry) => entry.tables.length > 0);
  const first = withTables[0];
  if (first === undefined) return null;
  const scenarios = [first.scenario, ...withTables.map((entry) => entry.scenario)];
  const scenario = oneOf(state, "scenario", scenarios)!;
  const ofScenario = withTables.filter((entry) => entry.scenario === scenario);
  const host = oneOf(state, "host", ofScenario.map((entry) => entry.host))!;
  const standings = ofScenario.find((entry) => entry.host === host)!;
  const key = oneOf(state, "metric", standings.tables.map(keyOf))!;
  const table = standings.tables.find((candidate) => keyOf(candidate) === key)!;
  const wanted = AXES.map((axis) => [axis, someOf(state, axis, valuesOn(subjects, axis))] as const);
  const bars = table.bars.filter((bar) => {
    const subject = subjects.get(bar.subject);
    return wanted.every(([axis, values]) => values.length === 0 || (subject !== undefined && values.includes(wordOn(subject, axis))));
  });
  const from = standings.others.find((other) => other.session.session === table.session.session) ?? standings;
  return { standings, table, from, bars, hidden: table.bars.length - bars.length };
}

/** The workload to show on a host: the given one, or the first of the host where the host lacks the given one. */
export function scenarioOn(overview: Overview, host: string, scenario: string): string {
  const ofHost = overview.standings.filter((entry) => entry.tables.length > 0 && entry.host === host).map((entry) => entry.scenario);
  return ofHost.includes(scenario) ? scenario : (ofHost[0] ?? scenario);
}

/** All words on an axis, sorted. */
export function valuesOn(subjects: ReadonlyMap<string, SubjectEntry>, axis: Axis): string[] {
  return [...new Set([...subjects.values()].filter((subject) => !subject.control).map((subject) => wordOn(subject, axis)))].sort();
}
