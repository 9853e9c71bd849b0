// Nothing moves under a reader's eyes when the documents come late: the sum of layout shifts of each page, as browsers
// count them.

import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { SIZES } from "../browser/browser";
import { PAGES, site } from "../browser/site";

const its = site();
const LATE_MS = 400;
// A fifth of what browsers call good.
const MOST = 0.02;

async function shifts(page: Page): Promise<{ sum: number; moved: string[] }> {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean; sources: { node: Node | null }[] };
        const found: Shift[] = [];
        new PerformanceObserver((list) => found.push(...(list.getEntries() as Shift[]))).observe({ type: "layout-shift", buffered: true });
        setTimeout(() => {
          const own = found.filter((one) => !one.hadRecentInput);
          const name = (node: Node | null): string => (node instanceof Element ? `${node.localName}#${node.id}` : "");
          resolve({ sum: own.reduce((sum, one) => sum + one.value, 0), moved: own.flatMap((one) => one.sources.map(({ node }) => name(node))) });
        }, 200);
      }),
  );
}

const places: Record<string, string> = {
  ...PAGES,
  "the trials of a run": `${PAGES["run"]!}#trials`,
  "the commands of a run": `${PAGES["run"]!}#check`,
  "a word of the glossary": "method/#term-trial",
  "a section of the method": "method/#what-is-repeated",
  "a rule": "rules/#r8",
  "the last rule": "rules/#r32",
  "many results": "search/?q=quarkus",
  "no result": "search/?q=nothing-has-this-name",
};
const cases = Object.entries(places).flatMap(([name, path]) => (["phone", "desk"] as const).map((size) => ({ name, path, size, viewport: SIZES[size] })));

test.each(cases)("$name, $size", async ({ path, viewport }) => {
  const context = await its.browser.newContext({ viewport, reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.route("**/api/v1/**", async (route) => {
    await new Promise((after) => setTimeout(after, LATE_MS));
    await route.continue();
  });
  await page.goto(its.address + path, { waitUntil: "networkidle" });
  const { sum, moved } = await shifts(page);
  expect(sum, moved.join(", ")).toBeLessThanOrEqual(MOST);
  await context.close();
});
