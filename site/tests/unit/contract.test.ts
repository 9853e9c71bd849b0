import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const site = fileURLToPath(new URL("../..", import.meta.url));
const sources = readdirSync(`${site}/src`, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
const templates = readdirSync(`${site}/templates`);

test("types are those of the schema", () => {
  execFileSync(process.execPath, ["tools/types.mjs", "--check"], { cwd: site });
});

test.each(sources)("%s makes no markup out of text", (name) => {
  const text = readFileSync(`${site}/src/${name}`, "utf8");
  expect(text).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|\beval\(|new Function/);
});

test.each(templates)("%s has no script or style of its own, and trusts no text", (name) => {
  const text = readFileSync(`${site}/templates/${name}`, "utf8");
  expect(text).not.toMatch(/\|\s*safe\b|autoescape false|<style|\son[a-z]+=|\sstyle=/);
  expect(text.match(/<script(?![^>]*\ssrc=)/g)).toBeNull();
  expect(text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
});

test.each([...sources.map((name) => `src/${name}`), ...templates.map((name) => `templates/${name}`)])("%s is short", (name) => {
  if (name === "src/data/api.ts") return;
  expect(readFileSync(`${site}/${name}`, "utf8").split("\n").length).toBeLessThan(300);
});
