// Three sets of tests: `unit` needs nothing; `browser` and `everywhere` need SITE, the folder of a published site, and
// Chromium (CHROMIUM, else /usr/bin/chromium). `./bench test` makes the site and calls the first two, with --site all.

import { defineConfig } from "vitest/config";

const inBrowser = { environment: "node", testTimeout: 60_000, hookTimeout: 60_000, fileParallelism: false, expect: { poll: { timeout: 10_000 } } } as const;

export default defineConfig({
  test: {
    reporters: ["default", "./tests/counts.ts"],
    projects: [
      { test: { name: "unit", include: ["tests/unit/**/*.test.ts"], environment: "node" } },
      { test: { name: "browser", include: ["tests/browser/**/*.test.ts"], ...inBrowser } },
      { test: { name: "everywhere", include: ["tests/everywhere/**/*.test.ts"], ...inBrowser, testTimeout: 240_000 } },
    ],
  },
});
