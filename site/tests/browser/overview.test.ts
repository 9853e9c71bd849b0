// The first page: the answer, filters in the address, and the same table from the publisher and from the script.

import { expect, test } from "vitest";
import type { Overview } from "../../src/data/api";
import { SIZES } from "./browser";
import { published, site } from "./site";

const its = site();
const overview = published<Overview>("api/v1/overview.json");
const shown = overview.standings.find((one) => one.tables.length > 0)!;
const headline = shown.tables[0]!.headline.join(" ");
const drawn = "table.standings[aria-label]";

test("says in its heading who is ahead in a few words, and below it by how much for sure", async () => {
  await its.at("", { viewport: SIZES.phone }, async (page) => {
    expect(await page.locator("h1").textContent()).toBe(headline);
    expect(await page.locator("#answer .lede").textContent()).toBe(shown.tables[0]!.said);
    expect((await page.locator("h1").boundingBox())!.height).toBeLessThan(SIZES.phone.height / 3);
    const bottom = await page.locator("#answer .lede").evaluate((one) => one.getBoundingClientRect().bottom);
    expect(bottom).toBeLessThan(SIZES.phone.height);
  });
});

test("its heading breaks no name at a hyphen", async () => {
  await its.at("", { viewport: SIZES.desk }, async (page) => {
    const pieces = await page.locator("h1 .whole").evaluateAll((all) => all.map((one) => one.getClientRects().length));
    expect(pieces.length).toBeGreaterThan(0);
    expect(new Set(pieces)).toEqual(new Set([1]));
  });
});

test("no cell of the standings is wider than its column", async () => {
  await its.at("", { viewport: SIZES.desk }, async (page) => {
    const beyond = await page.locator("#view table.standings td, #view table.standings th").evaluateAll((cells) =>
      cells.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
    );
    expect(beyond).toEqual([]);
  });
});

test("the page has every subject with its interval, rank and trials", async () => {
  await its.at("", { viewport: SIZES.desk }, async (page) => {
    const table = page.locator("#view table.standings");
    for (const bar of shown.tables[0]!.bars) {
      const row = table.locator("tr", { has: page.getByRole("link", { name: bar.short, exact: true }) });
      expect(await row.locator(".value").textContent()).toBe(bar.text);
      expect(await row.locator(".rank").textContent()).toBe(String(bar.rank ?? ""));
    }
  });
});

test("the script draws the same as the publisher", async () => {
  await its.at("", { viewport: SIZES.desk }, async (page) => {
    const texts = () => page.locator("#answer, #view").evaluateAll((parts) => parts.map((one) => one.textContent!.replace(/\s+/g, " ").replace(/> </g, "><").trim().replaceAll(" ", "")));
    const bars = () => page.locator("#view .bar rect, #view .bar line").evaluateAll((parts) => parts.map((one) => [...one.attributes].map(({ name, value }) => `${name}=${value}`).sort().join(" ")));
    const before = [await texts(), await bars()];
    const first = await page.locator("#f-metric option").first().getAttribute("value");
    const second = await page.locator("#f-metric option").nth(1).getAttribute("value");
    await page.locator("#f-metric").selectOption(second);
    await page.waitForFunction(() => location.search.includes("metric="));
    await page.locator("#f-metric").selectOption(first);
    await page.waitForFunction((heading) => document.querySelector("h1")?.textContent === heading, headline);
    expect([await texts(), await bars()]).toEqual(before);
  });
});

test("a filter is in the address, survives reload, and the back button takes it away", async () => {
  await its.at("", { viewport: SIZES.desk }, async (page) => {
    const all = await page.locator("#view tbody tr").count();
    const chip = page.locator("#f-framework input").first();
    const word = (await chip.getAttribute("value"))!;
    await chip.check();
    await expect.poll(() => new URL(page.url()).searchParams.get("framework")).toBe(word);
    await expect.poll(() => page.locator("#view tbody tr").count()).toBeLessThan(all);
    const few = await page.locator("#view tbody tr").count();
    await page.reload({ waitUntil: "networkidle" });
    expect(await page.locator("#view tbody tr").count()).toBe(few);
    expect(await page.locator("#f-framework input").first().isChecked()).toBe(true);
    expect(await page.locator("#view").textContent()).toContain("hidden by the filters");
    await page.goBack({ waitUntil: "networkidle" });
    await expect.poll(() => page.locator("#view tbody tr").count()).toBe(all);
  });
});

test("another measure is a link with an address of its own", async () => {
  await its.at("", { viewport: SIZES.desk }, async (page) => {
    const card = page.locator("#measures + ul a").first();
    const said = await card.locator(".said").textContent();
    await card.click();
    await expect.poll(() => page.locator("h1").textContent()).toBe(said);
    expect(page.url()).toContain("?metric=");
    await page.reload({ waitUntil: "networkidle" });
    expect(await page.locator("h1").textContent()).toBe(said);
  });
});

test("an address that makes no sense shows the standings all the same", async () => {
  await its.at("?scenario=%3Cscript%3E&host=..%2F..&metric=x&framework=%22%3E%3Cimg%20src%3Dx%3E", { viewport: SIZES.desk }, async (page) => {
    expect(await page.locator("h1").textContent()).toBe(headline);
    expect(await page.locator(drawn).count()).toBeGreaterThan(0);
  });
});

test("from the answer to the certificate, to the history, to the commands, by clicking", async () => {
  await its.at("", { viewport: SIZES.desk }, async (page) => {
    await page.getByRole("link", { name: "May I trust it?" }).click();
    await page.waitForURL(/\/run\//);
    expect(await page.locator("#rules").textContent()).toContain("referee");
    await page.goBack();
    await page.getByRole("link", { name: "Since when?" }).click();
    await page.waitForURL(/\/trends\//);
    await page.goBack();
    await page.getByRole("link", { name: "Check it at home" }).click();
    await page.waitForURL(/#check$/);
    expect(await page.locator(".command pre").first().textContent()).toContain("verify");
  });
});
