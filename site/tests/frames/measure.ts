// Main-thread work a frame while a long trend pans and zooms, out of a trace of Chromium.

import type { Browser } from "playwright-core";
import type { SeriesFile, SeriesIndex } from "../../src/data/api";
import { serve } from "../browser/serve";

const DAY = 86_400;

export interface FrameWork {
  frames: number;
  points: number;
  median_ms: number;
  p95_ms: number;
  worst_ms: number;
}

/** Ten years of nights, in the place of the series that the page asks for: noise of a percent, and steps. */
export function longSeries(points: number): (file: SeriesFile) => SeriesFile {
  return (file) => {
    const rows = Array.from({ length: points }, (_, index) => index);
    const end = file.columns.t[file.columns.t.length - 1]!;
    const value = rows.map((row) => 5000 * (1 + 0.05 * Math.floor(row / 900)) * (1 + 0.01 * Math.sin(row * 12.9898)));
    return {
      ...file,
      points,
      first: 0,
      older: [],
      refused: [],
      segments: file.segments.slice(0, 1),
      annotations: [],
      turns: [],
      changes: [],
      columns: {
        t: rows.map((row) => end - (points - 1 - row) * DAY),
        session: rows.map((row) => `s${row}`),
        value,
        ratio: value.map((one) => one / 7000),
        half: rows.map((row) => 0.01 + 0.005 * Math.cos(row)),
        ratio_half: rows.map((row) => 0.01 + 0.005 * Math.cos(row)),
        verdict: rows.map(() => "valid" as const),
      },
    };
  };
}

interface TraceEvent {
  name: string;
  ph: string;
  ts: number;
  /** Processor time of the thread, us: what other programs take of the machine is not in it. */
  tdur?: number;
  tid: number;
  args?: { name?: string };
}

/** Loads the trends page with one such series, holds the keys of panning and zooming down, and reads the trace. */
export async function frameWork(browser: Browser, site: string, made: (file: SeriesFile) => SeriesFile): Promise<FrameWork> {
  const served = await serve(site);
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  try {
    const page = await context.newPage();
    const index = (await (await fetch(`${served.address}api/v1/series.json`)).json()) as SeriesIndex;
    const entry = index.series.find((one) => one.phase === "closed" && one.metric === "throughput_per_s" && one.points > 3)!;
    let points = 0;
    await page.route(`**/${entry.path}`, async (route) => {
      const file = made((await (await route.fetch()).json()) as SeriesFile);
      points = file.columns.t.length;
      await route.fulfill({ json: file });
    });
    const asked = new URLSearchParams({ host: entry.host, scenario: entry.scenario, phase: entry.phase, metric: entry.metric, subject: entry.subject });
    await page.goto(`${served.address}trends/?${asked}`, { waitUntil: "networkidle" });
    const session = await context.newCDPSession(page);
    const events: TraceEvent[] = [];
    session.on("Tracing.dataCollected", ({ value }) => events.push(...(value as unknown as TraceEvent[])));
    await session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: ["toplevel", "devtools.timeline", "blink.user_timing", "__metadata"] } });
    // One act a frame, all of them over the whole series or most of it.
    await page.locator(".plot").evaluate(async (plot) => {
      const acts = ["-", "Shift+ArrowLeft", "Shift+ArrowRight", "+", "Shift+ArrowRight", "-", "Shift+ArrowLeft", "+"];
      performance.mark("acts-begin");
      for (let frame = 0; frame < 120; frame += 1) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
        const [key, shiftKey] = [acts[frame % acts.length]!.replace("Shift+", ""), acts[frame % acts.length]!.startsWith("Shift+")];
        plot.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, bubbles: true, cancelable: true }));
      }
      await new Promise((resolve) => requestAnimationFrame(resolve));
      performance.mark("acts-end");
    });
    const ended = new Promise<void>((resolve) => session.once("Tracing.tracingComplete", () => resolve()));
    await session.send("Tracing.end");
    await ended;
    return { points, ...workOf(events) };
  } finally {
    await context.close();
    await served.close();
  }
}

/** Sums the processor time of the main thread's tasks that begin within each frame, between the marks. */
function workOf(events: readonly TraceEvent[]): Omit<FrameWork, "points"> {
  const mark = events.find((one) => one.name === "acts-begin")!;
  const [begin, end] = [mark.ts, events.find((one) => one.name === "acts-end")!.ts];
  const main = events.filter((one) => one.tid === mark.tid && one.ts >= begin && one.ts <= end);
  const frames = main.filter((one) => one.name === "FireAnimationFrame").map((one) => one.ts).sort((a, b) => a - b);
  const tasks = main.filter((one) => one.ph === "X" && /(?:^|::)RunTask$/.test(one.name));
  const work = frames.slice(0, -1).map((from, index) =>
    tasks.filter((task) => task.ts >= from && task.ts < frames[index + 1]!).reduce((sum, task) => sum + (task.tdur ?? 0), 0) / 1000,
  );
  const sorted = [...work].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
  return { frames: work.length, median_ms: at(0.5), p95_ms: at(0.95), worst_ms: at(1) };
}
