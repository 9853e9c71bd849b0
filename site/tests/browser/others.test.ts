// Run, runs, search, glossary, what does not exist; and what hostile records try.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ClassesFile, SearchFile } from "../../src/data/api";
import { search } from "../../src/frame/found";
import { SIZES } from "./browser";
import { hostile, newest, PAGES, published, SITE, site } from "./site";

const its = site();

test("classes: a page for each kind of work, with its own table and its members by release", async () => {
  for (const one of published<ClassesFile>("api/v1/classes.json").classes) {
    await its.at(one.page, { viewport: SIZES.desk }, async (page) => {
      expect(await page.locator("h1").textContent()).toBe(one.title);
      expect(await page.locator("table.standings").count()).toBe(one.standings.length);
      expect(await page.locator("table.standings tbody th.name").count()).toBe(one.standings.reduce((sum, its) => sum + its.table.bars.length + Number(its.table.control !== null), 0));
      const members = page.locator("#members ~ * tbody tr");
      expect(await members.count()).toBe(one.members.length);
      const releases = one.members.map((its) => its.release ?? "not told");
      for (const [place, release] of releases.entries()) expect(await members.nth(place).textContent()).toContain(release);
    });
  }
});

test("run: the timeline of each trial, in the address", async () => {
  await its.at(PAGES["run"]!, { viewport: SIZES.desk }, async (page) => {
    expect(await page.locator("#timeline svg.lines").count()).toBeGreaterThan(1);
    const value = await page.locator("#f-trial option").last().getAttribute("value");
    await page.locator("#f-trial").selectOption(value);
    await expect.poll(() => new URL(page.url()).searchParams.get("trial")).toBe(value);
    await page.reload({ waitUntil: "networkidle" });
    expect(await page.locator("#f-trial").inputValue()).toBe(value);
  });
});

test("run: a late answer does not replace the timeline of a newer choice", async () => {
  await its.at(PAGES["run"]!, { viewport: SIZES.desk }, async (page) => {
    const list = page.locator("#f-trial");
    const values = await list.locator("option").evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));
    const [late, last] = values.slice(-2) as [string, string];
    const answers: (() => Promise<void>)[] = [];
    await page.route("**/api/v1/**", (route) => (answers.length > 0 ? route.continue() : void answers.push(() => route.continue())));
    await list.evaluate((element) => element.setAttribute("data-old", ""));
    await list.selectOption(late);
    await expect.poll(() => answers.length).toBe(1);
    await list.selectOption(last);
    await expect.poll(() => page.locator("#f-trial[data-old]").count()).toBe(0);
    const shown = await page.locator("#timeline .pair").textContent();
    const answered = page.waitForResponse("**/api/v1/**");
    await answers[0]!();
    await (await answered).finished();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    expect(await list.inputValue()).toBe(last);
    expect(await page.locator("#timeline .pair").textContent()).toBe(shown);
  });
});

test("run: every rule with its reading, commands to copy, what the host could not guarantee", async () => {
  await its.at(PAGES["run"]!, { viewport: SIZES.desk }, async (page) => {
    expect(await page.locator("tr[id^=rule-]").count()).toBeGreaterThan(10);
    expect(await page.locator(".command button").count()).toBeGreaterThan(1);
    expect(await page.locator("main").textContent()).toContain("What to read with it:");
  });
});

test("runs: filters in the address", async () => {
  await its.at("runs/", { viewport: SIZES.desk }, async (page) => {
    const all = await page.locator("#view tbody tr").count();
    await page.locator("#f-verdict").selectOption("invalid");
    await expect.poll(() => page.locator("#view tbody tr").count()).toBeLessThan(all);
    await page.reload({ waitUntil: "networkidle" });
    expect(await page.locator("#f-verdict").inputValue()).toBe("invalid");
    expect(await page.locator("#view tbody tr").count()).toBeLessThan(all);
    await page.goBack({ waitUntil: "networkidle" });
    await expect.poll(() => page.locator("#view tbody tr").count()).toBe(all);
  });
});

test("search: a key opens it, arrows choose, Enter goes, Escape closes", async () => {
  await its.at("", { viewport: SIZES.desk }, async (page) => {
    await page.keyboard.press("/");
    await expect.poll(() => page.locator("dialog.search").isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator("dialog.search").isVisible()).toBe(false);
    await page.keyboard.press("/");
    await page.keyboard.type("hosts");
    await expect.poll(() => page.locator("#search-results li").first().textContent()).toContain("Hosts");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/hosts\/$/);
  });
});

