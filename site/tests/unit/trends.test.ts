import { describe, expect, test } from "vitest";
import type { Columns, SeriesEntry, SeriesFile, SiteIndex } from "../../src/data/api";
import { happenings, inWords, kindName, sessionsOf } from "../../src/trends/events";
import { forAxis, join, leavesAxis, nearest, whole, within, type Line } from "../../src/trends/join";
import { missing, query, rangeOf } from "../../src/trends/query";
import { heads, reading, rows } from "../../src/trends/words";

function columns(t: number[], value: number[], by: Partial<Columns> = {}): Columns {
  return {
    t,
    value,
    session: t.map((one) => `s${one}`),
    ratio: value.map((one) => one / 10),
    half: t.map(() => 0.01),
    ratio_half: t.map(() => 0.03),
    verdict: t.map(() => "valid"),
    ...by,
  };
}

function line(points: Columns, by: Partial<SeriesFile> = {}): Line {
  const file: SeriesFile = {
    api: "v1", kind: "series", simulated: true, id: "x", host: "h", subject: "s", scenario: "c", phase: "closed", metric: "m",
    title: "Throughput", where: "at full load", symbol: "/s", per: 1, better: "higher", sound: true, min_range: 0.1,
    points: points.t.length, first: 0, columns: points, older: [], refused: [], segments: [], annotations: [], turns: [], changes: [], ...by,
  };
  return { short: file.subject, mark: 0, file, columns: points, first: 0 };
}

const change = {
  index: 1, t: 200, session: "s200", ratio: 0.9, low: 0.88, high: 0.92, p: 1e-6, worse: true, against_control: true, of_control: false,
  back: null, commits: [null, null] as [null, null], cause: [{ name: "application", before: "0123456789ab", after: "ba9876543210" }, { name: "framework", before: "Quarkus 3.20", after: "Quarkus 3.21" }],
  life: { alert: "abc", state: "open" as const, reason: "a change that nobody has confirmed" },
};

