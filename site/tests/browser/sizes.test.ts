// Budgets: what a reader downloads before anything can be seen, and what one chart adds.

import { expect, test } from "vitest";
import { SIZES } from "./browser";
import { PAGES, site } from "./site";

const its = site();
/** Compressed, as the server sends it. */
const FIRST_VIEW_BYTES = 100_000;
const CHART_BYTES = 30_000;

async function weight(path: string): Promise<{ page: number; chart: number }> {
  const context = await its.browser.newContext({ viewport: SIZES.phone });
  const page = await context.newPage();
  const sizes = new Map<string, number>();
  const pending: Promise<void>[] = [];
  page.on("requestfinished", (request) => {
    pending.push(request.sizes().then(({ responseBodySize, responseHeadersSize }) => void sizes.set(request.url(), responseBodySize + responseHeadersSize)));
  });
  await page.goto(its.address + path, { waitUntil: "networkidle" });
  await Promise.all(pending);
  await context.close();
  const chart = [...sizes].filter(([address]) => /\/plot-[^/]+\.js$|\/api\/v1\/series\//.test(address));
  const sum = (all: [string, number][]): number => all.reduce((total, [, size]) => total + size, 0);
  return { page: sum([...sizes]) - sum(chart), chart: sum(chart) };
}

test.each(Object.entries(PAGES))("%s weighs at most 100 kB at first sight", async (_, path) => {
  const found = await weight(path);
  expect(found.page).toBeGreaterThan(1000);
  expect(found.page).toBeLessThanOrEqual(FIRST_VIEW_BYTES);
});

test("one chart adds at most 30 kB", async () => {
  const subject = new URLSearchParams();
  const context = await its.browser.newContext();
  const page = await context.newPage();
  await page.goto(`${its.address}trends/`, { waitUntil: "networkidle" });
  subject.set("subject", (await page.locator("#f-subject input").first().getAttribute("value"))!);
  await context.close();
  const found = await weight(`trends/?${subject}`);
  expect(found.chart).toBeGreaterThan(10_000);
  expect(found.chart).toBeLessThanOrEqual(CHART_BYTES);
});
