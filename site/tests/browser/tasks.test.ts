// Three questions that somebody brings along on a first visit, each answered by clicks alone, from the first page on.

import { expect, test } from "vitest";
import type { Matrix, MatrixIndex, RunIndex } from "../../src/data/api";
import { SIZES } from "./browser";
import { published, site } from "./site";

const its = site();
const matrix = published<Matrix>(published<MatrixIndex>("api/v1/matrix.json").matrices[0]!.path);

test("which JDBC stack needs the least CPU for reads, and since when", async () => {
  const cpu = matrix.columns.find((one) => one.metric === "app_cpu_us_per_request")!;
  await its.at("", { viewport: SIZES.desk }, async (page) => {
    await page.locator(".top nav a", { hasText: "Matrix" }).click();
    // JDBC is hand-written SQL on threads.
    await page.locator('#f-class input[value="sql"]').check();
    await page.locator('#f-concurrency input[value="imperative"]').check();
    const shown = page.locator("#matrix tr[data-row]:not(.aside):visible th");
    await expect.poll(() => shown.allTextContents()).toSatisfy((names: string[]) => names.length > 1 && names.every((name) => name.includes("jdbc")));
    await page.locator("#case summary").click();
    await page.locator("#f-matters").selectOption(`${cpu.phase}/${cpu.metric}`);
    await expect.poll(() => page.locator("#answer").textContent()).toMatch(/CPU per request .*: (.*jdbc is first|undecided between .*jdbc|.*jdbc are equivalent)/);
    await page.locator("#matrix td.matters a:visible").first().click();
    await page.waitForURL(/trends\/\?/);
    await page.locator(".plot canvas").first().waitFor();
    expect(new URL(page.url()).searchParams.get("metric")).toBe("app_cpu_us_per_request");
    await expect.poll(() => page.locator("h1").textContent()).toContain("Since when");
  });
});

test("why was this trial refused, and how do I repeat it", async () => {
  const refused = published<RunIndex>("api/v1/runs.json").runs.find((one) => one.refused > 0)!;
  await its.at("", { viewport: SIZES.desk }, async (page) => {
    await page.locator(".top nav a", { hasText: "Runs" }).click();
    await page.locator("#view a", { hasText: refused.session }).click();
    const row = page.locator("tr.refused").first();
    const reason = (await row.locator("td").last().textContent())!;
    expect(reason).toMatch(/R\d+: /);
    const rule = reason.match(/R\d+/)![0];
    expect(await page.locator(".command").allTextContents()).toContainEqual(expect.stringContaining(`./bench reproduce`));
    await page.locator(`#rule-${rule} a`).first().click();
    await page.waitForURL(new RegExp(`rules/#${rule.toLowerCase()}$`));
    // The rule lies in a fold, which its address opens.
    await expect.poll(() => page.locator(`#${rule.toLowerCase()}`).isVisible()).toBe(true);
  });
});

test("my pull request changed the pool: what did it do", async () => {
  await its.at("", { viewport: SIZES.desk }, async (page) => {
    await page.locator(".top nav a", { hasText: "Compare" }).click();
    // Two commits: every subject and measure of both, what changed first.
    await page.locator("#f-every").click();
    await expect.poll(() => page.locator("#sentence").textContent()).toMatch(/of \d+ questions, \d+ worse, \d+ better/);
    for (const one of await page.locator("#view details").all()) await one.locator("summary").click();
    await page.locator("#view table.dense th[scope=row] a").first().click();
    await expect.poll(() => page.locator("#sentence").textContent()).toMatch(/99 % interval/);
  });
});

test("two sides against each other, in a sentence that can be copied", async () => {
  await its.at("", { viewport: SIZES.desk }, async (page) => {
    await page.locator(".top nav a", { hasText: "Compare" }).click();
    await page.locator("#sentence").waitFor();
    expect(await page.locator("#sentence").textContent()).toMatch(/99 % interval/);
    expect(await page.locator("table.ratios .verdict").first().textContent()).not.toBe("");
  });
});
