// One entry a page. Names carry a digest of what is inside; the manifest tells the publisher which page needs what.

import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { defineConfig } from "vite";

const pages = readdirSync(new URL("src/pages", import.meta.url)).filter((name) => name.endsWith(".ts"));

export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    manifest: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    rolldownOptions: {
      // What pages share is small: one file of it is one request, where many would follow each other.
      output: { codeSplitting: { groups: [{ name: "shared", test: /src\/(?:lib|frame)\// }] } },
      input: Object.fromEntries(pages.map((name) => [basename(name, ".ts"), `src/pages/${name}`])),
    },
  },
});
