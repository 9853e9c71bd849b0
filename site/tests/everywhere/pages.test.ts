// Every page, in both themes, in every size: no violation that axe finds, nothing that scrolls sideways, a silent
// console. PICTURES names a folder for screenshots, to be looked at.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectAccessible } from "../browser/axe";
import { SIZES } from "../browser/browser";
import { PAGES, site } from "../browser/site";

const its = site();
const pictures = process.env["PICTURES"];
if (pictures !== undefined) mkdirSync(pictures, { recursive: true });

const cases = Object.entries(PAGES).flatMap(([name, path]) =>
  Object.entries(SIZES).flatMap(([size, viewport]) => (["light", "dark"] as const).map((colorScheme) => ({ name, path, size, viewport, colorScheme }))),
);

test.each(cases)("$name, $size, $colorScheme", async ({ name, path, size, viewport, colorScheme }) => {
  await its.at(path, { viewport, colorScheme }, async (page) => {
    if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}-${size}-${colorScheme}.png`), fullPage: true });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(viewport.width);
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(viewport.width);
  });
});