test("search as a page keeps its words in the address", async () => {
  await its.at("search/?q=control", { viewport: SIZES.phone }, async (page) => {
    expect(await page.locator("#results li").count()).toBeGreaterThan(0);
    expect(await page.locator("#q").inputValue()).toBe("control");
  });
});

test("search as a page: the pages of the site while nothing is asked, results in their place, and back", async () => {
  const { entries } = published<SearchFile>("api/v1/search.json");
  const titles = (query: string): string[] => search(entries, query).map((one) => one.title);
  const heard = await its.at("search/", { viewport: SIZES.desk }, async (page) => {
    const shown = () => page.locator("#results li:visible a span:first-child").allTextContents();
    const rest = page.getByRole("heading", { name: "Everything that is measured" });
    expect(await shown()).toEqual(titles(""));
    expect(await rest.isVisible()).toBe(true);
    await page.locator("#q").fill("hosts");
    await expect.poll(shown).toEqual(titles("hosts"));
    expect(await rest.isVisible()).toBe(false);
    expect(await page.locator("#found").textContent()).toMatch(/^\d+ results? for “hosts”\.$/);
    await page.locator("#q").fill("nothing-has-this-name");
    await expect.poll(() => page.locator("#found").textContent()).toBe("Nothing found for “nothing-has-this-name”.");
    expect(await shown()).toEqual([]);
    await page.locator("#q").fill("");
    await expect.poll(shown).toEqual(titles(""));
    expect(await rest.isVisible()).toBe(true);
    expect(await page.locator("#found").textContent()).toBe("");
  });
  expect(heard.asked.filter((one) => one.endsWith("/search.json"))).toHaveLength(1);
});

test.each(["trends/", "compare/"])("%s says, for all to see, that there is nothing to draw from", async (path) => {
  const context = await its.browser.newContext();
  const page = await context.newPage();
  await page.route("**/index.json", (route) => route.fulfill({ status: 503 }));
  await page.goto(its.address + path);
  const note = page.getByRole("alert");
  await expect.poll(() => note.isVisible()).toBe(true);
  expect(await page.locator("#filters").isVisible()).toBe(false);
  expect(await note.textContent()).toContain("status 503");
  await context.close();
});

test.each([
  ["trends/", "api/v1/series/**", "#f-metric"],
  ["compare/", "api/v1/compare/**", "#f-base-session"],
])("%s says of a choice that its document can't be loaded, and leaves no other drawn", async (path, documents, list) => {
  const context = await its.browser.newContext();
  const page = await context.newPage();
  await page.goto(its.address + path, { waitUntil: "networkidle" });
  await page.route(`**/${documents}`, (route) => route.fulfill({ status: 503 }));
  await page.locator(list).selectOption(await page.locator(`${list} option:not(:checked)`).first().getAttribute("value"));
  await expect.poll(() => page.getByRole("alert").textContent()).toContain("status 503");
  expect(await page.locator("#view .chart-card").count()).toBe(0);
  await context.close();
});

test("search as a page says when there is nothing to search in", async () => {
  const context = await its.browser.newContext();
  const page = await context.newPage();
  await page.route("**/search.json", (route) => route.fulfill({ status: 503 }));
  await page.goto(`${its.address}search/?q=control`);
  await expect.poll(() => page.locator("#found").textContent()).toContain("status 503");
  await context.close();
});

test("a word of the glossary tells its meaning, on focus and on a click, and Escape closes it", async () => {
  await its.at("trends/", { viewport: SIZES.phone }, async (page) => {
    const word = page.locator("a.term").first();
    await word.focus();
    await expect.poll(() => page.locator(".pop").count()).toBe(1);
    expect(await word.getAttribute("aria-describedby")).toBe("pop");
    await page.keyboard.press("Escape");
    expect(await page.locator(".pop").count()).toBe(0);
    await word.click();
    await expect.poll(() => page.locator(".pop").textContent()).toContain("All words");
    expect(page.url()).toMatch(/trends\/$/);
  });
});

