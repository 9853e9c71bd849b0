// Compare: subjects of one session and of two, in the address, as a sentence that may be quoted.

import { expect, test } from "vitest";
import type { CompareFile, RunIndex } from "../../src/data/api";
import { SIZES } from "./browser";
import { newest, published, site } from "./site";

const its = site();

test("compare: a sentence that may be quoted, with verdict and interval", async () => {
  await its.at("compare/", { viewport: SIZES.desk }, async (page) => {
    expect(await page.locator("#sentence").textContent()).toMatch(/(faster|slower|equivalent|inconclusive|better|worse).*99 % interval .+ to .+ pairs of trials/);
    expect(await page.locator("svg.lines").count()).toBeGreaterThan(0);
  });
});

test("compare: a choice is in the address, survives reload; back returns", async () => {
  await its.at("compare/", { viewport: SIZES.desk }, async (page) => {
    const said = await page.locator("#sentence").textContent();
    const other = await page.locator("#f-base option:not(:checked)").first().getAttribute("value");
    await page.locator("#f-base").selectOption(other);
    await expect.poll(() => page.locator("#sentence").textContent()).not.toBe(said);
    const changed = await page.locator("#sentence").textContent();
    await page.reload({ waitUntil: "networkidle" });
    expect(await page.locator("#sentence").textContent()).toBe(changed);
    await page.goBack({ waitUntil: "networkidle" });
    await expect.poll(() => page.locator("#sentence").textContent()).toBe(said);
  });
});

test("compare: another date says that its trials are not paired", async () => {
  await its.at("compare/", { viewport: SIZES.desk }, async (page) => {
    const dates = await page.locator("#f-head-0-session option").evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value));
    // Of some dates too few trials are of a warm program, and nothing is said of them.
    let said = "";
    for (const date of dates.slice(1)) {
      const before = await page.locator("#sentence").textContent();
      await page.locator("#f-head-0-session").selectOption(date);
      await expect.poll(() => page.locator("#sentence").textContent()).not.toBe(before);
      said = (await page.locator("#sentence").textContent()) ?? "";
      if (!said.includes("nothing is said")) break;
    }
    expect(said).toMatch(/not paired/);
    expect(await page.locator("#view .note.warn").textContent()).toContain("may be the machine");
  });
});

test("compare: all that two sessions measured, what changed first, and from a row to its pair", async () => {
  await its.at("compare/", { viewport: SIZES.desk }, async (page) => {
    await page.locator("#f-every").click();
    await expect.poll(() => page.locator("#sentence").textContent()).toMatch(/of \d+ questions, \d+ worse, \d+ better, \d+ equivalent, \d+ open\./);
    const [questions, ...parts] = ((await page.locator("#sentence").textContent()) ?? "").match(/\d+(?= (?:questions|worse|better|equivalent|open))/g)!.map(Number);
    expect(parts.reduce((sum, one) => sum + one, 0)).toBe(questions);
    // Sessions of one day are told apart by their time.
    expect((await page.locator("#sentence").textContent())!.match(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g)).toHaveLength(2);
    for (const one of await page.locator("#view details").all()) await one.locator("summary").click();
    await expect.poll(() => page.locator("#view table.dense tbody tr").count()).toBe(questions);
    const subjects = await page.locator("#view table.dense th[scope=row] a").allTextContents();
    expect(new Set(subjects).size).toBeGreaterThan(1);
    await page.locator("#view table.dense th[scope=row] a").first().click();
    await expect.poll(() => page.locator("#view table.ratios").count()).toBe(1);
    expect(await page.locator("#sentence").textContent()).toContain(subjects[0]!.trim());
    await page.goBack({ waitUntil: "networkidle" });
    await expect.poll(() => page.locator("#sentence").textContent()).toContain(`of ${questions} questions`);
  });
});

