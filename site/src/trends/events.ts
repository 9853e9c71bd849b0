// What happened to the shown series: change points with their life and cause, versions, environments, refusals.

import type { Difference } from "../data/api";
import { changeWithin, count, date } from "../lib/numbers";
import type { Line } from "./join";

export type EventKind = "change" | "label" | "environment" | "refused";

export interface Happening {
  kind: EventKind;
  t: number;
  line: number;
  /** Short, for the chart. */
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
  refused: "Refused",
};

/** The kind in words. */
export function kindName(kind: EventKind): string {
  return KINDS[kind];
}

/** What people know by name before what only a digest tells. */
function known(changes: readonly Difference[]): Difference[] {
  const digest = (one: Difference): number => Number(/^[0-9a-f]{7,}$/.test(one.after ?? ""));
  return [...changes].sort((a, b) => digest(a) - digest(b));
}

/** All of a line, oldest first. */
function ofLine(line: Line, number: number): Happening[] {
  const { file } = line;
  const changes = file.changes.map((one): Happening => {
    const word = one.worse === null ? "changed" : one.worse ? "worse" : "better";
    const because = one.cause.length > 0 ? ` With it changed: ${known(one.cause).map(difference).join("; ")}.` : " Nothing that is recorded changed with it.";
    const life = one.life === null ? "" : ` Alert ${one.life.state}: ${one.life.reason}`;
    const control = one.of_control ? " The control changed as well." : "";
    return {
      kind: "change",
      t: one.t,
      line: number,
      label: word,
      text: `${line.short}: ${word}, ${changeWithin(one.ratio, one.low, one.high)} ${one.against_control ? "against the control" : "as measured"}.${because}${control}${life}`,
      session: one.session,
      alert: one.life === null ? null : { id: one.life.alert, state: one.life.state },
      tone: one.worse === null ? "plain" : one.worse ? "worse" : "better",
    };
  });
  const plain = { line: number, session: null, alert: null, tone: "plain" } as const;
  const labels = file.annotations.map((one): Happening => ({
    ...plain,
    kind: "label",
    t: one.t,
    label: known(one.changes).map((it) => it.after ?? `no ${it.name}`)[0] ?? "",
    text: `${line.short}: ${known(one.changes).map(difference).join("; ")}.`,
  }));
  const segments = file.segments.slice(1).map((one): Happening => ({
    ...plain,
    kind: "environment",
    t: one.t,
    label: one.differs.map((it) => it.name).join(", ") || "environment",
    text: `Something around the subjects changed: ${one.differs.map(difference).join("; ") || "its environment"}. Levels before and after are not compared.`,
  }));
  const refused = file.refused.map((one): Happening => ({
    ...plain,
    kind: "refused",
    t: one.t,
    label: "×",
    text: `${line.short}: ${one.unsteady ? "not proven steady, so no point" : "every trial refused"}. ${one.reason}`,
    session: one.session,
  }));
  return [...changes, ...labels, ...segments, ...refused];
}

/** All of all lines, newest first; what several lines share (a machine, a version) is told once. */
export function happenings(lines: readonly Line[]): Happening[] {
  const all = lines.flatMap(ofLine);
  const once = new Map(all.map((one) => [`${one.kind} ${one.t} ${one.kind === "environment" ? one.text : `${one.line} ${one.text}`}`, one]));
  return [...once.values()].sort((a, b) => b.t - a.t);
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
