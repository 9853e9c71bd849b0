// The compare page: the reader chooses subjects, their sessions and a workload.

import type { CompareFile, RunEntry, RunIndex, SiteIndex, SubjectEntry } from "../data/api";
import { button, keepFocus, select, type Option } from "../lib/controls";
import { h, need, put } from "../lib/dom";
import { load } from "../lib/load";
import { date, when } from "../lib/numbers";
import { changed, go, oneOf, read } from "../lib/state";
import { ableOf, EVERY, opposed, pairsOf, placesOf, scenariosOf, sideOf, textOf, type Place, type Side } from "./contenders";
import { everything, twoSessions } from "./every";
import { comparison } from "./view";

const MOST_SESSIONS = 200;
const MOST_SIDES = 6;

export class ComparePage {
  private readonly subjects: Map<string, SubjectEntry>;
  private readonly hosts: Map<string, string>;
  private readonly runs: RunEntry[];
  private turn = 0;

  constructor(
    private readonly index: SiteIndex,
    runs: RunIndex,
  ) {
    this.subjects = new Map(index.subjects.map((subject) => [subject.slug, subject]));
    this.hosts = new Map(index.hosts.map((host) => [host.slug, host.name]));
    this.runs = runs.runs.filter((run) => run.refused < run.trials);
  }

  /** Draws the comparison that the address names: `base=session!subject`, `with=session!subject,…`, `scenario=…`; the subject
   * `*` means all subjects that two sessions measured. */
  async show(): Promise<void> {
    const turn = (this.turn += 1);
    const state = read();
    const first = this.runs[0];
    if (first === undefined) {
      put(need("view"), h("p", { class: "note" }, "No session with a trial that counts yet."));
      return;
    }
    const [basePlace] = placesOf(state.get("base"));
    const session = this.knownSession(basePlace?.session) ?? first.session;
    const file = await this.file(session);
    const scenario = oneOf(state, "scenario", scenariosOf(file));
    if (scenario === undefined) {
      put(need("view"), h("p", { class: "note" }, "In that session nothing counts that could be compared."));
      return;
    }
    const [headPlace] = placesOf(state.get("with"));
    const headSession = this.knownSession(headPlace?.session);
    if (headPlace?.subject === EVERY && headSession !== undefined && headSession !== session) return this.showEvery([session, headSession], turn);
    const namedHeads = placesOf(state.get("with")).map((place) => ({ ...place, session: this.knownSession(place.session) ?? session }));
    const [baseSubject, headSubject] = opposed(file, scenario, this.subjectsOf(file, scenario).find((slug) => slug === basePlace?.subject));
    const base: Place = { session, subject: baseSubject };
    const places = namedHeads.length > 0 ? namedHeads : [{ session, subject: headSubject }];
    const files = await Promise.all(places.map((place) => this.file(place.session)));
    if (turn !== this.turn) return;
    const headPlaces = places.map((place, index): Place => {
      const measuredSubjects = this.subjectsOf(files[index]!, scenario);
      return { ...place, subject: measuredSubjects.includes(place.subject) ? place.subject : (measuredSubjects.find((slug) => slug === base.subject) ?? measuredSubjects[0] ?? "") };
    });
    this.filters(base, headPlaces, [file, ...files], scenario);
    const severalSessions = new Set([session, ...headPlaces.map((head) => head.session)]).size > 1;
    const side = (place: Place, sessionFile: CompareFile): Side | null => sideOf(place, sessionFile, scenario, this.label(place, sessionFile, severalSessions));
    const baseSide = side(base, file);
    const headSides = headPlaces.flatMap((place, index) => side(place, files[index]!) ?? []);
    put(
      need("view"),
      baseSide === null || headSides.length === 0
        ? h("p", { class: "note" }, "The other session did not measure this workload. Choose another.")
        : comparison(baseSide, headSides),
    );
  }

  private async showEvery(sessions: [string, string], turn: number): Promise<void> {
    const [base, head] = await Promise.all([this.file(sessions[0]), this.file(sessions[1])]);
    if (turn !== this.turn) return;
    const form = need("filters");
    const list = (id: string, label: string, current: string, newPair: (session: string) => [string, string]): HTMLElement =>
      select(id, label, this.sessions(current).filter((option) => option.value === current || !sessions.includes(option.value)), current, (session) => this.goTo(twoSessions(...newPair(session))));
    keepFocus(form, () =>
      put(
        form,
        list("f-base-session", "Base, session", sessions[0], (session) => [session, sessions[1]]),
        list("f-head-0-session", "Against it", sessions[1], (session) => [sessions[0], session]),
        button("One subject", () => this.goTo(twoSessions(...sessions, "")), { id: "f-one" }),
      ),
    );
    const pairs = pairsOf(base, head, (subject) => this.short(subject));
    put(need("view"), everything(pairs, [this.sessionName(base, when), this.sessionName(head, when)], (scenario) => this.scenario(scenario)));
  }

