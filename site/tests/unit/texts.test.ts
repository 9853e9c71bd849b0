import { describe, expect, test } from "vitest";
import type { Found } from "../../src/data/api";
import { search } from "../../src/frame/found";
import { csv } from "../../src/lib/download";
import { shapeOf, SHAPES } from "../../src/lib/marks";

describe("files", () => {
  test("quotes, commas and lines are kept", () => expect(csv(["a,b"], [['say "x"'], ["1\n2"], [3], [null]])).toBe('"a,b"\r\n"say ""x"""\r\n"1\n2"\r\n3\r\n\r\n'));
  test.each(["=1+1", "+1", "-1", "@x"])("%s is no formula", (text) => expect(csv(["h"], [[text]])).toBe(`h\r\n'${text}\r\n`));
});

describe("search", () => {
  const entry = (title: string, group: Found["group"], words = ""): Found => ({ title, group, words, page: "x/" });
  const entries = [entry("Standings", "page"), entry("spring4-mvc-jpa/jvm/pg", "subject", "spring"), entry("vertx-pg/jvm/pg", "subject"), entry("R7", "rule", "no errors"), entry("Trial", "term", "fresh process")];

  test("nothing asked gives the pages", () => expect(search(entries, " ").map((one) => one.title)).toEqual(["Standings"]));
  test("every word has to be there", () => expect(search(entries, "spring nothing")).toEqual([]));
  test("the start of a title comes before a word about it", () => expect(search([entry("x", "rule", "trial"), ...entries], "trial")[0]!.title).toBe("Trial"));
  test("words about an entry find it", () => expect(search(entries, "errors")[0]!.title).toBe("R7"));
  test.each(["(", "[a", "\\", "*"])("%j is text, not a pattern", (text) => expect(() => search(entries, text)).not.toThrow());
});

test("sixteen subjects have sixteen marks", () => {
  const marks = Array.from({ length: 16 }, (_, index) => `${index % 8} ${shapeOf(index)}`);
  expect(new Set(marks).size).toBe(16);
  expect(SHAPES.length).toBe(8);
});
