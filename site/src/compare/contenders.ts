// Who is compared: subjects of one session, or of several.

import type { CompareFile, Contender, Measure, Values } from "../data/api";

/** A subject of a session; text form in the address: `session` or `session~subject`. */
export interface Place {
  session: string;
  subject: string;
}

/** The sides that the address names. `,` separates places, `!` session and subject: neither occurs in a slug. */
export function placesOf(text: string | null): Place[] {
  return (text ?? "")
    .split(",")
    .filter(Boolean)
    .slice(0, 8)
    .map((one) => {
      const [session = "", subject = ""] = one.split("!");
      return { session, subject };
    });
}

/** The text of those places. */
export function textOf(places: readonly Place[]): string {
  return places.map((one) => `${one.session}!${one.subject}`).join(",");
}

/** In the place of a subject: every one that both sessions measured. It occurs in no slug. */
export const EVERY = "*";

export interface Side {
  place: Place;
  label: string;
  file: CompareFile;
  contender: Contender;
  control: Contender | null;
}

/** The side for a place in its file, or null when that subject did not run that scenario there. */
export function sideOf(place: Place, file: CompareFile, scenario: string, label: string): Side | null {
  const here = file.contenders.filter((one) => one.scenario === scenario);
  const contender = here.find((one) => one.subject === place.subject);
  if (contender === undefined) return null;
  return { place, label, file, contender, control: here.find((one) => one.control) ?? null };
}

/** Base and head of every subject and workload that both files have, the control last. */
export function pairsOf(base: CompareFile, head: CompareFile, label: (subject: string) => string): [Side, Side][] {
  const both = scenariosOf(base).flatMap((scenario) =>
    base.contenders.flatMap(({ subject, scenario: its }): [Side, Side][] => {
      if (its !== scenario) return [];
      const [one, other] = [base, head].map((file) => sideOf({ session: file.session, subject }, file, scenario, label(subject)));
      return one && other ? [[one, other]] : [];
    }),
  );
  return [...both.filter(([side]) => !side.contender.control), ...both.filter(([side]) => side.contender.control)];
}

/** The subjects that ran a scenario, the control last. */
export function ableOf(file: CompareFile, scenario: string): Contender[] {
  const here = file.contenders.filter((one) => one.scenario === scenario);
  return [...here.filter((one) => !one.control), ...here.filter((one) => one.control)];
}

/** The two subjects for a reader who named none, or `base` alone: the first of one class of data access with trials
 * enough for a verdict, else the first of one class, else the first two. */
export function opposed(file: CompareFile, scenario: string, base?: string): [string, string] {
  const here = ableOf(file, scenario);
  const counts = new Map(here.map((one) => [one, Math.max(0, ...one.values.map((its) => its.values.length))]));
  const pairs = here.filter((one) => base === undefined || one.subject === base).flatMap((one) => here.filter((other) => other !== one).map((other) => [one, other] as const));
  const alike = pairs.filter(([one, other]) => one.data_access === other.data_access);
  const told = alike.find((pair) => pair.every((one) => counts.get(one)! >= file.rule.minimum_pairs));
  const [one, other] = told ?? alike[0] ?? pairs[0] ?? [here[0], here[0]];
  return [one!.subject, other!.subject];
}

/** Scenarios of a file, in its order. */
export function scenariosOf(file: CompareFile): string[] {
  return [...new Set(file.contenders.map((one) => one.scenario))];
}

/** Values with what they are of. */
export type Measured = Measure & Values;

/** What was measured of a side. */
export function measuresOf({ file, contender }: Side): Measured[] {
  return contender.values.map((one) => ({ ...file.measures[one.measure]!, ...one }));
}
