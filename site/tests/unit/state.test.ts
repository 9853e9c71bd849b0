import { describe, expect, test } from "vitest";
import { changed, oneOf, someOf } from "../../src/lib/state";
import type { Overview } from "../../src/data/api";
import { scenarioOn } from "../../src/overview/choose";
import { placesOf, textOf } from "../../src/compare/contenders";

describe("the state in the address", () => {
  test("a value that is not known counts as not given", () => {
    expect(oneOf(new URLSearchParams("host=<img>"), "host", ["a", "b"])).toBe("a");
    expect(oneOf(new URLSearchParams("host=b"), "host", ["a", "b"])).toBe("b");
    expect(oneOf(new URLSearchParams(""), "host", [])).toBeUndefined();
  });
  test("several values, in the order of the data, each once", () => {
    expect(someOf(new URLSearchParams("s=c,a,x,a"), "s", ["a", "b", "c"])).toEqual(["a", "c"]);
  });
  test("one view has one address", () => {
    const one = changed(changed(new URLSearchParams(), { b: "2" }), { a: "1" });
    const other = changed(changed(new URLSearchParams(), { a: "1" }), { b: "2" });
    expect(one.toString()).toBe(other.toString());
  });
  test("null and nothing take a name away", () => expect(changed(new URLSearchParams("a=1&b=2"), { a: null, b: "" }).toString()).toBe(""));
  test("a host that lacks the shown workload shows its own first", () => {
    const standings = [["a", "fruits"], ["a", "hello"], ["b", "hello"]].map(([host, scenario]) => ({ host, scenario, tables: [{}] }));
    const overview = { standings } as unknown as Overview;
    expect(scenarioOn(overview, "b", "fruits")).toBe("hello");
    expect(scenarioOn(overview, "a", "hello")).toBe("hello");
  });
  test("places of a comparison", () => {
    const places = placesOf("s1!a,s2!b");
    expect(places).toEqual([{ session: "s1", subject: "a" }, { session: "s2", subject: "b" }]);
    expect(textOf(places)).toBe("s1!a,s2!b");
    expect(placesOf(null)).toEqual([]);
    expect(placesOf("s1,".repeat(99)).length).toBe(8);
  });
});
