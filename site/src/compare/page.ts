// The compare page: the reader chooses subjects, their sessions and a workload.

import type { CompareFile, RunEntry, RunIndex, SiteIndex, SubjectEntry } from "../data/api";
import { button, keepFocus, select, type Option } from "../lib/controls";
import { h, need, put } from "../lib/dom";
import { load, LoadError } from "../lib/load";
import { date, when } from "../lib/numbers";
import { showError } from "../lib/page";
import { changed, go, oneOf, read } from "../lib/state";
import { ableOf, EVERY, headOf, opposed, pairsOf, placesOf, scenariosOf, sideOf, textOf, toldApart, type Place } from "./contenders";
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
    this.runs = runs.runs.filter((run) => run.comparable);
  }

  /** Draws the comparison that the address names: `base=session!subject`, `with=session!subject,…`, `scenario=…`; the subject
   * `*` means all subjects that two sessions measured. The list of runs need not have a session: it has the newest alone. */
  async show(): Promise<void> {
    const turn = (this.turn += 1);
    const base = placesOf(read().get("base"))[0];
    const session = base?.session || this.runs[0]?.session;
    if (session === undefined) {
      put(need("view"), h("p", { class: "note" }, "No session with a trial that counts yet."));
      return;
    }
    try {
      await this.draw(session, base?.subject, turn);
    } catch (error) {
      if (turn !== this.turn) return;
      if (error instanceof LoadError) this.onlySession(session);
      throw error;
    }
  }

  private async draw(session: string, subject: string | undefined, turn: number): Promise<void> {
    const state = read();
    const file = await this.file(session);
    const scenario = oneOf(state, "scenario", scenariosOf(file));
    if (scenario === undefined) {
      if (turn !== this.turn) return;
      this.onlySession(session);
      put(need("view"), h("p", { class: "note" }, "In that session nothing counts that could be compared. Choose another."));
      return;
    }
    const named = placesOf(state.get("with")).map((place) => ({ ...place, session: place.session || session }));
    const [first] = named;
    if (first?.subject === EVERY && first.session !== session) return this.showEvery([session, first.session], turn);
    const base: Place = { session, subject: opposed(file, scenario, this.subjectsOf(file, scenario).find((slug) => slug === subject))[0] };
    const places = first === undefined ? [{ session, subject: "" }] : named;
    const files = [file, ...(await Promise.all(places.map((place) => this.file(place.session))))];
    if (turn !== this.turn) return;
    const heads = places.map((place, index) => headOf(place, files[index + 1]!, scenario, base));
    this.filters(base, heads, files, scenario);
    const sides = [base, ...heads].flatMap((place, index) => sideOf(place, files[index]!, scenario, this.label(place, files[index]!, files)) ?? []);
    const [baseSide, ...headSides] = toldApart(sides);
    put(
      need("view"),
      baseSide === undefined || headSides.length === 0
        ? h("p", { class: "note" }, "Of this workload nothing else counts there that could be compared. Choose another session.")
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
    put(need("view"), everything(pairs, [this.sessionName(base, [head]), this.sessionName(head, [base])], (scenario) => this.scenario(scenario)));
  }

  private goTo(state: URLSearchParams): void {
    go(state);
    this.show().catch(showError);
  }

  /** Draws the one filter that leads on from a session of which nothing can be drawn. */
  private onlySession(session: string): void {
    const choose = (chosen: string): void => this.goTo(new URLSearchParams({ base: textOf([{ session: chosen, subject: "" }]) }));
    put(need("filters"), select("f-base-session", "Base, session", this.sessions(session), session, choose));
  }

  /** The newest session of the same host that is older than the given session. */
  private earlierSession(session: string): string | undefined {
    const run = this.runs.find((entry) => entry.session === session);
    return this.runs.find((entry) => run !== undefined && entry.host === run.host && entry.t < run.t)?.session;
  }

  private scenario(slug: string): string {
    return this.index.scenarios.find((scenario) => scenario.slug === slug)?.id ?? slug;
  }

  /** The name of a session: its time, its host where another session is of another host, and its commit. */
  private sessionName(file: CompareFile, others: readonly CompareFile[]): string {
    const commit = this.runs.find((run) => run.session === file.session)?.commit;
    const host = others.some((other) => other.host !== file.host) ? ` on ${this.hosts.get(file.host) ?? file.host}` : "";
    return `${when(file.t)}${host}${commit ? ` (${commit.slice(0, 7)})` : ""}`;
  }

  private async file(session: string): Promise<CompareFile> {
    try {
      return await load(`api/v1/compare/${session}.json`, "compare");
    } catch (error) {
      throw error instanceof LoadError ? new LoadError(`The session ${session} is not available. ${error.message}`) : error;
    }
  }

  private subjectsOf(file: CompareFile, scenario: string): string[] {
    return ableOf(file, scenario).map((contender) => contender.subject);
  }

  private short(slug: string): string {
    return this.subjects.get(slug)?.short ?? slug;
  }

  private label(place: Place, file: CompareFile, all: readonly CompareFile[]): string {
    const dated = all.some((other) => other.session !== file.session);
    return dated ? `${this.short(place.subject)} of ${this.sessionName(file, all)}` : this.short(place.subject);
  }

  private sessions(chosen: string): Option[] {
    const newest = this.runs.slice(0, MOST_SESSIONS);
    const shown = newest.some((run) => run.session === chosen) ? newest : [...newest, ...this.runs.filter((run) => run.session === chosen)];
    const options = shown.map((run) => ({ value: run.session, label: `${date(run.t)} · ${this.hosts.get(run.host) ?? run.host} · ${run.suite}${run.commit ? ` · ${run.commit.slice(0, 7)}` : ""}` }));
    return options.some((option) => option.value === chosen) ? options : [...options, { value: chosen, label: chosen }];
  }

  private filters(base: Place, heads: readonly Place[], files: readonly CompareFile[], scenario: string): void {
    const form = need("filters");
    const set = (changes: Record<string, string | null>): void => {
      go(changed(read(), { base: textOf([base]), with: textOf(heads), scenario, ...changes }));
      this.show().catch(showError);
    };
    const scenarios = scenariosOf(files[0]!).map((slug) => ({ value: slug, label: this.scenario(slug) }));
    const subjects = (file: CompareFile, but?: string): Option[] => this.subjectsOf(file, scenario).filter((slug) => slug !== but).map((slug) => ({ value: slug, label: this.short(slug) }));
    const opponents = (head: Place, file: CompareFile): Option[] => subjects(file, head.session === base.session ? base.subject : undefined);
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
          select(`f-head-${index}`, heads.length > 1 ? `Against it, ${index + 1}` : "Against it", opponents(head, files[index + 1]!), head.subject, (subject) => set({ with: replaced(index, { subject }) })),
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
