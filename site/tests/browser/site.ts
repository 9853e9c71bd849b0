// The published site that tests look at: SITE names its folder.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import type { SiteIndex } from "../../src/data/api";
import { launch, opened, type Heard } from "./browser";
import { serve, type Served } from "./serve";

const named = process.env["SITE"];
if (named === undefined) throw new Error("SITE has to name the folder of a published site: call ./bench test --only site.");
export const SITE: string = named;

/** A document of the site, from its file. */
export function published<T>(path: string): T {
  return JSON.parse(readFileSync(join(SITE, path), "utf8")) as T;
}

const sessions = readdirSync(join(SITE, "run")).sort();

/** The session whose record tries to leave its place. */
export const hostile = sessions.filter((one) => readFileSync(join(SITE, `api/v1/runs/${one}.json`), "utf8").includes("onerror="));
export const newest: string = published<SiteIndex>("api/v1/index.json").hosts[0]!.newest.session;

/** Every page, by name. */
export const PAGES: Record<string, string> = {
  overview: "",
  matrix: "matrix/",
  trends: "trends/",
  compare: "compare/",
  runs: "runs/",
  run: `run/${newest}/`,
  alerts: "alerts/",
  hosts: "hosts/",
  starts: "starts/",
  classes: "classes/",
  class: "classes/orm/",
  studies: "studies/",
  study: "studies/002/",
  rules: "rules/",
  method: "method/",
  integrity: "integrity/",
  api: "api/",
  search: "search/",
  "404": "404.html",
};

export interface Site {
  /** Opens a path, and expects a silent console and no request beyond the site. */
  at(path: string, options: BrowserContextOptions, look: (page: Page) => Promise<void>): Promise<Heard>;
  address: string;
  browser: Browser;
}

/** The site at a sub-path, in Chromium, for the tests of one file. */
export function site(): Site {
  let served: Served;
  let browser: Browser;
  beforeAll(async () => {
    [served, browser] = await Promise.all([serve(SITE), launch()]);
  });
  afterAll(async () => {
    await browser?.close();
    await served?.close();
  });
  return {
    get address() {
      return served.address;
    },
    get browser() {
      return browser;
    },
    async at(path, options, look) {
      const heard = await opened(browser, served.address + path, options, look);
      expect(heard.said).toEqual([]);
      expect(heard.asked.filter((one) => !one.startsWith(served.address) && !one.startsWith("blob:"))).toEqual([]);
      return heard;
    },
  };
}
