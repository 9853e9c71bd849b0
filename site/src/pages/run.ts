import { frame } from "../frame/frame";
import { h, need, put } from "../lib/dom";
import { load, LoadError } from "../lib/load";
import { painted } from "../lib/painted";
import { onReturn } from "../lib/state";
import { timelines } from "../run/timeline";

frame();

async function start(): Promise<void> {
  const place = need("timeline");
  const path = place.dataset["run"];
  if (path === undefined || place.hidden) return;
  await painted();
  const [run, index] = await Promise.all([load(path, "run"), load("api/v1/index.json", "site")]);
  const short = new Map(index.subjects.map((subject) => [subject.slug, subject.short]));
  const show = (): Promise<void> => timelines(place, run, (slug) => short.get(slug) ?? slug);
  onReturn(() => void show());
  await show();
}

start().catch((error: unknown) => {
  if (!(error instanceof LoadError)) throw error;
  put(need("timeline"), h("p", { class: "note bad", role: "alert" }, error.message));
});
