// Line charts that are drawn once: latency by percentile, warm-up, timelines. Each is a picture with a text; the table stands
// beside the picture.

import { h, s, type Child } from "./dom";
import { colourClass, dashClass, markAt, swatch } from "./marks";
import { niceStep } from "./scale";

export type Point = readonly [number, number];

export interface Curve {
  label: string;
  mark: number | null;
  pieces: readonly (readonly Point[])[];
}

export interface Ground {
  label: string;
  kind: string;
  from: number;
  to: number;
}

export interface CurvesOptions {
  label: string;
  xTicks: readonly (readonly [number, string])[];
  x: readonly [number, number];
  symbol: string;
  logarithmic?: boolean;
  ground?: readonly Ground[];
  height?: number;
  marks?: boolean;
}

const WIDE = { width: 640, scale: 1, seconds: 8 };
/** A phone would shrink a drawing of the full width until nobody could read its axes. */
const NARROW = { width: 340, scale: 0.8, seconds: 5 };
const NARROW_SCREEN = "(max-width: 40rem)";
const room = (): typeof WIDE => (matchMedia(NARROW_SCREEN).matches ? NARROW : WIDE);
const LEFT = 58;
const RIGHT = 12;
const TOP = 20;
const BOTTOM = 24;

/** Ticks of a logarithmic axis: 1, 2 and 5 times each power of ten, or the powers alone when these ticks are too many. */
export function logTicks(low: number, high: number): number[] {
  const ticks: number[] = [];
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const factors = last - first > 3 ? [1] : [1, 2, 5];
  for (let power = first; power <= last; power += 1)
    for (const factor of factors) {
      const tick = factor * 10 ** power;
      if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(tick);
    }
  return ticks;
}

function text(value: number): string {
  return value >= 1000 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(6)));
}

/** The chart as a picture. Values of a logarithmic axis have to be above zero. */
export function curves(lines: readonly Curve[], options: CurvesOptions): SVGElement {
  const { width, scale } = room();
  const height = (options.height ?? 260) * scale;
  const values = lines.flatMap((line) => line.pieces.flat()).map((point) => point[1]);
  const log = options.logarithmic === true && values.every((value) => value > 0) && values.length > 0;
  const top = Math.max(...values, log ? 0 : 1e-9) * (log ? 1.15 : 1.05);
  const bottom = log ? Math.min(...values) / 1.15 : 0;
  const [from, to] = options.x;
  const x = (value: number): number => LEFT + ((value - from) / (to - from || 1)) * (width - LEFT - RIGHT);
  const share = (value: number): number => (log ? Math.log(value / bottom) / Math.log(top / bottom) : (value - bottom) / (top - bottom || 1));
  const y = (value: number): number => height - BOTTOM - share(value) * (height - TOP - BOTTOM);
  const n = (value: number): string => value.toFixed(1);
  const step = niceStep(top - bottom, 4);
  const ticks = log ? logTicks(bottom, top) : Array.from({ length: Math.floor(top / step) + 1 }, (_, index) => index * step);
  return s(
    "svg",
    { class: "lines", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": options.label },
    (options.ground ?? []).map((band) =>
      s("rect", { class: `phase ${band.kind}`, x: n(x(Math.max(band.from, from))), y: TOP, width: n(Math.max(0, x(Math.min(band.to, to)) - x(Math.max(band.from, from)))), height: height - TOP - BOTTOM }),
    ),
    (options.ground ?? []).map((band) => x(band.to) - x(band.from) > 7 * band.label.length && s("text", { x: n((x(band.from) + x(band.to)) / 2), y: TOP + 13, class: "at-middle" }, band.label)),
    ticks.map((tick): Child => [
      s("line", { class: tick === 0 ? "zero" : "grid", x1: LEFT, x2: width - RIGHT, y1: n(y(tick)), y2: n(y(tick)) }),
      s("text", { x: LEFT - 7, y: n(y(tick) + 4), class: "at-end" }, text(tick)),
    ]),
    options.xTicks.map(([value, label], index) =>
      s("text", { x: n(x(value)), y: height - 7, class: index === options.xTicks.length - 1 && x(value) > width - 40 ? "at-end" : "at-middle" }, label),
    ),
    s("text", { x: 4, y: 11 }, options.symbol),
    lines.map((line): Child => [
      line.pieces.map((piece) => s("path", { class: `curve ${colourClass(line.mark)} ${dashClass(line.mark)}`, d: piece.map(([px, py], index) => `${index ? "L" : "M"}${n(x(px))} ${n(y(py))}`).join("") })),
      options.marks !== false && line.pieces.flat().filter((_, index, all) => index % Math.max(1, Math.floor(all.length / 6)) === 0 || index === all.length - 1).map(([px, py]) => markAt(line.mark, Number(n(x(px))), Number(n(y(py))), 3.6)),
    ]),
  );
}

/** The names of the lines beside their marks. */
export function legend(lines: readonly Curve[]): HTMLElement {
  return h("ul", { class: "legend" }, lines.map((line) => h("li", {}, swatch(line.mark), ` ${line.label}`)));
}

/** Round ticks of seconds. */
export function secondTicks(from: number, to: number): [number, string][] {
  const step = niceStep(to - from, room().seconds);
  const ticks: [number, string][] = [];
  for (let tick = Math.ceil(from / step) * step; tick <= to; tick += step) ticks.push([tick, `${text(tick)} s`]);
  return ticks;
}
