import { describe, expect, test } from "vitest";
import { local, rootOf, runPage, withState } from "../../src/lib/address";

const HOSTILE = [
  "javascript:alert(1)",
  "//evil.example/",
  "https://evil.example/",
  "/absolute",
  "../../etc/passwd",
  "run/../../x/",
  "data:text/html,x",
  "run/<b>/",
  'run/"onclick=x/',
  "run/x y/",
  "run/\u202e/",
  "\\\\evil",
];

describe("addresses", () => {
  test.each(HOSTILE)("%j is no address of this site", (text) => {
    expect(local(text, "../")).toBeNull();
    expect(runPage(text, "../")).toBeNull();
  });

  test.each(["run/20261031T000238Z-sim-lab-0265c1/", "trends/?host=a&metric=b_c&phase=open%40500&subject=x_jvm_pg~db-tls=require", "method/#term-trial", "api/v1/series/a/b.json", ""])(
    "%j is one",
    (path) => {
      expect(local(path, "../../")).toBe(`../../${path}`);
    },
  );

  test("an empty way at the root is this folder", () => expect(local("", "")).toBe("./"));

  test("a root is a way up, or an address of the same origin", () => {
    const at = (root: string | undefined): string => rootOf(root, "https://pages.example");
    expect(at("../../")).toBe("../../");
    for (const own of ["https://pages.example/name/", "https://pages.example/"]) expect(at(own)).toBe(own);
    const others = ["https://evil.example/", "https://pages.example.evil/", "https://pages.example/name", "https://pages.example/../x/", "https://pages.example/?x/", undefined];
    for (const other of others) expect(at(other)).toBe("");
  });

  test("a state keeps commas and tildes readable", () => {
    expect(withState(new URLSearchParams([["subject", "a,b~c=d"]]))).toBe("?subject=a,b~c%3Dd");
    expect(withState(new URLSearchParams())).toBe("./");
  });
});
