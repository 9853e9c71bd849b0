// Trends: by mouse, by keyboard, in the address, as a table and as files.

import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { SeriesFile, SiteIndex } from "../../src/data/api";
import { SIZES } from "./browser";
import { published, site } from "./site";

const its = site();
const param = (page: Page, name: string): string | null => new URL(page.url()).searchParams.get(name);

test("uPlot is asked for by this page alone", async () => {
  const trends = await its.at("trends/", { viewport: SIZES.desk }, async (page) => page.waitForSelector(".uplot canvas").then(() => undefined));
  expect(trends.asked.some((one) => /plot-/.test(one))).toBe(true);
  const first = await its.at("", { viewport: SIZES.desk }, async () => undefined);
  expect(first.asked.some((one) => /plot-/.test(one))).toBe(false);
});

test("arrow keys go from point to point, Enter opens the run", async () => {
  await its.at("trends/", { viewport: SIZES.desk }, async (page) => {
    await page.locator(".plot").focus();
    await page.keyboard.press("End");
    const last = await page.locator("#readout strong").textContent();
    await page.keyboard.press("ArrowLeft");
    const before = await page.locator("#readout strong").textContent();
    expect(before! < last!).toBe(true);
    expect(await page.locator("#readout li").first().textContent()).toMatch(/\d.* \(.+ to .+\)/);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/run\//);
  });
});

test("arrow keys leave out no point of a chart that shows a part", async () => {
  await its.at("trends/?view=table", { viewport: SIZES.desk }, async (page) => {
    const days = page.locator("#tabled tbody th");
    await expect.poll(() => days.count()).toBeGreaterThan(5);
    const all = (await days.allTextContents()).reverse();
    await page.locator(".plot").focus();
    for (let times = 0; times < 4; times += 1) await page.keyboard.press("+");
    await expect.poll(() => days.count()).toBeLessThan(all.length / 2);
    await page.keyboard.press("Home");
    for (const day of all) {
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
      expect(await page.locator("#readout strong").textContent()).toContain(day);
      await page.keyboard.press("ArrowRight");
    }
  });
});

test("keys zoom, the address keeps the range, reload and back do what they say", async () => {
  await its.at("trends/", { viewport: SIZES.desk }, async (page) => {
    await page.locator(".plot").focus();
    await page.keyboard.press("+");
    await expect.poll(() => param(page, "from")).not.toBeNull();
    const [from, to] = [param(page, "from"), param(page, "to")];
    await page.reload({ waitUntil: "networkidle" });
    expect([param(page, "from"), param(page, "to")]).toEqual([from, to]);
    await page.locator(".plot").focus();
    await page.keyboard.press("Shift+ArrowLeft");
    await expect.poll(() => param(page, "from")).not.toBe(from);
    await page.goBack();
    await expect.poll(() => param(page, "from")).toBe(from);
    await page.locator(".plot").focus();
    await page.keyboard.press("0");
    await expect.poll(() => param(page, "from")).toBeNull();
  });
});

test("the reader goes back past a range that covers all points", async () => {
  await its.at("trends/", { viewport: SIZES.desk }, async (page) => {
    await page.waitForSelector(".uplot canvas");
    const entries = await page.evaluate(() => history.length);
    await page.evaluate(() => history.pushState(null, "", "?from=1&to=9999999999"));
    await page.reload({ waitUntil: "networkidle" });
    await page.waitForSelector(".uplot canvas");
    await expect.poll(() => param(page, "from")).toBeNull();
    expect(await page.evaluate(() => history.length)).toBe(entries + 1);
  });
});

test("a control above the chart keeps the focus when it draws the chart again", async () => {
  await its.at("trends/", { viewport: SIZES.desk }, async (page) => {
    await page.locator("#f-zero").focus();
    await page.keyboard.press("Space");
    await expect.poll(() => param(page, "zero")).toBe("1");
    await page.waitForLoadState("networkidle");
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("f-zero");
  });
});

test("with eight subjects no other can be ticked, and none loses its tick", async () => {
  await its.at("trends/", { viewport: SIZES.desk }, async (page) => {
    const boxes = page.locator("#f-subject input");
    await page.waitForSelector("#f-subject input");
    for (let index = 0; index < (await boxes.count()) && (await page.locator("#f-subject input:checked").count()) < 8; index += 1) await boxes.nth(index).check();
    expect(await page.locator("#f-subject input:checked").count()).toBe(8);
    expect(await page.locator("#f-subject input:not(:checked):enabled").count()).toBe(0);
  });
});

test("a range that no calendar has counts as none", async () => {
  await its.at("trends/?from=9000000000000&to=9000000086400", { viewport: SIZES.desk }, async (page) => {
    await page.waitForSelector(".uplot canvas");
    expect(await page.evaluate(() => document.querySelectorAll("#happened").length)).toBe(1);
  });
});

test("a drag zooms", async () => {
  await its.at("trends/", { viewport: SIZES.desk }, async (page) => {
    const box = (await page.locator(".u-over").boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.4, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.7, box.y + 80, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => param(page, "to")).not.toBeNull();
    const share = (Number(param(page, "to")) - Number(param(page, "from"))) / 86_400;
    expect(share).toBeGreaterThan(0);
  });
});

