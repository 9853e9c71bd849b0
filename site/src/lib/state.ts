// What a page shows stands in its address: it survives reload, can be sent to others, and the back button works.

import { withState } from "./address";

export type State = URLSearchParams;

/** The state of the address as it is now. */
export function read(): State {
  return new URLSearchParams(location.search);
}

/** The value of a name if it is one of those allowed, else the first of them. */
export function oneOf<T extends string>(state: State, name: string, allowed: readonly T[]): T | undefined {
  const value = state.get(name) as T | null;
  return value !== null && allowed.includes(value) ? value : allowed[0];
}

/** The values of a name (separated by commas) that are allowed, in the order of `allowed`. */
export function someOf(state: State, name: string, allowed: readonly string[]): string[] {
  const wanted = new Set((state.getAll(name).join(",") || "").split(",").filter(Boolean));
  return allowed.filter((one) => wanted.has(one));
}

/** A new state; null or "" takes a name away. Names keep a fixed order, so that one view has one address. */
export function changed(state: State, by: Readonly<Record<string, string | null>>): State {
  const all = new Map([...state.entries()]);
  for (const [name, value] of Object.entries(by)) {
    if (value === null || value === "") all.delete(name);
    else all.set(name, value);
  }
  return new URLSearchParams([...all.entries()].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

/** Goes to a state: a new entry of the history, or in place of the present one. */
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
