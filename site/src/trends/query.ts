// Finds the series that the address names.

import type { MetricEntry, SeriesEntry, SiteIndex, SubjectEntry } from "../data/api";
import type { Option } from "../lib/controls";
import { listed } from "../lib/numbers";
import { keyOf, oneOf, someOf, type State } from "../lib/state";

/** A reader can't tell more lines than this apart. */
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

const CLASSES = ["lab", "shared", "small"];

/** All choices and the chosen values; null when there is no series at all. Unknown values count as not given. */
export function query(index: SiteIndex, all: readonly SeriesEntry[], state: State): Query | null {
  const usable = all.filter((entry) => entry.subject !== "");
  if (usable.length === 0) return null;
  const withSeries = new Set(usable.map((entry) => entry.host));
  const hosts = [...index.hosts]
    .filter((candidate) => withSeries.has(candidate.slug))
    .sort((a, b) => CLASSES.indexOf(a.host_class) - CLASSES.indexOf(b.host_class) || b.sessions - a.sessions);
  const host = oneOf(state, "host", hosts.map((candidate) => candidate.slug))!;
  const ofHost = usable.filter((entry) => entry.host === host);
  const scenarios = index.scenarios.filter((candidate) => ofHost.some((entry) => entry.scenario === candidate.slug));
  const scenario = oneOf(state, "scenario", scenarios.map((candidate) => candidate.slug))!;
  const ofScenario = ofHost.filter((entry) => entry.scenario === scenario);
  const measures = measuresOf(index, ofScenario);
  const asked = askedKey(state);
  const key = measures.find((measure) => measure.value === asked)?.value ?? measures[0]!.value;
  const entries = ofScenario.filter((entry) => keyOf(entry) === key);
  const bySlug = new Map(index.subjects.map((subject) => [subject.slug, subject]));
  const subjects = entries.flatMap((entry) => bySlug.get(entry.subject) ?? []).sort(byMark);
  const namedSlugs = someOf(state, "subject", subjects.map((subject) => subject.slug)).slice(0, MOST_LINES);
  const slugs = namedSlugs.length > 0 ? namedSlugs : subjects.filter((subject) => !subject.control && !subject.retired).map((subject) => subject.slug).slice(0, LINES_AT_FIRST);
  const chosen = (slugs.length > 0 ? slugs : subjects.slice(0, 1).map((subject) => subject.slug)).flatMap(
    (slug) => entries.find((entry) => entry.subject === slug) ?? [],
  );
  return {
    host,
    scenario,
    key,
    entries,
    chosen,
    hosts: hosts.map((candidate) => ({ value: candidate.slug, label: `${candidate.name} (${candidate.host_class})` })),
    scenarios: scenarios.map((candidate) => ({ value: candidate.slug, label: candidate.id })),
    measures,
    subjects,
  };
}

/** The key of the measure that the address names; null when it names none. */
function askedKey(state: State): string | null {
  const metric = state.get("metric");
  return metric === null ? null : keyOf({ phase: state.get("phase") ?? "", metric });
}

/** A sentence on what the address asked for and no chart has; "" where the charts have everything. */
export function missing(index: SiteIndex, { key, measures, subjects }: Query, state: State): string {
  const metric = index.metrics.find((entry) => entry.name === state.get("metric"));
  const asked = askedKey(state);
  const measure = asked === null || asked === key ? [] : [metric?.title ?? "this measure"];
  const charted = new Set(subjects.map((subject) => subject.slug));
  const known = new Map(index.subjects.map((subject) => [subject.slug, subject.short]));
  const absent = (state.get("subject") ?? "").split(",").filter((slug) => slug !== "" && !charted.has(slug)).map((slug) => known.get(slug) ?? "this subject");
  const wanted = [...new Set([...measure, ...absent])];
  return wanted.length === 0 ? "" : `There is no chart of ${listed(wanted)} here; shown is ${measures.find((measure) => measure.value === key)!.label}.`;
}

function byMark(a: SubjectEntry, b: SubjectEntry): number {
  return Number(a.retired) - Number(b.retired) || (a.mark ?? 1e6) - (b.mark ?? 1e6);
}

function measuresOf(index: SiteIndex, entries: readonly SeriesEntry[]): Option[] {
  const metrics = new Map<string, [MetricEntry, number]>(index.metrics.map((metric, order) => [metric.name, [metric, order]]));
  const where = new Map(index.scenarios.flatMap((scenario) => scenario.phases.map((phase) => [`${scenario.slug} ${phase.name}`, phase.where])));
  const entryByKey = new Map(entries.map((entry) => [keyOf(entry), entry]));
  return [...entryByKey.entries()]
    .map(([value, entry]) => {
      const [metric, order] = metrics.get(entry.metric) ?? [null, 1e6];
      const place = where.get(`${entry.scenario} ${entry.phase}`) ?? (entry.phase === "trial" ? "" : entry.phase);
      return { value, label: `${metric?.title ?? entry.metric} ${place}`.trim(), order: order + (metric?.primary ? 0 : 1000) };
    })
    .sort((a, b) => a.order - b.order || (a.value < b.value ? -1 : 1));
}

/** The end of the year 9999: far beyond it no Date is valid, and the axis would look for its dates for ever. */
const LAST_S = 253_402_300_799;

/** From and to of the address, when they are times in order, in seconds since 1970. */
export function rangeOf(state: State): [number, number] | null {
  const [from, to] = [Number(state.get("from") ?? NaN), Number(state.get("to") ?? NaN)];
  return from >= 0 && to > from && to <= LAST_S ? [from, to] : null;
}
