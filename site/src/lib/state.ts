// The state of a page stands in its address: the state survives a reload, can be sent to others, and the back button works.

import { withState } from "./address";

export type State = URLSearchParams;

/** The name of a measure in an address. */
export const keyOf = (measure: { phase: string; metric: string }): string => `${measure.phase}/${measure.metric}`;

/** The state in the present address. */
export function read(): State {
  return new URLSearchParams(location.search);
}

/** The value of a name if the value is allowed, else the first allowed value. */
export function oneOf<T extends string>(state: State, name: string, allowed: readonly T[]): T | undefined {
  const value = state.get(name) as T | null;
  return value !== null && allowed.includes(value) ? value : allowed[0];
}

/** The allowed values of a name (separated by commas), in the order of `allowed`. */
export function someOf(state: State, name: string, allowed: readonly string[]): string[] {
  const wanted = new Set((state.getAll(name).join(",") || "").split(",").filter(Boolean));
  return allowed.filter((value) => wanted.has(value));
}

/** The state with changes; null or "" removes a name. Names keep a fixed order, so that one view has one address. */
export function changed(state: State, changes: Readonly<Record<string, string | null>>): State {
  const merged = new Map([...state.entries()]);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") merged.delete(name);
    else merged.set(name, value);
  }
  return new URLSearchParams([...merged.entries()].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

/** Goes to a state: as a new entry of the history, or in place of the present entry. */
export function go(state: State, how: "push" | "replace" = "push"): void {
  const address = withState(state);
  if (state.toString() === read().toString()) return;
  if (how === "push") history.pushState(null, "", address);
  else history.replaceState(null, "", address);
}

/** Calls `show` when the reader goes back or forward. */
export function onReturn(show: () => void): void {
  addEventListener("popstate", show);
}
