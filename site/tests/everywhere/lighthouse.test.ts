// Lighthouse in its mobile setting: at least 95 in each class, and the largest paint within 1.5 s.

import { launch as launchChrome, type LaunchedChrome } from "chrome-launcher";
import lighthouse from "lighthouse";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PAGES, SITE } from "../browser/site";
import { serve, type Served } from "../browser/serve";

const LEAST = 95;
const LARGEST_PAINT_MS = 1500;
// Lighthouse simulates a slow phone out of what it saw on this machine; the median of three is what the machine's own
// noise leaves of that.
const RUNS = 3;

let served: Served;
let chrome: LaunchedChrome;

beforeAll(async () => {
  served = await serve(SITE);
  chrome = await launchChrome({
    chromePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    chromeFlags: ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
  });
});

afterAll(async () => {
  chrome?.kill();
  await served?.close();
});

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

test.each(Object.entries(PAGES).filter(([name]) => name !== "404"))("%s", async (_, path) => {
  const scores: Record<string, number[]> = {};
  const paints: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const result = await lighthouse(served.address + path, { port: chrome.port, output: "json", logLevel: "silent" });
    for (const [name, category] of Object.entries(result!.lhr.categories)) (scores[name] ??= []).push((category.score ?? 0) * 100);
    paints.push(result!.lhr.audits["largest-contentful-paint"]!.numericValue ?? Infinity);
  }
  expect(Object.keys(scores).sort()).toEqual(["accessibility", "best-practices", "performance", "seo"]);
  for (const [name, values] of Object.entries(scores)) expect(Math.round(median(values)), name).toBeGreaterThanOrEqual(LEAST);
  expect(median(paints), "largest contentful paint, ms").toBeLessThanOrEqual(LARGEST_PAINT_MS);
});
