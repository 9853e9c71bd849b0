// Numbers, ratios and times as people read them. Times are UTC: a benchmark has no local time.

const LANGUAGE = "en-US";
// To make a formatter takes longer than to use it a hundred times.
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

/** So many decimal places, thousands separated. */
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

/** 1.034 -> "+3.4 %"; 0.9 -> "−10 %". */
export function change(ratio: number): string {
  const percent = (ratio - 1) * 100;
  const digits = Math.abs(percent) < 9.95 ? 1 : 0;
  const text = Math.abs(percent).toFixed(digits);
  if (Number(text) === 0) return `0.0 %`;
  return `${percent < 0 ? "−" : "+"}${text} %`;
}

/** "+3.4 % (+1.0 % to +5.9 %)". */
export function changeWithin(ratio: number, low: number, high: number): string {
  return `${change(ratio)} (${change(low)} to ${change(high)})`;
}

/** 1.234 -> "1.23×". */
export function times(ratio: number): string {
  return `${ratio.toFixed(2)}×`;
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
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString(LANGUAGE)} ${n === 1 ? one : many}`;
}

/** "a, b and c". */
export function listed(words: readonly string[]): string {
  if (words.length < 2) return words[0] ?? "";
  return `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}
