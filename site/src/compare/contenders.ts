// The subjects that a comparison is about: of one session, or of several.

import type { CompareFile, Contender, Measure, Values } from "../data/api";
import { listed } from "../lib/numbers";

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
  /** The mark of the subject, or another where an earlier side has that mark. */
  mark: number | null;
  file: CompareFile;
  contender: Contender;
  control: Contender | null;
}

/** The side for a place in the file of its session, or null when the subject did not run the scenario in that session. */
export function sideOf(place: Place, file: CompareFile, scenario: string, label: string): Side | null {
  const ofScenario = file.contenders.filter((entry) => entry.scenario === scenario);
  const contender = ofScenario.find((entry) => entry.subject === place.subject);
  if (contender === undefined) return null;
  return { place, label, mark: contender.mark, file, contender, control: ofScenario.find((entry) => entry.control) ?? null };
}

/** The sides with marks of their own: where an earlier side has the mark, a side gets the next mark that no side has. */
export function toldApart(sides: readonly Side[]): Side[] {
  const taken = new Set(sides.map((side) => side.mark));
  const drawn = new Set<number | null>();
  return sides.map((side) => {
    let { mark } = side;
    while (drawn.has(mark) || (mark !== side.mark && taken.has(mark))) mark = (mark ?? -1) + 1;
    drawn.add(mark);
    return { ...side, mark };
  });
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

/** The head that `place` means: its subject, else that of the base in another session, else an opponent of the base. A subject
 * is never its own opponent; without an opponent the place has no subject. */
export function headOf(place: Place, file: CompareFile, scenario: string, base: Place): Place {
  const slugs = ableOf(file, scenario).map((contender) => contender.subject);
  const opponents = slugs.filter((slug) => place.session !== base.session || slug !== base.subject);
  const meant = [place.subject, base.subject].find((slug) => opponents.includes(slug));
  return { ...place, subject: meant ?? (opponents.length > 0 ? opposed(file, scenario, base.subject)[1] : "") };
}

/** A sentence that names what differs around the subjects of two sessions. */
export function surroundings(base: CompareFile, head: CompareFile): string {
  const names = Object.keys({ ...base.environment, ...head.environment }).filter((name) => base.environment[name] !== head.environment[name]);
  const differing = [...(base.host === head.host ? [] : ["host"]), ...names.sort().map((name) => name.replaceAll("_", " "))];
  return differing.length === 0 ? "Nothing that is recorded of host, services and load differs between them." : `Around the subjects they differ in ${listed(differing)}.`;
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
