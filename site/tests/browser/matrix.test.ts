// The matrix: every subject by every measure in the page itself, chips that hide rows, and "which for my case".

import { expect, test } from "vitest";
import type { Matrix, MatrixIndex } from "../../src/data/api";
import { keyOf } from "../../src/lib/state";
import { SIZES } from "./browser";
import { published, site } from "./site";

const its = site();
const first = published<MatrixIndex>("api/v1/matrix.json").matrices[0]!;
const matrix = published<Matrix>(first.path);
const ranked = matrix.rows.filter((row) => row.data_access !== null);

test("has every subject by every measure without a script", async () => {
  await its.at("matrix/", { viewport: SIZES.desk, javaScriptEnabled: false }, async (page) => {
    expect(await page.locator("#matrix thead th").count()).toBe(matrix.columns.length + 2);
    const rows = page.locator("#matrix tr[data-row]");
    expect(await rows.count()).toBe(matrix.rows.length);
    for (const [index, row] of matrix.rows.entries()) {
      const drawn = page.locator(`#matrix tr[data-row="${index}"]`);
      expect(await drawn.locator("th").textContent()).toContain(row.short);
      const cells = await drawn.locator("td:not(.from)").allTextContents();
      row.cells.forEach((cell, place) => {
        if (cell === null) expect(cells[place]).toContain("–");
        else expect(cells[place]).toContain(cell.text);
      });
    }
  });
});

test("on a desk all measures stand on one screen, with the way to their trials", async () => {
  await its.at("matrix/", { viewport: SIZES.desk }, async (page) => {
    const edge = await page.locator("#matrix").evaluate((table) => table.getBoundingClientRect().right - document.documentElement.clientWidth);
    expect(edge).toBeLessThanOrEqual(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(SIZES.desk.width);
  });
});

test("colour stands only where an order is decided", async () => {
  await its.at("matrix/", { viewport: SIZES.desk }, async (page) => {
    const undecided = page.locator("#matrix td.undecided, #matrix td.apart");
    for (const one of await undecided.all()) expect(await one.getAttribute("class")).not.toMatch(/\bsh\d/);
    const behind = matrix.rows.flatMap((row) => row.cells).filter((cell) => cell?.word === "behind").length;
    expect(await page.locator("#matrix td.behind").count()).toBe(behind);
  });
});

test("a chip hides rows, stands in the address, and says so", async () => {
  await its.at("matrix/", { viewport: SIZES.desk }, async (page) => {
    const input = page.locator("#f-framework input").first();
    const framework = (await input.getAttribute("value"))!;
    await input.check();
    await expect.poll(() => new URL(page.url()).searchParams.get("framework")).toBe(framework);
    const shown = page.locator("#matrix tr[data-row]:not(.aside):visible");
    const expected = await page.locator(`#matrix tr[data-framework="${framework}"]:not(.aside)`).count();
    await expect.poll(() => shown.count()).toBe(expected);
    expect(await page.locator("#answer").textContent()).toMatch(/rows are shown/);
    await page.reload();
    await expect.poll(() => shown.count()).toBe(expected);
    const other = page.locator("a[data-carry]").last();
    expect(new URL((await other.getAttribute("href"))!, page.url()).searchParams.get("framework")).toBe(framework);
  });
});

test("which for my case: a limit filters, and what is undecided is said", async () => {
  const column = matrix.columns.findIndex((one) => one.metric === "rss_under_load_bytes");
  const means = ranked.flatMap((row) => (row.cells[column] ? [row.cells[column].mean / 1024 / 1024] : [])).sort((a, b) => a - b);
  const most = (means[0]! + means.at(-1)!) / 2;
  await its.at(`matrix/?matters=${keyOf(matrix.columns[0]!)}&rss_under_load_bytes=${most.toFixed(0)}`, { viewport: SIZES.phone }, async (page) => {
    await expect.poll(() => page.locator("#answer").textContent()).toMatch(new RegExp(`subjects? fits?: .* at most ${most.toFixed(0)} MiB`));
    expect(await page.locator("#answer").textContent()).toMatch(/is first|undecided between|are equivalent|has a figure/);
    const shown = await page.locator("#matrix tr[data-row]:not(.aside):visible").count();
    expect(shown).toBeGreaterThan(0);
    expect(shown).toBeLessThan(ranked.length);
    expect(await page.locator("#f-matters").inputValue()).toBe(keyOf(matrix.columns[0]!));
  });
});

test("which for my case: a limit names the load that it asks, and a text that is no amount is told", async () => {
  const asked = matrix.columns.find((one) => one.metric === "latency_p99_ms")!;
  await its.at("matrix/?rss_under_load_bytes=512+MiB&latency_p99_ms=1,500", { viewport: SIZES.desk }, async (page) => {
    expect(await page.locator("label[for=f-latency-p99-ms]").textContent()).toContain(asked.where);
    await expect.poll(() => page.locator("#answer").textContent()).toContain(`${asked.title} ${asked.where} at most 1,500 ms.`);
    expect(await page.locator("#answer").textContent()).toContain("“512 MiB” is no number above zero, and limits nothing.");
    expect(await page.locator("#matrix tr[data-row]:visible").count()).toBe(matrix.rows.length);
  });
});

test("a cell leads to its trend, a row to its trials", async () => {
  await its.at("matrix/", { viewport: SIZES.desk }, async (page) => {
    await page.locator("#matrix td a").first().click();
    await page.waitForURL(/trends\/\?/);
    expect(new URL(page.url()).searchParams.get("metric")).toBe(matrix.columns[0]!.metric);
    await page.goBack();
    await page.locator("#matrix .from a").first().click();
    await page.waitForURL(/run\/[^/]+\/#trials/);
  });
});