test("what does not exist helps on", async () => {
  await its.at("404.html", { viewport: SIZES.desk }, async (page) => {
    expect(await page.locator("h1").textContent()).toContain("no such page");
    expect(await page.locator("main ul.cards a").count()).toBeGreaterThan(5);
  });
});

test("what does not exist at a depth has its search, where the site knows its address", async () => {
  const context = await its.browser.newContext();
  const page = await context.newPage();
  // A site that is published with an address has that address before each path of this page.
  const addressed = readFileSync(join(SITE, "404.html"), "utf8").replace('data-root=""', `data-root="${its.address}"`).replace(/(href|src)="(?!#|\.\/)/g, `$1="${its.address}`);
  await page.route("**/run/mistyped/", (route) => route.fulfill({ status: 404, contentType: "text/html", body: addressed }));
  await page.goto(`${its.address}run/mistyped/`);
  await page.locator("#search-button").click();
  await page.keyboard.type("hosts");
  await expect.poll(() => page.locator("#search-results li").first().textContent()).toContain("Hosts");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${its.address}hosts/`);
  await context.close();
});

test.each(hostile.slice(0, 2).map((session) => [session]))("what the record of %s says stays text", async (session) => {
  await its.at(`run/${session}/`, { viewport: SIZES.desk }, async (page) => {
    expect(await page.locator("main").textContent()).toContain("onerror=");
    expect(await page.locator("main img, main iframe, main object, main script").count()).toBe(0);
    const bad = await page.locator("a").evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href).filter((href) => !/^https?:|^blob:/.test(href)));
    expect(bad).toEqual([]);
  });
});

test("the simulated site has a record that tries", () => expect(hostile.length).toBeGreaterThan(0));

test("markup out of text is refused by the browser itself", async () => {
  const context = await its.browser.newContext();
  const page = await context.newPage();
  await page.goto(`${its.address}run/${newest}/`);
  const refused = await page.evaluate(() => {
    const tried: string[] = [];
    const attempt = (name: string, act: () => void): void => {
      try {
        act();
      } catch (error) {
        tried.push(`${name}: ${(error as Error).name}`);
      }
    };
    attempt("innerHTML", () => (document.createElement("p").innerHTML = "<b>x</b>"));
    const script = document.createElement("script");
    attempt("script", () => {
      script.textContent = "window.ran = true";
      document.body.append(script);
    });
    const handler = document.createElement("p");
    attempt("handler", () => handler.setAttribute("onclick", "window.ran = true"));
    handler.click();
    return { tried, ran: (window as unknown as { ran?: boolean }).ran === true };
  });
  expect(refused.ran).toBe(false);
  expect(refused.tried.map((one) => one.split(":")[0])).toEqual(expect.arrayContaining(["innerHTML", "script", "handler"]));
  await context.close();
});

test("the page of the API names every document of its folder", async () => {
  const documents = readdirSync(join(SITE, "api/v1")).filter((one) => /^[a-z]+\.json$/.test(one));
  expect(documents.length).toBeGreaterThan(10);
  await its.at("api/", { viewport: SIZES.desk }, async (page) => {
    const named = await page.locator("main table a").allTextContents();
    expect(documents.filter((one) => !named.includes(`api/v1/${one}`))).toEqual([]);
  });
});

test("badges: the chosen one is shown, its line leads to its trend, the choice is in the address", async () => {
  await its.at("api/", { viewport: SIZES.desk }, async (page) => {
    const line = (): Promise<string | null> => page.getByRole("region", { name: "Markdown" }).textContent();
    const before = await line();
    const other = await page.locator("#f-subject option").nth(1).getAttribute("value");
    await page.locator("#f-subject").selectOption(other);
    await expect.poll(line).not.toBe(before);
    const [, badge, trend] = /\]\((\S+)\)\]\((\S+)\)$/.exec((await line())!)!;
    expect(new URL(badge!).href).toBe(await page.locator("#view img").evaluate((one: HTMLImageElement) => one.src));
    await expect.poll(() => page.locator("#view img").evaluate((one: HTMLImageElement) => one.naturalWidth)).toBeGreaterThan(50);
    const chosen = await line();
    await page.reload({ waitUntil: "networkidle" });
    expect(await line()).toBe(chosen);
    await page.goto(trend!, { waitUntil: "networkidle" });
    expect(await page.locator("#f-subject input:checked").getAttribute("value")).toBe(other);
  });
});
