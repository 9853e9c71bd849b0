// A page of the site in Chromium, which has to stay silent and within the site.

import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";

export const SIZES = {
  narrowest: { width: 320, height: 640 },
  phone: { width: 390, height: 844 },
  desk: { width: 1280, height: 900 },
} as const;

/** Without a GPU the browser draws a canvas on the main thread, unlike that of a reader. */
const WITHOUT_GPU = ["--disable-gpu"];
/** A GPU in software: the main thread only says what is to be drawn. */
export const WITH_GPU = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--enable-gpu-rasterization"];

export function launch(gpu: readonly string[] = WITHOUT_GPU): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: [...gpu, "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}

export interface Heard {
  said: string[];
  asked: string[];
}

/** Opens an address, hands over the page, and answers what console and dialogs said and what was asked of the network. */
export async function opened(
  browser: Browser,
  address: string,
  options: BrowserContextOptions,
  look: (page: Page) => Promise<void>,
): Promise<Heard> {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  const heard: Heard = { said: [], asked: [] };
  try {
    const page = await context.newPage();
    page.on("console", (message) => heard.said.push(message.text()));
    page.on("pageerror", (error) => heard.said.push(String(error)));
    page.on("dialog", (dialog) => {
      heard.said.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("request", (request) => heard.asked.push(request.url()));
    await page.goto(address, { waitUntil: "networkidle" });
    await look(page);
    return heard;
  } finally {
    await context.close();
  }
}
