// The first page. The publisher renders it; this script draws it again when the address or a filter names another choice.

import type { Overview, SiteIndex } from "../data/api";
import { frame } from "../frame/frame";
import { withState } from "../lib/address";
import { h, link, need, put } from "../lib/dom";
import { load, LoadError } from "../lib/load";
import { changed, go, keyOf, onReturn, read } from "../lib/state";
import { AXES, choose, scenarioOn, type Choice } from "../overview/choose";
import { answer, below, Names } from "../overview/view";

frame();

interface Data {
  overview: Overview;
  index: SiteIndex;
}

const form = document.getElementById("filters") as HTMLFormElement | null;
const selects = ["scenario", "host", "metric"] as const;

async function data(): Promise<Data> {
  const [overview, index] = await Promise.all([load("api/v1/overview.json", "overview"), load("api/v1/index.json", "site")]);
  return { overview, index };
}

function sync({ standings, table }: Choice): void {
  const state = read();
  const lists = Object.fromEntries(selects.map((name) => [name, need<HTMLSelectElement>(`f-${name}`)]));
  put(lists["metric"]!, standings.tables.map((entry) => h("option", { value: keyOf(entry) }, `${entry.title} ${entry.where}`)));
  lists["scenario"]!.value = standings.scenario;
  lists["host"]!.value = standings.host;
  lists["metric"]!.value = keyOf(table);
  for (const axis of AXES) {
    const checkedValues = (state.get(axis) ?? "").split(",");
    for (const input of document.querySelectorAll<HTMLInputElement>(`#f-${axis} input`)) input.checked = checkedValues.includes(input.value);
  }
}

async function show(): Promise<void> {
  const view = need("view");
  try {
    const { overview, index } = await data();
    const choice = choose(overview, new Map(index.subjects.map((subject) => [subject.slug, subject])), read());
    if (choice === null) return;
    const names = new Names(index);
    const linkTo = (changes: Record<string, string>): HTMLElement => link(withState(changed(read(), changes)), { "data-here": "" });
    put(need("answer"), answer(choice, names));
    put(view, below(overview, choice, names, linkTo));
    sync(choice);
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    put(view, h("p", { class: "note bad", role: "alert" }, error.message));
  }
}

function stateOfForm(): Record<string, string | null> {
  const values = new FormData(form!);
  const changes: Record<string, string | null> = {};
  for (const name of selects) changes[name] = String(values.get(name) ?? "");
  for (const axis of AXES) changes[axis] = values.getAll(axis).join(",");
  return changes;
}

/** Shows the choice of the form, of which the reader changed the named list. */
async function chosen(name: string): Promise<void> {
  const changes = stateOfForm();
  if (name === "scenario" || name === "host") changes["metric"] = read().get("metric");
  // Without the document, `show` tells why it can't be loaded.
  const loaded = name === "host" ? await data().catch(() => null) : null;
  if (loaded !== null) changes["scenario"] = scenarioOn(loaded.overview, changes["host"]!, changes["scenario"]!);
  go(changed(read(), changes));
  await show();
}

if (form !== null) {
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", (event) => void chosen(event.target instanceof HTMLSelectElement ? event.target.name : ""));
  // A link to another choice draws this page again, and loads no new page.
  document.addEventListener("click", (event) => {
    const anchor = event.target instanceof Element ? event.target.closest("a") : null;
    if (anchor === null || !anchor.matches("#view .claim") || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go(new URL(anchor.href).searchParams);
    void show().then(() => {
      need("answer").scrollIntoView({ block: "start" });
      need("main").focus({ preventScroll: true });
    });
  });
  onReturn(() => void show());
  if (read().size > 0) void show();
}