test("compare: the sides of two sessions are told apart by name and by mark", async () => {
  const [head, base] = published<RunIndex>("api/v1/runs.json").runs.filter((run, _, all) => run.comparable && run.host === all[0]!.host);
  const subject = published<CompareFile>(`api/v1/compare/${head!.session}.json`).contenders[0]!.subject;
  await its.at(`compare/?base=${base!.session}!${subject}&with=${head!.session}!${subject}`, { viewport: SIZES.desk }, async (page) => {
    const names = ((await page.locator("#view h2").first().textContent()) ?? "").split(" against ").map((one) => one.trim());
    for (const name of names) expect(name).toMatch(/ of \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
    expect(new Set(names).size).toBe(2);
    const legends = await page.locator("#view ul.legend").evaluateAll((all) => all.map((one) => [...one.querySelectorAll(".swatch > *")].map((mark) => mark.getAttribute("class"))));
    expect(legends.length).toBeGreaterThan(0);
    for (const marks of legends) expect([marks.length, new Set(marks).size]).toEqual([2, 2]);
    expect(await page.locator("#footnotes").textContent()).toMatch(/Welch.*Holm/);
    expect(await page.locator("#view .note.warn").last().textContent()).toMatch(/(differ in|Nothing that is recorded).*the control itself, which has no framework, reads/);
  });
});

test("compare: a session that is not there is named, and the filters lead on", async () => {
  const context = await its.browser.newContext();
  const page = await context.newPage();
  await page.goto(`${its.address}compare/?base=20200101T000000Z-gone!x`);
  await expect.poll(() => page.getByRole("alert").textContent()).toMatch(/^The session 20200101T000000Z-gone is not available\./);
  expect(await page.locator("#f-base-session").inputValue()).toBe("20200101T000000Z-gone");
  await page.locator("#f-base-session").selectOption(newest);
  await expect.poll(() => page.locator("#sentence").count()).toBe(1);
  await context.close();
});

test("compare: a session that the list of runs lacks is drawn", async () => {
  const context = await its.browser.newContext();
  const page = await context.newPage();
  const { runs } = published<RunIndex>("api/v1/runs.json");
  const old = runs.filter((run) => run.comparable).at(-1)!.session;
  await page.route("**/api/v1/runs.json", (route) => route.fulfill({ json: { ...published<RunIndex>("api/v1/runs.json"), runs: runs.filter((run) => run.session !== old) } }));
  await page.goto(`${its.address}compare/?base=${old}`);
  await expect.poll(() => page.locator("#sentence").count()).toBe(1);
  expect(await page.locator("#f-base-session").inputValue()).toBe(old);
  await context.close();
});

test("compare: a copied sentence keeps the address of its numbers, and without a clipboard stands there to be copied", async () => {
  for (const clipboard of [true, false]) {
    const context = await its.browser.newContext();
    const page = await context.newPage();
    await page.addInitScript((has) => {
      const copied: string[] = [];
      const writeText = (text: string): Promise<void> => Promise.resolve(void copied.push(text));
      Object.assign(window, { copied });
      Object.defineProperty(navigator, "clipboard", { value: has ? { writeText } : undefined });
    }, clipboard);
    await page.goto(`${its.address}compare/`);
    await page.getByRole("button", { name: "Copy the sentence" }).click();
    const text = await page.evaluate((has) => (has ? (window as unknown as { copied: string[] }).copied[0]! : getSelection()!.toString()), clipboard);
    const state = new URL(text.slice(text.lastIndexOf("http"))).searchParams;
    expect(text).toContain((await page.locator("#sentence").textContent())!);
    expect(state.get("base")).toMatch(/^[^!]+![^!]+$/);
    expect(state.get("with")).toMatch(/^[^!]+![^!]+$/);
    expect(state.get("scenario")).toBe(await page.locator("#f-scenario").inputValue());
    await context.close();
  }
});

test("compare: a third side", async () => {
  await its.at("compare/", { viewport: SIZES.desk }, async (page) => {
    await page.locator("#f-add").click();
    await expect.poll(() => page.locator("#view table.ratios").count()).toBe(2);
  });
});