describe("lines on one axis", () => {
  test("what a series was not asked for does not break it, what was refused does", () => {
    const one = line(columns([100, 300], [1, 3]), { refused: [{ t: 200, session: "s200", reason: "R7", unsteady: false }] });
    const other = line(columns([150], [2]));
    const joined = join([one, other], "absolute");
    expect(joined.x).toEqual([100, 150, 200, 300]);
    expect([...joined.columns[0]![0]]).toEqual([1, null, null, 3]);
    expect([...joined.columns[1]![0]]).toEqual([undefined, 2, undefined, undefined]);
  });

  test("an environment that comes and goes breaks the line at each turn, and lines never reach towards the next one", () => {
    // Two nights in one environment, one in another, and again one in the first; the other series has points in between.
    const turns = [500, 700].map((t, index) => ({ index: index + 2, t, changes: [{ name: "kernel", before: "a", after: "b" }] }));
    const joined = join([line(columns([100, 200, 500, 700], [1, 2, 3, 4]), { turns }), line(columns([150, 300, 400], [1, 1, 1]))], "absolute");
    const byTime = new Map(joined.x.map((t, index) => [t, joined.columns[0]!.map((column) => column[index])]));
    expect(byTime.get(150)).toEqual([undefined, undefined, undefined]);
    for (const t of [201, 300, 400, 501]) expect(byTime.get(t)).toEqual([null, null, null]);
    expect([...joined.pauses]).toEqual([201, 501]);
    expect(joined.x.length).toBe(9);
  });

  test("turns are counted in the whole series, of which the newest part may be shown", () => {
    const turns = [2, 501].map((index) => ({ index, t: 0, changes: [] }));
    const joined = join([{ ...line(columns([100, 200, 300], [1, 2, 3]), { turns }), first: 500 }], "absolute");
    expect([...joined.columns[0]![0]]).toEqual([1, null, 2, 3]);
  });

  test("a new environment breaks the line between its points", () => {
    const joined = join([line(columns([100, 200], [1, 1]), { turns: [{ index: 1, t: 200, changes: [] }] })], "ratio");
    expect([...joined.columns[0]![0]]).toEqual([0.1, null, 0.1]);
  });

  test("intervals are those of logarithms, in the shown unit; one trial has none", () => {
    const one = line(columns([100], [2000], { half: [null] }), { per: 1000 });
    expect(within(one, 0, "absolute")).toBeNull();
    const two = line(columns([100], [2000]), { per: 1000 });
    expect(within(two, 0, "absolute")![1]).toBeCloseTo(2 * Math.exp(0.01), 12);
  });

  test("the interval of a ratio to the control is that of the ratio, which scatters on both sides", () => {
    const one = line(columns([100, 200], [10, 10], { ratio_half: [0.03, null] }));
    expect(within(one, 0, "ratio")).toEqual([Math.exp(-0.03), Math.exp(0.03)]);
    expect(within(one, 1, "ratio")).toBeNull();
    expect(reading(one, 0, "ratio")).toBe("1.00 × control (0.970 to 1.03)");
  });

  test("a value without an interval says of how few trials it is", () => {
    const one = line(columns([100], [10], { half: [null], ratio_half: [null] }));
    expect(reading(one, 0, "absolute")).toBe("10.0/s (fewer than three trials: no interval)");
    expect(reading(one, 0, "ratio")).toBe("1.00 × control (fewer than three trials of the subject or of the control: no interval)");
  });

  test("the control has no ratio to itself, and another subject has none without a control", () => {
    const one = line(columns([100], [10], { ratio: [null] }));
    expect(reading({ ...one, mark: null }, 0, "ratio")).toBe("the control itself");
    expect(reading(one, 0, "ratio")).toBe("no control in this session");
  });

  test("parts are put before each other in order", () => {
    expect(whole([columns([1], [1]), columns([2, 3], [2, 3])]).t).toEqual([1, 2, 3]);
  });

  test("the nearest point", () => {
    expect(nearest([1, 5, 9], 6)).toBe(1);
    expect(nearest([1, 5, 9], 8)).toBe(2);
    expect(nearest([1, 5, 9], -4)).toBe(0);
  });
});

test("what an address asked for and no chart has is told", () => {
  const index = {
    hosts: [{ slug: "h", name: "h", host_class: "lab", sessions: 1 }],
    scenarios: [{ slug: "c", id: "c@1", phases: [] }],
    metrics: [{ name: "throughput_per_s", title: "Throughput" }, { name: "steady_from_s", title: "Steady from" }],
    subjects: ["one", "two"].map((slug) => ({ slug, short: slug, mark: 0, control: false, retired: false })),
  } as unknown as SiteIndex;
  const series = [{ host: "h", scenario: "c", subject: "one", phase: "trial", metric: "throughput_per_s" } as unknown as SeriesEntry];
  const told = (text: string): string => missing(index, query(index, series, new URLSearchParams(text))!, new URLSearchParams(text));
  expect(told("")).toBe("");
  expect(told("subject=one&phase=trial&metric=throughput_per_s")).toBe("");
  expect(told("subject=two&phase=trial&metric=steady_from_s")).toBe("There is no chart of Steady from and two here; shown is Throughput.");
  expect(told("subject=one,gone,lost&phase=build&metric=build_wall_s")).toBe("There is no chart of this measure and this subject here; shown is Throughput.");
});

