// The compare page: who, of which session, by which workload.

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
    this.subjects = new Map(index.subjects.map((one) => [one.slug, one]));
    this.hosts = new Map(index.hosts.map((one) => [one.slug, one.name]));
    this.runs = runs.runs.filter((one) => one.refused < one.trials);
  }

  /** Draws what the address asks for: `base=session!subject`, `with=session!subject,…`, `scenario=…`; with the subject `*`
   * all that two sessions measured. */
  async show(): Promise<void> {
    const turn = (this.turn += 1);
    const state = read();
    const first = this.runs[0];
    if (first === undefined) {
      put(need("view"), h("p", { class: "note" }, "No session with a trial that counts yet."));
      return;
    }
    const [asked] = placesOf(state.get("base"));
    const session = this.known(asked?.session) ?? first.session;
    const file = await this.file(session);
    const scenario = oneOf(state, "scenario", scenariosOf(file));
    if (scenario === undefined) {
      put(need("view"), h("p", { class: "note" }, "In that session nothing counts that could be compared."));
      return;
    }
    const [against] = placesOf(state.get("with"));
    const other = this.known(against?.session);
    if (against?.subject === EVERY && other !== undefined && other !== session) return this.showEvery([session, other], turn);
    const named = placesOf(state.get("with")).map((place) => ({ ...place, session: this.known(place.session) ?? session }));
    const [chosen, rival] = opposed(file, scenario, this.able(file, scenario).find((slug) => slug === asked?.subject));
    const base: Place = { session, subject: chosen };
    const places = named.length > 0 ? named : [{ session, subject: rival }];
    const files = await Promise.all(places.map((place) => this.file(place.session)));
    if (turn !== this.turn) return;
    const held = places.map((place, index): Place => {
      const theirs = this.able(files[index]!, scenario);
      return { ...place, subject: theirs.includes(place.subject) ? place.subject : (theirs.find((slug) => slug === base.subject) ?? theirs[0] ?? "") };
    });
    this.filters(base, held, [file, ...files], scenario);
    const many = new Set([session, ...held.map((one) => one.session)]).size > 1;
    const side = (place: Place, of: CompareFile): Side | null => sideOf(place, of, scenario, this.label(place, of, many));
    const one = side(base, file);
    const heads = held.flatMap((place, index) => side(place, files[index]!) ?? []);
    put(
      need("view"),
      one === null || heads.length === 0
        ? h("p", { class: "note" }, "The other session did not measure this workload. Choose another.")
        : comparison(one, heads),
    );
  }

  private async showEvery(sessions: [string, string], turn: number): Promise<void> {
    const [base, head] = await Promise.all([this.file(sessions[0]), this.file(sessions[1])]);
    if (turn !== this.turn) return;
    const form = need("filters");
    const list = (id: string, label: string, chosen: string, other: (session: string) => [string, string]): HTMLElement =>
      select(id, label, this.sessions(chosen).filter((one) => one.value === chosen || !sessions.includes(one.value)), chosen, (session) => this.went(twoSessions(...other(session))));
    keepFocus(form, () =>
      put(
        form,
        list("f-base-session", "Base, session", sessions[0], (session) => [session, sessions[1]]),
        list("f-head-0-session", "Against it", sessions[1], (session) => [sessions[0], session]),
        button("One subject", () => this.went(twoSessions(...sessions, "")), { id: "f-one" }),
      ),
    );
    const pairs = pairsOf(base, head, (subject) => this.short(subject));
    put(need("view"), everything(pairs, [this.named(base, when), this.named(head, when)], (scenario) => this.scenario(scenario)));
  }

  private went(state: URLSearchParams): void {
    go(state);
    void this.show();
  }

  /** The newest session of the same host that is older than this one. */
  private before(session: string): string | undefined {
    const own = this.runs.find((one) => one.session === session);
    return this.runs.find((one) => own !== undefined && one.host === own.host && one.t < own.t)?.session;
  }

  private scenario(slug: string): string {
    return this.index.scenarios.find((one) => one.slug === slug)?.id ?? slug;
  }

  /** A session by its time, as precise as asked for, and its commit. */
  private named(file: CompareFile, time: (t: number) => string): string {
    const commit = this.runs.find((one) => one.session === file.session)?.commit;
    return `${time(file.t)}${commit ? ` (${commit.slice(0, 7)})` : ""}`;
  }

  private known(session: string | undefined): string | undefined {
    return this.runs.find((one) => one.session === session)?.session;
  }

  private file(session: string): Promise<CompareFile> {
    return load(`api/v1/compare/${session}.json`, "compare");
  }

  private able(file: CompareFile, scenario: string): string[] {
    return ableOf(file, scenario).map((one) => one.subject);
  }

  private short(slug: string): string {
    return this.subjects.get(slug)?.short ?? slug;
  }

  private label(place: Place, file: CompareFile, dated: boolean): string {
    return dated ? `${this.short(place.subject)} of ${this.named(file, date)}` : this.short(place.subject);
  }

  private sessions(chosen: string): Option[] {
    const near = this.runs.slice(0, MOST_SESSIONS);
    const own = this.runs.find((one) => one.session === chosen);
    const all = own === undefined || near.includes(own) ? near : [...near, own];
    return all.map((one) => ({ value: one.session, label: `${date(one.t)} · ${this.hosts.get(one.host) ?? one.host} · ${one.suite}${one.commit ? ` · ${one.commit.slice(0, 7)}` : ""}` }));
  }

  private filters(base: Place, heads: readonly Place[], files: readonly CompareFile[], scenario: string): void {
    const form = need("filters");
    const set = (by: Record<string, string | null>): void => {
      go(changed(read(), { base: textOf([base]), with: textOf(heads), scenario, ...by }));
      void this.show();
    };
    const scenarios = scenariosOf(files[0]!).map((slug) => ({ value: slug, label: this.scenario(slug) }));
    const subjects = (file: CompareFile): Option[] => this.able(file, scenario).map((slug) => ({ value: slug, label: this.short(slug) }));
    const replaced = (index: number, by: Partial<Place>): string => textOf(heads.map((one, at) => (at === index ? { ...one, ...by } : one)));
    const earlier = this.before(base.session);
    keepFocus(form, () =>
      put(
        form,
        select("f-scenario", "Workload", scenarios, scenario, (value) => set({ scenario: value })),
        select("f-base", "Base", subjects(files[0]!), base.subject, (subject) => set({ base: textOf([{ ...base, subject }]) })),
        select("f-base-session", "Base, session", this.sessions(base.session), base.session, (session) =>
          set({ base: textOf([{ ...base, session }]), with: textOf(heads.map((one) => (one.session === base.session ? { ...one, session } : one))) }),
        ),
        heads.map((head, index) => [
          select(`f-head-${index}`, heads.length > 1 ? `Against it, ${index + 1}` : "Against it", subjects(files[index + 1]!), head.subject, (subject) => set({ with: replaced(index, { subject }) })),
          select(`f-head-${index}-session`, "its session", this.sessions(head.session), head.session, (session) => set({ with: replaced(index, { session }) })),
        ]),
        heads.length < MOST_SIDES && button("Add a side", () => set({ with: textOf([...heads, { session: base.session, subject: this.next(files[0]!, scenario, [base, ...heads]) }]) }), { id: "f-add" }),
        earlier !== undefined && button("All of two sessions", () => this.went(twoSessions(earlier, base.session)), { id: "f-every" }),
        heads.length > 1 && button("Take the last away", () => set({ with: textOf(heads.slice(0, -1)) }), { id: "f-less" }),
      ),
    );
  }

  private next(file: CompareFile, scenario: string, used: readonly Place[]): string {
    const able = this.able(file, scenario);
    return able.find((slug) => used.every((one) => one.subject !== slug)) ?? able[0]!;
  }
}
