// The events of the shown series: change points with their life and cause, versions, environments, refusals.

import type { Difference, Refused } from "../data/api";
import { changeWithin, count, date } from "../lib/numbers";
import type { Line } from "./join";

export type EventKind = "change" | "label" | "environment" | "refused";

export interface Happening {
  kind: EventKind;
  t: number;
  line: number;
  /** A short text, for the chart. */
  label: string;
  /** A sentence, for the list. */
  text: string;
  session: string | null;
  alert: { id: string; state: string } | null;
  tone: "worse" | "better" | "plain";
}

/** "JDK 25.0.1 → 25.0.2". */
export function difference({ name, before, after }: Difference): string {
  return `${name} ${before ?? "nothing"} → ${after ?? "nothing"}`;
}

const KINDS: Record<EventKind, string> = {
  change: "Change point",
  label: "Version",
  environment: "New environment",
  refused: "No point",
};

/** The name of a kind, for readers. */
export function kindName(kind: EventKind): string {
  return KINDS[kind];
}

/** Puts changes that people know by name before changes that only a digest shows. */
function namedFirst(changes: readonly Difference[]): Difference[] {
  const digest = (change: Difference): number => Number(/^[0-9a-f]{7,}$/.test(change.after ?? ""));
  return [...changes].sort((a, b) => digest(a) - digest(b));
}

/** The reason why a session has no point. */
export function whyNoPoint({ unsteady, reason }: Refused): string {
  return `${unsteady ? "not proven steady, so no point" : "every trial refused"}. ${reason}`;
}

/** All events of a line; each kind has the oldest first. */
function lineHappenings(line: Line, number: number): Happening[] {
  const { file } = line;
  const changes = file.changes.map((change): Happening => {
    const word = change.worse === null ? "changed" : change.worse ? "worse" : "better";
    const because = change.cause.length > 0 ? ` With it changed: ${namedFirst(change.cause).map(difference).join("; ")}.` : " Nothing that is recorded changed with it.";
    const life = change.life === null ? "" : ` Alert ${change.life.state}: ${change.life.reason}`;
    const control = change.of_control ? " This is the control itself: the machine may have changed." : "";
    return {
      kind: "change",
      t: change.t,
      line: number,
      label: word,
      text: `${line.short}: ${word}, ${changeWithin(change.ratio, change.low, change.high)} ${change.against_control ? "against the control" : "as measured"}.${because}${control}${life}`,
      session: change.session,
      alert: change.life === null ? null : { id: change.life.alert, state: change.life.state },
      tone: change.worse === null ? "plain" : change.worse ? "worse" : "better",
    };
  });
  const plain = { line: number, session: null, alert: null, tone: "plain" } as const;
  const labels = file.annotations.map((annotation): Happening => ({
    ...plain,
    kind: "label",
    t: annotation.t,
    label: namedFirst(annotation.changes).map((change) => change.after ?? `no ${change.name}`)[0] ?? "",
    text: `${line.short}: ${namedFirst(annotation.changes).map(difference).join("; ")}.`,
  }));
  const turns = file.turns.map((turn): Happening => ({
    ...plain,
    kind: "environment",
    t: turn.t,
    label: turn.changes.map((change) => change.name).join(", "),
    text: `Something around the subjects changed: ${turn.changes.map(difference).join("; ")}. Levels before and after are not compared.`,
  }));
  const refused = file.refused.map((refusal): Happening => ({
    ...plain,
    kind: "refused",
    t: refusal.t,
    label: "×",
    text: `${line.short}: ${whyNoPoint(refusal)}`,
    session: refusal.session,
  }));
  return [...changes, ...labels, ...turns, ...refused];
}

/** The number of sessions that events are of; lines may share a session. */
export const sessionsOf = (events: readonly Happening[]): number => new Set(events.map((event) => event.session)).size;

/** All events of all lines, newest first; a change around the subjects that several lines share is listed once. */
export function happenings(lines: readonly Line[]): Happening[] {
  const all = lines.flatMap(lineHappenings);
  const unique = new Map(all.map((event) => [`${event.kind} ${event.t} ${event.kind === "environment" ? event.text : `${event.line} ${event.text}`}`, event]));
  return [...unique.values()].sort((a, b) => b.t - a.t);
}

/** The chart in words, for those who don't see it. */
export function inWords(line: Line, newest: string): string {
  const { t } = line.columns;
  if (t.length === 0) return `${line.short}: no point.`;
  const changes = line.file.changes;
  const last = changes[changes.length - 1];
  const steps =
    last === undefined
      ? "no change point"
      : `${changes.length === 1 ? "one change point" : `${changes.length} change points`}, the last on ${date(last.t)}: ${changeWithin(last.ratio, last.low, last.high)}`;
  return `${line.short}: ${count(line.file.points, "session")} until ${date(t[t.length - 1]!)}, newest ${newest}; ${steps}.`;
}
