// What holds on each page: landmarks, one heading, no console, nothing from elsewhere, no sideways scrolling, axe.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SearchFile } from "../../src/data/api";
import { expectAccessible } from "./axe";
import { SIZES } from "./browser";
import { PAGES, published, SITE, site } from "./site";

const its = site();

/** Texts beside code that show the marks of their source. */
function rawMarkUp(): string[] {
  const texts = document.createTreeWalker(document.querySelector("main")!, NodeFilter.SHOW_TEXT);
  const found: string[] = [];
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode as Text;
    if (/`|\*\*|^#+ /.test(data) && !parentElement!.closest("code, pre, .mono")) found.push(data);
  }
  return found;
}

test.each(Object.entries(PAGES))("%s: light on a desk, axe, landmarks; no script waits until another was read", async (_, path) => {
  let named: string[] = [];
  const heard = await its.at(path, { viewport: SIZES.desk, colorScheme: "light" }, async (page) => {
    expect(await page.locator("h1").count()).toBe(1);
    expect(await page.locator("main").count()).toBe(1);
    expect(await page.locator("nav[aria-label=Main]").isVisible()).toBe(true);
    expect(await page.locator("aside.banner").textContent()).toContain("Simulated data");
    expect(await page.title()).not.toBe("");
    expect(await page.evaluate(rawMarkUp)).toEqual([]);
    named = await page.locator("head script[src], head link[rel=modulepreload]").evaluateAll((all) => all.map((one) => (one instanceof HTMLScriptElement ? one.src : (one as HTMLLinkElement).href)));
    await expectAccessible(page);
  });
  // The chart of a trend is asked for only where there is one.
  const asked = heard.asked.filter((one) => one.endsWith(".js") && !/\/plot-[^/]+$/.test(one));
  expect(asked.length).toBeGreaterThan(2);
  expect(asked.filter((one) => !named.includes(one))).toEqual([]);
});

test("compare: the head asks for every document of the first view", async () => {
  let named: string[] = [];
  const heard = await its.at(PAGES["compare"]!, { viewport: SIZES.phone }, async (page) => {
    named = await page.locator("head link[rel=preload]").evaluateAll((all) => all.map((one) => (one as HTMLLinkElement).href));
    expect(await page.locator(".lede-answer").count()).toBe(1);
  });
  const asked = heard.asked.filter((one) => one.includes("/api/v1/"));
  expect([...new Set(asked)].sort()).toEqual(named.sort());
});

test.each(Object.entries(PAGES))("%s: dark on the narrowest phone, nothing scrolls sideways, axe", async (_, path) => {
  await its.at(path, { viewport: SIZES.narrowest, colorScheme: "dark" }, async (page) => {
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(SIZES.narrowest.width);
    await expectAccessible(page);
  });
});

test("the first key leads past the navigation", async () => {
  await its.at("", { viewport: SIZES.desk }, async (page) => {
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to the content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
  });
});

test("every control that can be focused shows it", async () => {
  await its.at("", { viewport: SIZES.desk }, async (page) => {
    for (let index = 0; index < 25; index += 1) {
      await page.keyboard.press("Tab");
      const seen = await page.evaluate(() => {
        const active = document.activeElement;
        if (!(active instanceof HTMLElement) || active === document.body) return "nothing";
        const chip = active.closest(".chip");
        const style = getComputedStyle(active);
        const around = chip === null ? null : getComputedStyle(chip);
        return style.outlineStyle !== "none" || (around !== null && around.outlineStyle !== "none") ? "" : active.outerHTML.slice(0, 120);
      });
      expect(seen).toBe("");
    }
  });
});

test("a theme that was chosen is remembered, on every page", async () => {
  const context = await its.browser.newContext({ colorScheme: "light" });
  const page = await context.newPage();
  await page.goto(its.address);
  const light = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.locator("#theme").click();
  const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expect(dark).not.toBe(light);
  expect(await page.locator("#theme").getAttribute("aria-pressed")).toBe("true");
  await page.goto(`${its.address}method/`);
  expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(dark);
  await context.close();
});

test("on paper there is no navigation, and it is light", async () => {
  await its.at(PAGES["run"]!, { viewport: SIZES.desk, colorScheme: "dark" }, async (page) => {
    await page.emulateMedia({ media: "print" });
    expect(await page.locator("nav[aria-label=Main]").isVisible()).toBe(false);
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe("rgb(255, 255, 255)");
  });
});

test.each(["overview", "run"])("%s has its tables without a script", async (name) => {
  const context = await its.browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(its.address + PAGES[name]!);
  expect(await page.locator("table:visible").count()).toBeGreaterThan(1);
  expect(await page.locator("form.filters:visible").count()).toBe(0);
  await context.close();
});

/** Those of the addresses below the site that lead to no file, or to no place in their page. */
function leadNowhere(addresses: readonly string[]): string[] {
  return [...new Set(addresses)].filter((one) => {
    const { pathname, hash } = new URL(one, "http://site/");
    const path = decodeURIComponent(pathname.slice(1));
    const file = join(SITE, path.endsWith("/") || path === "" ? `${path}index.html` : path);
    return !existsSync(file) || (hash !== "" && !readFileSync(file, "utf8").includes(`id="${decodeURIComponent(hash.slice(1))}"`));
  });
}

test.each(Object.entries(PAGES))("%s: every link leads to something that is there", async (_, path) => {
  await its.at(path, { viewport: SIZES.desk }, async (page) => {
    const links = await page.locator("a[href], link[href]").evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href));
    const own = links.filter((one) => one.startsWith(its.address)).map((one) => one.slice(its.address.length));
    expect(own.length).toBeGreaterThan(5);
    expect(leadNowhere(own)).toEqual([]);
  });
});

test("what the search finds is there", () => {
  const found = published<SearchFile>("api/v1/search.json").entries.map((one) => one.page);
  expect(found.some((one) => one.includes("#host-"))).toBe(true);
  expect(leadNowhere(found)).toEqual([]);
});