describe("what happened", () => {
  const told = happenings([
    line(columns([100, 200], [1, 0.9]), {
      changes: [change],
      annotations: [{ index: 1, t: 200, changes: change.cause }],
      refused: [{ t: 150, session: "s150", reason: "R7: errors", unsteady: false }],
    }),
  ]);

  test("newest first, with life and cause, and names before digests", () => {
    expect(told.map((one) => one.kind)).toEqual(["change", "label", "refused"]);
    expect(told[0]!.text).toContain("worse, −10 % (−12 % to −8.0 %) against the control");
    expect(told[0]!.text).toMatch(/framework Quarkus 3\.20 → Quarkus 3\.21; application/);
    expect(told[0]!.text).toContain("Alert open");
    expect(told[1]!.label).toBe("Quarkus 3.21");
    expect(told[2]!.text).toContain("R7: errors");
  });

  test("a change of the control is told as that of the control itself", () => {
    const text = (of_control: boolean): string => happenings([line(columns([100, 200], [1, 0.9]), { changes: [{ ...change, of_control }] })])[0]!.text;
    expect(text(true)).toContain("This is the control itself: the machine may have changed.");
    expect(text(false)).not.toContain("control itself");
  });

  test("a machine that changed under two lines is told once", () => {
    const turns = [{ index: 1, t: 200, changes: [{ name: "kernel", before: "a", after: "b" }] }, { index: 2, t: 300, changes: [{ name: "kernel", before: "b", after: "a" }] }];
    const points = columns([100, 200, 300], [1, 1, 1]);
    const both = happenings([line(points, { turns }), line(points, { turns, subject: "t" })]);
    expect(both.map((one) => one.text.includes("kernel b → a"))).toEqual([true, false]);
  });

  test("a session in which two lines have no point is one session", () => {
    const refused = ["s150", "s160"].map((session, index) => ({ t: 150 + index, session, reason: "R7", unsteady: false }));
    const events = happenings([line(columns([100], [1]), { refused }), line(columns([100], [1]), { refused, subject: "t" })]);
    expect([events.length, sessionsOf(events)]).toEqual([4, 2]);
  });

  test("a session that proved no steady state was not refused", () => {
    const [refused, unsteady] = happenings([line(columns([100], [1]), { refused: [{ t: 150, session: "s150", reason: "too short", unsteady: true }, { t: 160, session: "s160", reason: "R7", unsteady: false }] })]);
    expect([refused!.text, unsteady!.text]).toEqual(["s: every trial refused. R7", "s: not proven steady, so no point. too short"]);
    expect(kindName(unsteady!.kind)).toBe("No point");
  });

  test("in words for those who don't see the chart", () => {
    expect(inWords(line(columns([0, 86_400], [1, 1]), { changes: [change] }), "1.00/s")).toBe(
      "s: 2 sessions until 1970-01-02, newest 1.00/s; one change point, the last on 1970-01-01: −10 % (−12 % to −8.0 %).",
    );
    expect(inWords(line(columns([0], [1])), "1.00/s")).toContain("no change point");
  });

  test("files hold every point within the range", () => {
    const found = rows([line(columns([100, 200, 300], [1, 2, 3]))], 150, 300);
    expect(found.length).toBe(2);
    expect(found[0]!.length).toBe(heads("/s").length);
  });
});

test("an interval that reaches anywhere does not take the axis along, and stays whole", () => {
  const wide = line(columns([100, 200], [4, 4], { half: [0.01, 5], ratio_half: [0.01, 0.01] }));
  const { columns: joined } = join([wide], "absolute");
  const [[middle, low, high]] = forAxis(joined) as [[number[], number[], number[]]];
  expect(middle).toEqual([4, 4]);
  expect([low[0], high[0]]).toEqual([joined[0]![1][0], joined[0]![2][0]]);
  expect([low[1], high[1]]).toEqual([2, 8]);
  expect(joined[0]![2][1]).toBeGreaterThan(500);
  expect([leavesAxis(wide, "absolute"), leavesAxis(wide, "ratio"), leavesAxis(line(columns([100], [4])), "absolute")]).toEqual([true, false, false]);
});

test("a range is two times in order of which the axis can write the dates", () => {
  const range = (from: string, to: string): [number, number] | null => rangeOf(new URLSearchParams({ from, to }));
  expect(range("1700000000", "1700086400")).toEqual([1_700_000_000, 1_700_086_400]);
  for (const [from, to] of [["9000000000000", "9000000086400"], ["-9e12", "1700000000"], ["1700000000", "1e300"], ["2", "1"], ["x", "1"]] as const) expect(range(from, to)).toBeNull();
});
