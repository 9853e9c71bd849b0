// Which series the address asks for.

import type { MetricEntry, SeriesEntry, SiteIndex, SubjectEntry } from "../data/api";
import type { Option } from "../lib/controls";
import { oneOf, someOf, type State } from "../lib/state";

/** More lines than this can't be told apart. */
export const MOST_LINES = 8;
const LINES_AT_FIRST = 4;

export interface Query {
  host: string;
  scenario: string;
  key: string;
  entries: SeriesEntry[];
  chosen: SeriesEntry[];
  hosts: Option[];
  scenarios: Option[];
  measures: Option[];
  subjects: SubjectEntry[];
}

export const keyOf = (entry: { phase: string; metric: string }): string => `${entry.phase}/${entry.metric}`;

const CLASSES = ["lab", "shared", "small"];

/** All choices and what is chosen; null when there is no series at all. Unknown values count as not given. */
export function query(index: SiteIndex, all: readonly SeriesEntry[], state: State): Query | null {
  const usable = all.filter((one) => one.subject !== "");
  if (usable.length === 0) return null;
  const withSeries = new Set(usable.map((one) => one.host));
  const hosts = [...index.hosts]
    .filter((one) => withSeries.has(one.slug))
    .sort((a, b) => CLASSES.indexOf(a.host_class) - CLASSES.indexOf(b.host_class) || b.sessions - a.sessions);
  const host = oneOf(state, "host", hosts.map((one) => one.slug))!;
  const ofHost = usable.filter((one) => one.host === host);
  const scenarios = index.scenarios.filter((one) => ofHost.some((entry) => entry.scenario === one.slug));
  const scenario = oneOf(state, "scenario", scenarios.map((one) => one.slug))!;
  const ofScenario = ofHost.filter((one) => one.scenario === scenario);
  const measures = measuresOf(index, ofScenario);
  const asked = state.has("metric") ? `${state.get("phase") ?? ""}/${state.get("metric")}` : null;
  const key = measures.find((one) => one.value === asked)?.value ?? measures[0]!.value;
  const entries = ofScenario.filter((one) => keyOf(one) === key);
  const bySlug = new Map(index.subjects.map((one) => [one.slug, one]));
  const subjects = entries.flatMap((one) => bySlug.get(one.subject) ?? []).sort(byMark);
  const named = someOf(state, "subject", subjects.map((one) => one.slug)).slice(0, MOST_LINES);
  const slugs = named.length > 0 ? named : subjects.filter((one) => !one.control && !one.retired).map((one) => one.slug).slice(0, LINES_AT_FIRST);
  const chosen = (slugs.length > 0 ? slugs : subjects.slice(0, 1).map((one) => one.slug)).flatMap(
    (slug) => entries.find((one) => one.subject === slug) ?? [],
  );
  return {
    host,
    scenario,
    key,
    entries,
    chosen,
    hosts: hosts.map((one) => ({ value: one.slug, label: `${one.name} (${one.host_class})` })),
    scenarios: scenarios.map((one) => ({ value: one.slug, label: one.id })),
    measures,
    subjects,
  };
}

function byMark(a: SubjectEntry, b: SubjectEntry): number {
  return Number(a.retired) - Number(b.retired) || (a.mark ?? 1e6) - (b.mark ?? 1e6);
}

function measuresOf(index: SiteIndex, entries: readonly SeriesEntry[]): Option[] {
  const metrics = new Map<string, [MetricEntry, number]>(index.metrics.map((one, order) => [one.name, [one, order]]));
  const where = new Map(index.scenarios.flatMap((one) => one.phases.map((phase) => [`${one.slug} ${phase.name}`, phase.where])));
  const kinds = new Map(entries.map((one) => [keyOf(one), one]));
  return [...kinds.entries()]
    .map(([value, entry]) => {
      const [metric, order] = metrics.get(entry.metric) ?? [null, 1e6];
      const place = where.get(`${entry.scenario} ${entry.phase}`) ?? (entry.phase === "trial" ? "" : entry.phase);
      return { value, label: `${metric?.title ?? entry.metric} ${place}`.trim(), order: order + (metric?.primary ? 0 : 1000) };
    })
    .sort((a, b) => a.order - b.order || (a.value < b.value ? -1 : 1));
}
