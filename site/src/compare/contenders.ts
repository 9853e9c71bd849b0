// The subjects that a comparison is about: of one session, or of several.

import type { CompareFile, Contender, Measure, Values } from "../data/api";

/** A subject of a session; its text in the address is `session` or `session!subject`. */
export interface Place {
  session: string;
  subject: string;
}

/** The places that the address names. `,` separates places, `!` separates session and subject: no slug contains these signs. */
export function placesOf(text: string | null): Place[] {
  return (text ?? "")
    .split(",")
    .filter(Boolean)
    .slice(0, 8)
    .map((part) => {
      const [session = "", subject = ""] = part.split("!");
      return { session, subject };
    });
}

/** The text of places, which `placesOf` reads. */
export function textOf(places: readonly Place[]): string {
  return places.map((place) => `${place.session}!${place.subject}`).join(",");
}

/** This sign in place of a subject means every subject that both sessions measured. No slug contains the sign. */
export const EVERY = "*";

export interface Side {
  place: Place;
  label: string;
  file: CompareFile;
  contender: Contender;
  control: Contender | null;
}

/** The side for a place in the file of its session, or null when the subject did not run the scenario in that session. */
export function sideOf(place: Place, file: CompareFile, scenario: string, label: string): Side | null {
  const ofScenario = file.contenders.filter((entry) => entry.scenario === scenario);
  const contender = ofScenario.find((entry) => entry.subject === place.subject);
  if (contender === undefined) return null;
  return { place, label, file, contender, control: ofScenario.find((entry) => entry.control) ?? null };
}

/** Base and head of every subject and workload that both files have, the control last. */
export function pairsOf(base: CompareFile, head: CompareFile, label: (subject: string) => string): [Side, Side][] {
  const both = scenariosOf(base).flatMap((scenario) =>
    base.contenders.flatMap(({ subject, scenario: contenderScenario }): [Side, Side][] => {
      if (contenderScenario !== scenario) return [];
      const [baseSide, headSide] = [base, head].map((file) => sideOf({ session: file.session, subject }, file, scenario, label(subject)));
      return baseSide && headSide ? [[baseSide, headSide]] : [];
    }),
  );
  return [...both.filter(([side]) => !side.contender.control), ...both.filter(([side]) => side.contender.control)];
}

/** The subjects that ran a scenario, the control last. */
export function ableOf(file: CompareFile, scenario: string): Contender[] {
  const ofScenario = file.contenders.filter((entry) => entry.scenario === scenario);
  return [...ofScenario.filter((entry) => !entry.control), ...ofScenario.filter((entry) => entry.control)];
}

/** The two subjects to compare when the reader named none, or only `base`: the first two of one class of data access that
 * have enough trials for a verdict, else the first two of one class, else the first two. */
export function opposed(file: CompareFile, scenario: string, base?: string): [string, string] {
  const candidates = ableOf(file, scenario);
  const counts = new Map(candidates.map((contender) => [contender, Math.max(0, ...contender.values.map((measure) => measure.values.length))]));
  const pairs = candidates.filter((contender) => base === undefined || contender.subject === base).flatMap((first) => candidates.filter((second) => second !== first).map((second) => [first, second] as const));
  const sameClass = pairs.filter(([first, second]) => first.data_access === second.data_access);
  const decidable = sameClass.find((pair) => pair.every((contender) => counts.get(contender)! >= file.rule.minimum_pairs));
  const [baseContender, headContender] = decidable ?? sameClass[0] ?? pairs[0] ?? [candidates[0], candidates[0]];
  return [baseContender!.subject, headContender!.subject];
}

/** The scenarios of a file, in the order of the file. */
export function scenariosOf(file: CompareFile): string[] {
  return [...new Set(file.contenders.map((contender) => contender.scenario))];
}

/** Values with the measure that they belong to. */
export type Measured = Measure & Values;

/** All measures of a side with their values. */
export function measuresOf({ file, contender }: Side): Measured[] {
  return contender.values.map((values) => ({ ...file.measures[values.measure]!, ...values }));
}
