// A trend of 3,650 points with its band pans and zooms within 8 ms of main-thread work a frame, by trace.

import { expect, test } from "vitest";
import { frameWork, longSeries } from "../frames/measure";
import { launch } from "../browser/browser";
import { SITE } from "../browser/site";

const BUDGET_MS = 8;

test("panning and zooming 3,650 points", async () => {
  const browser = await launch();
  try {
    const work = await frameWork(browser, SITE, longSeries(3650));
    expect(work.frames).toBeGreaterThan(60);
    expect(work.points).toBe(3650);
    expect(work.median_ms).toBeLessThanOrEqual(BUDGET_MS);
    expect(work.p95_ms).toBeLessThanOrEqual(BUDGET_MS);
  } finally {
    await browser.close();
  }
});