  private goTo(state: URLSearchParams): void {
    go(state);
    void this.show();
  }

  /** The newest session of the same host that is older than the given session. */
  private earlierSession(session: string): string | undefined {
    const run = this.runs.find((entry) => entry.session === session);
    return this.runs.find((entry) => run !== undefined && entry.host === run.host && entry.t < run.t)?.session;
  }

  private scenario(slug: string): string {
    return this.index.scenarios.find((scenario) => scenario.slug === slug)?.id ?? slug;
  }

  /** The name of a session: its time, in the form that `time` gives, and its commit. */
  private sessionName(file: CompareFile, time: (t: number) => string): string {
    const commit = this.runs.find((run) => run.session === file.session)?.commit;
    return `${time(file.t)}${commit ? ` (${commit.slice(0, 7)})` : ""}`;
  }

  private knownSession(session: string | undefined): string | undefined {
    return this.runs.find((run) => run.session === session)?.session;
  }

  private file(session: string): Promise<CompareFile> {
    return load(`api/v1/compare/${session}.json`, "compare");
  }

  private subjectsOf(file: CompareFile, scenario: string): string[] {
    return ableOf(file, scenario).map((contender) => contender.subject);
  }

  private short(slug: string): string {
    return this.subjects.get(slug)?.short ?? slug;
  }

  private label(place: Place, file: CompareFile, dated: boolean): string {
    return dated ? `${this.short(place.subject)} of ${this.sessionName(file, date)}` : this.short(place.subject);
  }

  private sessions(chosen: string): Option[] {
    const newest = this.runs.slice(0, MOST_SESSIONS);
    const chosenRun = this.runs.find((run) => run.session === chosen);
    const shown = chosenRun === undefined || newest.includes(chosenRun) ? newest : [...newest, chosenRun];
    return shown.map((run) => ({ value: run.session, label: `${date(run.t)} · ${this.hosts.get(run.host) ?? run.host} · ${run.suite}${run.commit ? ` · ${run.commit.slice(0, 7)}` : ""}` }));
  }

  private filters(base: Place, heads: readonly Place[], files: readonly CompareFile[], scenario: string): void {
    const form = need("filters");
    const set = (changes: Record<string, string | null>): void => {
      go(changed(read(), { base: textOf([base]), with: textOf(heads), scenario, ...changes }));
      void this.show();
    };
    const scenarios = scenariosOf(files[0]!).map((slug) => ({ value: slug, label: this.scenario(slug) }));
    const subjects = (file: CompareFile): Option[] => this.subjectsOf(file, scenario).map((slug) => ({ value: slug, label: this.short(slug) }));
    const replaced = (index: number, changes: Partial<Place>): string => textOf(heads.map((head, position) => (position === index ? { ...head, ...changes } : head)));
    const earlier = this.earlierSession(base.session);
    keepFocus(form, () =>
      put(
        form,
        select("f-scenario", "Workload", scenarios, scenario, (value) => set({ scenario: value })),
        select("f-base", "Base", subjects(files[0]!), base.subject, (subject) => set({ base: textOf([{ ...base, subject }]) })),
        select("f-base-session", "Base, session", this.sessions(base.session), base.session, (session) =>
          set({ base: textOf([{ ...base, session }]), with: textOf(heads.map((head) => (head.session === base.session ? { ...head, session } : head))) }),
        ),
        heads.map((head, index) => [
          select(`f-head-${index}`, heads.length > 1 ? `Against it, ${index + 1}` : "Against it", subjects(files[index + 1]!), head.subject, (subject) => set({ with: replaced(index, { subject }) })),
          select(`f-head-${index}-session`, "its session", this.sessions(head.session), head.session, (session) => set({ with: replaced(index, { session }) })),
        ]),
        heads.length < MOST_SIDES && button("Add a side", () => set({ with: textOf([...heads, { session: base.session, subject: this.unusedSubject(files[0]!, scenario, [base, ...heads]) }]) }), { id: "f-add" }),
        earlier !== undefined && button("All of two sessions", () => this.goTo(twoSessions(earlier, base.session)), { id: "f-every" }),
        heads.length > 1 && button("Take the last away", () => set({ with: textOf(heads.slice(0, -1)) }), { id: "f-less" }),
      ),
    );
  }

  private unusedSubject(file: CompareFile, scenario: string, used: readonly Place[]): string {
    const slugs = this.subjectsOf(file, scenario);
    return slugs.find((slug) => used.every((place) => place.subject !== slug)) ?? slugs[0]!;
  }
}