test("another measure and other subjects are in the address and survive reload", async () => {
  await its.at("trends/", { viewport: SIZES.desk }, async (page) => {
    const option = await page.locator("#f-metric option").nth(1).getAttribute("value");
    await page.locator("#f-metric").selectOption(option);
    await expect.poll(() => `${param(page, "phase")}/${param(page, "metric")}`).toBe(option);
    await expect.poll(() => page.locator(".legend li").count()).toBeGreaterThan(1);
    await page.locator("#f-subject-0").click();
    await expect.poll(() => param(page, "subject")).not.toBeNull();
    // Both are drawn anew after the click, so neither count may be of before it.
    const unlike = async () => (await page.locator("#f-subject input:checked").count()) - (await page.locator(".legend li").count());
    await expect.poll(unlike).toBe(0);
    const lines = await page.locator(".legend li").allTextContents();
    await page.reload({ waitUntil: "networkidle" });
    expect(await page.locator(".legend li").allTextContents()).toEqual(lines);
    expect(await page.locator("#f-metric").inputValue()).toBe(option);
  });
});

test("the table has the points in view, each with the way to its run", async () => {
  await its.at("trends/?view=table", { viewport: SIZES.phone }, async (page) => {
    const rows = page.locator("#tabled tbody tr");
    await expect.poll(() => rows.count()).toBeGreaterThan(5);
    expect(await rows.first().locator("a").getAttribute("href")).toMatch(/^\.\.\/run\/[^/]+\/$/);
    await page.getByRole("button", { name: "Table" }).click();
    await expect.poll(() => rows.count()).toBe(0);
  });
});

test("CSV and JSON hold what the chart shows", async () => {
  await its.at("trends/", { viewport: SIZES.desk }, async (page) => {
    const [csv] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "CSV" }).click()]);
    const lines = readFileSync((await csv.path())!, "utf8").trim().split("\r\n");
    expect(lines[0]).toMatch(/^time,session,subject,/);
    expect(lines.length).toBeGreaterThan(10);
    const [json] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "JSON" }).click()]);
    const series = JSON.parse(readFileSync((await json.path())!, "utf8")) as { kind: string }[];
    expect(series[0]!.kind).toBe("series");
  });
});

test("the chart is in words for those who don't see it", async () => {
  await its.at("trends/", { viewport: SIZES.desk }, async (page) => {
    const words = page.locator("#in-words");
    expect(await words.textContent()).toMatch(/sessions until \d{4}-\d\d-\d\d, newest .+; .*change point/);
    expect(await page.locator(".plot").getAttribute("aria-describedby")).toBe("in-words");
  });
});

test("noise looks like noise: the axis spans at least the least range", async () => {
  await its.at("trends/", { viewport: SIZES.desk }, async (page) => {
    expect(await page.locator("figcaption").textContent()).toMatch(/spans at least \d+ %/);
  });
});

test("a session without a neighbour has its interval drawn, and older ones that are not loaded are told", async () => {
  const context = await its.browser.newContext({ viewport: SIZES.desk });
  const page = await context.newPage();
  await page.addInitScript(() => {
    const heights: number[] = [];
    Object.assign(window, { heights });
    const fillRect = CanvasRenderingContext2D.prototype.fillRect;
    CanvasRenderingContext2D.prototype.fillRect = function (x, y, width, height) {
      heights.push(height);
      fillRect.call(this, x, y, width, height);
    };
  });
  await page.route("**/api/v1/series/**", async (route) => {
    const file = (await (await route.fetch()).json()) as SeriesFile;
    const newest = Object.fromEntries(Object.entries(file.columns).map(([name, column]) => [name, column.slice(-1)]));
    await route.fulfill({ json: { ...file, first: file.points - 1, columns: newest, refused: [] } });
  });
  await page.goto(`${its.address}trends/`);
  await expect.poll(() => page.evaluate(() => (window as unknown as { heights: number[] }).heights.filter((height) => height > 5).length)).toBeGreaterThan(0);
  expect(await page.locator("figcaption p").textContent()).toContain("“Everything” shows them.");
  await context.close();
});

test("of a control that runs another operation the chart says so", async () => {
  const index = published<SiteIndex>("api/v1/index.json");
  const scenarios = index.scenarios.map((scenario) => ({ ...scenario, control_operation: "GET /orders/{orderId}" }));
  const context = await its.browser.newContext();
  const page = await context.newPage();
  await page.route("**/api/v1/index.json", (route) => route.fulfill({ json: { ...index, scenarios } }));
  await page.goto(`${its.address}trends/`);
  const caption = page.locator("figcaption p");
  await expect.poll(() => caption.textContent()).not.toContain("Older sessions");
  await expect.poll(() => caption.textContent()).toContain("The control runs GET /orders/{orderId} instead:");
  await page.locator("#f-y").check();
  await expect.poll(() => caption.textContent()).not.toContain("The control runs");
  await context.close();
});

const noon = Math.floor(published<SiteIndex>("api/v1/index.json").newest_t! / 86_400) * 86_400 + 43_200;

test.each([
  ["all days", "", 4],
  ["a part of a day", `?from=${noon - 10_000}&to=${noon + 10_000}`, 1],
])("of %s a chart tells the date, and none is cut off at its edge", async (_, range, least) => {
  const context = await its.browser.newContext({ viewport: SIZES.desk });
  const page = await context.newPage();
  await page.addInitScript(() => {
    const drawn: [string, boolean][] = [];
    Object.assign(window, { drawn });
    const fillText = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...most) {
      const half = this.textAlign === "center" ? this.measureText(text).width / 2 : 0;
      drawn.push([text, this.getTransform().transformPoint(new DOMPoint(x + half, y)).x <= this.canvas.width]);
      fillText.call(this, text, x, y, ...most);
    };
  });
  await page.goto(`${its.address}trends/${range}`);
  const dates = () => page.evaluate(() => (window as unknown as { drawn: [string, boolean][] }).drawn.filter(([text]) => /^\d{4}-\d\d-\d\d$/.test(text)));
  await expect.poll(async () => (await dates()).length).toBeGreaterThanOrEqual(least);
  expect((await dates()).filter(([, whole]) => !whole)).toEqual([]);
  await context.close();
});
