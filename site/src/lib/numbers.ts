// Numbers, ratios and times as people read them. Times are UTC: a benchmark has no local time.

const LANGUAGE = "en-US";
// Making a formatter takes longer than using it a hundred times.
const formatters = new Map<number, Intl.NumberFormat>();

/** Three significant digits, thousands separated, no exponent: 12,300 · 1.23 · 0.00123. */
export function number(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  let formatter = formatters.get(digits);
  if (formatter === undefined) {
    formatter = new Intl.NumberFormat(LANGUAGE, { minimumSignificantDigits: digits, maximumSignificantDigits: digits });
    formatters.set(digits, formatter);
  }
  return formatter.format(value);
}

const places = new Map<number, Intl.NumberFormat>();

/** A number with `digits` decimal places, thousands separated. */
export function decimals(value: number, digits: number): string {
  let formatter = places.get(digits);
  if (formatter === undefined) {
    formatter = new Intl.NumberFormat(LANGUAGE, { minimumFractionDigits: digits, maximumFractionDigits: digits });
    places.set(digits, formatter);
  }
  return formatter.format(value);
}

/** A figure with its symbol: `12,300/s`, `1.23 ms`. */
export function figure(value: number, symbol: string, digits = 3): string {
  return symbol.startsWith("/") ? number(value, digits) + symbol : `${number(value, digits)} ${symbol}`.trimEnd();
}

/** People read a change of up to 300 % as a percentage; a larger change is a factor. The harness agrees: stats/amounts.py. */
const FACTOR_FROM = 4;
const MOST_DECIMALS = 2;
// A range with an end below this per cent has a decimal: rounded, it could read as nothing, or as within 2 %.
const SMALL_END = 2.95;
// What a decided difference never reads as, and the words for a value that two decimals can't tell from that.
const NO_CHANGE = { 0: "under 0.01" };
const NO_FACTOR = { 1: "under 1.01" };
const ALL = { 100: "over 99.99" };

type Never = Readonly<Record<number, string>>;

const rounded = (value: number, digits = MOST_DECIMALS): number => Number(value.toFixed(digits));

/**
 * The fewest decimals with which the least and the greatest value differ, and none reads as it `never` may if more
 * decimals avoid that. At least one where they are less than 1 apart; null if two are too few.
 */
function decimalsOf(values: readonly number[], least = 0, never: Never = {}): number | null {
  if (values.length < 2) return least;
  const ends = [Math.min(...values), Math.max(...values)] as const;
  for (let digits = ends[1] - ends[0] >= 1 ? least : 1; digits <= MOST_DECIMALS; digits += 1) {
    const avoidable = values.some((value) => rounded(value, digits) in never && !(rounded(value) in never));
    if (rounded(ends[0], digits) !== rounded(ends[1], digits) && !avoidable) return digits;
  }
  return null;
}

/** "32 % more (99 % interval 11 to 54 %)", of a ratio whose interval does not contain 1. */
export function against(ratio: number, low: number, high: number, confidence: string): string {
  const ends = [low, high].sort((a, b) => Math.abs(Math.log(a)) - Math.abs(Math.log(b)));
  const factor = Math.max(ratio, low, high) > FACTOR_FROM;
  const values = [ratio, ...ends].map((value) => (factor ? value : Math.abs(value - 1) * 100));
  const word = factor ? "times as much" : `% ${ratio > 1 ? "more" : "less"}`;
  const never: Never = factor ? NO_FACTOR : ratio > 1 ? NO_CHANGE : { ...NO_CHANGE, ...ALL };
  const digits = decimalsOf(values, factor && values[1]! < 9.95 ? 1 : 0, never);
  const shown = digits ?? MOST_DECIMALS;
  const [centre, near, far] = values.map((value) => never[rounded(value, shown)] ?? decimals(value, shown));
  return digits === null ? `${centre} ${word}` : `${centre} ${word} (${confidence} interval ${near} to ${far}${factor ? "" : " %"})`;
}

/** "between 3 % less and 9 % more", of a ratio whose interval contains 1. */
export function between(low: number, high: number): string {
  if (high / low > 1000) return "anything between far less and far more";
  const percents = [low, high].filter((ratio) => ratio <= FACTOR_FROM).map((ratio) => Math.abs(ratio - 1) * 100);
  const digits = decimalsOf(percents, Math.min(...percents) < SMALL_END ? 1 : 0, NO_CHANGE) ?? MOST_DECIMALS;
  return `between ${moreOrLess(low, digits)} and ${moreOrLess(high, digits)}`;
}

function moreOrLess(ratio: number, digits: number): string {
  if (ratio > FACTOR_FROM) return `${decimals(ratio, ratio < 9.95 ? 1 : 0)} times as much`;
  const percent = Math.abs(ratio - 1) * 100;
  return `${decimals(percent, ratio > 1 || percent < 99.5 ? digits : MOST_DECIMALS)} % ${ratio < 1 ? "less" : "more"}`;
}

/** 1.034 -> "+3.4 %"; 0.9 -> "−10 %"; 6.3 -> "6.3×"; 0.00001 -> "under 0.0001×". */
export function change(ratio: number): string {
  if (ratio > FACTOR_FROM) return `${decimals(ratio, ratio < 9.95 ? 1 : 0)}×`;
  const percent = (ratio - 1) * 100;
  // A rounded "−100 %" would be wrong: no amount above zero is a hundred per cent less than another.
  const digits = percent <= -99.5 ? MOST_DECIMALS : Math.abs(percent) < 9.95 ? 1 : 0;
  const text = Math.abs(percent).toFixed(digits);
  if (percent < 0 && Number(text) === 100) return "under 0.0001×";
  if (Number(text) === 0) return `0.0 %`;
  return `${percent < 0 ? "−" : "+"}${text} %`;
}

/** "+3.4 % (+1.0 % to +5.9 %)". */
export function changeWithin(ratio: number, low: number, high: number): string {
  return `${change(ratio)} (${change(low)} to ${change(high)})`;
}

/** 2026-11-21, of seconds since 1970. */
export function date(t: number): string {
  return new Date(t * 1000).toISOString().slice(0, 10);
}

/** 2026-11-21 07:00 UTC. */
export function when(t: number): string {
  return `${new Date(t * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** "1 trial", "2 trials". */
export function count(n: number, singular: string, plural = `${singular}s`): string {
  return `${n.toLocaleString(LANGUAGE)} ${n === 1 ? singular : plural}`;
}

/** "a, b and c". */
export function listed(words: readonly string[]): string {
  if (words.length < 2) return words[0] ?? "";
  return `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}
