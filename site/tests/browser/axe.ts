// What axe finds on a page, as lines that can be read.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Axe {
  run(where: Document, options: unknown): Promise<{ violations: { id: string; nodes: { html: string }[] }[]; passes: unknown[] }>;
}

/** Expects no violation of WCAG 2.2 AA or of good practice, with everything unfolded. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = true)));
  await page.evaluate(source);
  const { violations, passes } = await page.evaluate(() =>
    (window as unknown as { axe: Axe }).axe.run(document, { resultTypes: ["violations"] }),
  );
  expect(passes.length, "axe looked at too little").toBeGreaterThan(15);
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(" | ")}`)).toEqual([]);
}
