// What readers look for: words they type, every rule, one page a study, what failed before what passed, where they are.

import { expect, test } from "vitest";
import type { RulesFile, RunFile, RunIndex, SiteIndex, StudiesFile } from "../../src/data/api";
import { SIZES } from "./browser";
import { newest, PAGES, published, site } from "./site";

const its = site();
const studies = published<StudiesFile>("api/v1/studies.json").studies;
const model = published<SiteIndex>("api/v1/index.json").subjects.find((one) => !one.control)!.concurrency;
const rules = published<RulesFile>("api/v1/rules.json").rules;

test.each([
  ["latency", "measure", /matrix\/$/],
  [`${model} concurrency`, "framework", new RegExp(`matrix/\\?concurrency=${model}$`)],
  ["why refused", "page", /rules\/$/],
  ["quarkus", "framework", /matrix\/\?framework=quarkus$/],
  ["R29", "rule", /rules\/#r29$/],
  ["db-tls", "setting", /method\/#setting-db-tls$/],
  [studies[0]!.question, "study", new RegExp(`studies/${studies[0]!.id}/$`)],
])("search finds %s", async (words, group, address) => {
  await its.at(`search/?${new URLSearchParams({ q: words })}`, { viewport: SIZES.desk }, async (page) => {
    const line = page.locator("#results a", { has: page.locator(".group", { hasText: new RegExp(`^${group}$`) }) }).first();
    await expect.poll(() => line.count()).toBe(1);
    expect(await line.getAttribute("href")).toMatch(address);
  });
});

test("every rule says what it asks, its thresholds, the mistake, and how often it refused here", async () => {
  await its.at("rules/", { viewport: SIZES.phone }, async (page) => {
    for (const rule of rules) {
      const text = (await page.locator("details", { has: page.locator(`#${rule.slug}`) }).textContent())!;
      for (const said of [rule.title, rule.asks, rule.mistake, ...rule.thresholds.map((one) => one.name)]) expect(text).toContain(said);
      expect(text).not.toMatch(/`|\d\.\d{7}/);
      expect(text).toContain(`${rule.refused.toLocaleString("en-US")} refused`);
    }
  });
});

test.each(["rules", "method", "run", "study"])("on a phone %s is an index of folds, whose button opens them all", async (name) => {
  await its.at(PAGES[name]!, { viewport: SIZES.phone }, async (page) => {
    const shut = page.locator("details.fold:not([open])");
    expect(await shut.count()).toBeGreaterThan(5);
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(name === "run" ? 9000 : 5000);
    await page.locator("#open-all").click();
    expect(await shut.count()).toBe(0);
  });
});

test.each(["rules/#r29", "method/#the-referee", "method/#setting-db-tls", "method/#term-trial"])("%s opens the fold around it, and shows it", async (path) => {
  const place = path.slice(path.indexOf("#"));
  await its.at(path, { viewport: SIZES.phone }, async (page) => {
    expect(await page.locator("details.fold[open]").count()).toBe(1);
    await expect.poll(async () => (await page.locator(place).boundingBox())!.y).toBeLessThan(SIZES.phone.height / 2);
    // So does an address that is followed within the page.
    await page.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = false)));
    await page.evaluate(() => (location.hash = ""));
    await page.evaluate((hash) => (location.hash = hash), place);
    await expect.poll(() => page.locator(place).isVisible()).toBe(true);
    expect(await page.locator("details.fold[open]").count()).toBe(1);
  });
});

test("the page of all studies is short, and each has a page of its own", async () => {
  await its.at("studies/", { viewport: SIZES.phone }, async (page) => {
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(6000);
    expect(await page.locator("main .card a").count()).toBe(studies.length);
    await page.locator("main .card a").first().click();
    await page.waitForURL(new RegExp(`/studies/${studies[0]!.id}/$`));
    expect(await page.locator("h1").textContent()).toBe(studies[0]!.title);
  });
});

test("a run shows what tells against its trials before what passed, which is folded", async () => {
  const run = published<RunFile>(`api/v1/runs/${newest}.json`);
  await its.at(PAGES["run"]!, { viewport: SIZES.desk }, async (page) => {
    const shown = await page.locator("tr[id^=rule-]:visible").count();
    expect(shown).toBe(run.rules.filter((one) => !["pass", "n/a"].includes(one.worst) || (one.today !== null && one.today[0] !== one.worst)).length);
    expect(await page.locator("tr[id^=rule-]").count()).toBe(run.rules.length);
    const numbers = await page.locator("tr[id^=trial-]").evaluateAll((rows) => rows.map((row) => row.classList.contains("refused")));
    expect(numbers.length).toBe(run.trials.length);
    expect(numbers.indexOf(false)).toBe(numbers.filter(Boolean).length);
  });
});

test("the button that copies covers no letter", async () => {
  await its.at(PAGES["run"]!, { viewport: SIZES.narrowest }, async (page) => {
    for (const place of await page.locator(".command:visible").all()) {
      const [text, button] = [await place.locator("pre").boundingBox(), await place.locator("button").boundingBox()];
      expect(text!.x + text!.width).toBeLessThanOrEqual(button!.x);
    }
  });
});

test.each(["rules", "method", "matrix"])("on a phone the navigation shows that one is at %s", async (name) => {
  await its.at(PAGES[name]!, { viewport: SIZES.narrowest }, async (page) => {
    const [nav, here] = [await page.locator(".top nav").boundingBox(), await page.locator(".top nav [aria-current]").boundingBox()];
    expect(here!.x).toBeGreaterThanOrEqual(nav!.x);
    expect(here!.x + here!.width).toBeLessThanOrEqual(nav!.x + nav!.width + 1);
  });
});

test("on a phone a comparison shows verdict and interval whole", async () => {
  await its.at(`compare/?base=${newest}`, { viewport: SIZES.narrowest }, async (page) => {
    await page.locator("table.ratios").first().waitFor();
    for (const cell of await page.locator("table.ratios .verdict, table.ratios .ratio").all()) {
      const box = await cell.boundingBox();
      expect(box!.x).toBeGreaterThanOrEqual(0);
      expect(box!.x + box!.width).toBeLessThanOrEqual(SIZES.narrowest.width);
    }
  });
});

test("on a phone the list of runs shows each verdict and each session's name whole", async () => {
  await its.at("runs/", { viewport: { width: 360, height: 740 } }, async (page) => {
    for (const cell of ["#view tbody .badge", "#view tbody th a"]) {
      const box = (await page.locator(cell).first().boundingBox())!;
      expect(box.x + box.width, cell).toBeLessThanOrEqual(360 - 16);
    }
  });
});

test("the word of a run is that of the trials that count, in the list and on its page", async () => {
  const { runs } = published<RunIndex>("api/v1/runs.json");
  const one = runs.find((its) => its.refused > 0 && its.refused < its.trials)!;
  expect(one.word).not.toBe("invalid");
  await its.at("runs/", { viewport: SIZES.desk }, async (page) => {
    const row = page.locator("#view tbody tr", { hasText: one.session });
    expect(await row.locator(".badge").textContent()).toBe(one.word);
    expect(await row.locator("strong.bad").textContent()).toBe(String(one.refused));
  });
  await its.at(one.page, { viewport: SIZES.desk }, async (page) => {
    const badge = page.locator(".head .note .badge");
    expect(await badge.textContent()).toMatch(new RegExp(`^${one.word}, ${one.refused} left out$`, "i"));
    expect(await badge.getAttribute("class")).toBe(`badge ${one.word}`);
  });
});

test.each(["run", "study"])("on a desk no column of %s is out of sight", async (name) => {
  await its.at(PAGES[name]!, { viewport: SIZES.desk }, async (page) => {
    await page.locator("#open-all").click();
    const tables = await page.locator("details.fold .scroll").evaluateAll((all) => all.map((one) => one.scrollWidth - one.clientWidth));
    expect(tables.length).toBeGreaterThan(5);
    expect(Math.max(...tables)).toBe(0);
  });
});

test.each(["run", "hosts", "study"])("on a phone no row of %s is cut", async (name) => {
  await its.at(PAGES[name]!, { viewport: SIZES.narrowest }, async (page) => {
    await page.locator("details").evaluateAll((all) => all.forEach((one) => ((one as HTMLDetailsElement).open = true)));
    const rows = page.locator("table.stack tbody tr:visible");
    expect(await rows.count()).toBeGreaterThan(0);
    const ends = await rows.locator("> *").evaluateAll((cells) => cells.map((cell) => [cell.getBoundingClientRect().right, cell.scrollWidth - cell.clientWidth]));
    expect(ends.filter(([right, beyond]) => right! > SIZES.narrowest.width || beyond! > 0)).toEqual([]);
  });
});
