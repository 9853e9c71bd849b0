// The report in a real browser. How to call it, in this folder, with a report at hand:
//
//     npm ci
//     REPORT=/path/to/report.html node --test
//
// CHROMIUM names the browser; /usr/bin/chromium when it is not set. `python -m tests.report.session FOLDER`, called in
// harness/, writes a report of a made-up session to look at. Nothing here reaches a network.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const report = process.env.REPORT;
assert.ok(report, "REPORT has to name a report.html");
const address = pathToFileURL(resolve(report)).href;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const DESK = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
const NARROWEST = { width: 320, height: 640 };

let browser;

before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"],
  });
});

after(async () => browser?.close());

// Opens the report, gives it to `look`, and expects that it said nothing on the console and asked for nothing.
async function opened(options, look) {
  const context = await browser.newContext(options);
  try {
    const page = await context.newPage();
    const said = [];
    const asked = [];
    page.on("console", (message) => said.push(message.text()));
    page.on("pageerror", (error) => said.push(String(error)));
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(address);
    await look(page);
    assert.deepEqual(said, []);
    assert.deepEqual(asked, [address]);
  } finally {
    await context.close();
  }
}

const unfold = (page) =>
  page.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = true)));

for (const colorScheme of ["light", "dark"]) {
  for (const [name, viewport] of Object.entries({ desk: DESK, phone: PHONE })) {
    test(`axe finds no violation: ${name}, ${colorScheme}`, { timeout: 120_000 }, async () => {
      await opened({ colorScheme, viewport }, async (page) => {
        await unfold(page);
        await page.evaluate(axe);
        const { violations, passes } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
        assert.ok(passes.length > 20, "axe looked at too little");
        assert.deepEqual(
          violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(" | ")}`),
          [],
        );
      });
    });
  }
}

for (const viewport of [NARROWEST, PHONE, DESK]) {
  test(`the page itself never scrolls sideways at ${viewport.width} px`, async () => {
    await opened({ viewport }, async (page) => {
      for (const look of [() => {}, unfold]) {
        await look(page);
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(width <= viewport.width, `${width} px wide`);
      }
    });
  });
}

test("the text of charts can be read on the narrowest phone", async () => {
  await opened({ viewport: NARROWEST }, async (page) => {
    const smallest = await page.evaluate(() =>
      Math.min(
        ...[...document.querySelectorAll("svg[role=img]")].flatMap((picture) => {
          const scale = picture.getBoundingClientRect().width / picture.viewBox.baseVal.width;
          return [...picture.querySelectorAll("text")].map((text) => parseFloat(getComputedStyle(text).fontSize) * scale);
        }),
      ),
    );
    assert.ok(smallest >= 8, `${smallest} px`);
  });
});

test("it is the same page without any script", async () => {
  await opened({ javaScriptEnabled: false, viewport: DESK }, async (page) => {
    assert.ok(await page.getByRole("heading", { level: 1 }).isVisible());
    assert.ok((await page.locator("svg[role=img]").count()) > 0);
  });
});

test("the whole page is there on paper, in light colours", async () => {
  await opened({ colorScheme: "light", viewport: DESK }, async (page) => {
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator("nav").isVisible(), false);
    assert.ok(await page.locator("main").isVisible());
  });
});
