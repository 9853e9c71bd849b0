import { expect, test } from "vitest";
import { linesFor } from "../../src/badge/lines";
import type { SeriesEntry } from "../../src/data/api";

const entry = { badge: "badges/lab/a_jvm_pg/s.closed.m.svg", host: "lab", metric: "m", phase: "open@80%", scenario: "s", subject: "a_jvm_pg~db-tls=on" } as SeriesEntry;
const text = (name: string, title: string): string => linesFor("https://x.example/p/", entry, title).find((one) => one.name === name)!.text;

test("a line of Markdown shows the badge and leads to the trend", () =>
  expect(text("Markdown", "a jvm: throughput")).toBe(
    "[![a jvm: throughput](https://x.example/p/badges/lab/a_jvm_pg/s.closed.m.svg)](https://x.example/p/trends/?host=lab&metric=m&phase=open%4080%25&scenario=s&subject=a_jvm_pg~db-tls%3Don)",
  ));
test("brackets of a title end no text", () => expect(text("Markdown", "a](x")).toContain("[![a\\](x]("));
test("quotes and brackets of a title end no attribute", () => {
  expect(text("HTML", '"><b>')).toContain('alt="&quot;>&lt;b>"');
  expect(text("AsciiDoc", '"]')).toContain('"\']"');
});
