// The chart of trends. The page loads this file when it needs the chart; uPlot draws axes and lines, paint.ts the rest.

import uPlot from "uplot";
import { decimals, number } from "../lib/numbers";
import { colourToken, dashOf } from "../lib/marks";
import { honestRange } from "../lib/scale";
import type { Happening } from "./events";
import { forAxis, nearest, type Joined, type Line } from "./join";
import { bands, colours, ground, marks } from "./paint";

export interface Shown {
  lines: readonly Line[];
  joined: Joined;
  events: readonly Happening[];
  fromZero: boolean;
  minRange: number;
}

export interface Told {
  /** The reader looks at this time (null: at none). */
  cursor(t: number | null): void;
  /** The reader opens the run of this time. */
  open(t: number): void;
  /** The shown range of time after a zoom or a pan. */
  range(from: number, to: number): void;
}

const PAN = 0.2;
const ZOOM = 0.6;

/** A chart within `place`, drawn at once. */
export class Plot {
  private readonly paint = colours();
  private readonly u: uPlot;
  private readonly resized: ResizeObserver;
  private readonly themed = (): void => {
    this.paint.forget();
    this.u.redraw(false);
  };
  private at = -1;

  constructor(
    private readonly place: HTMLElement,
    private readonly what: Shown,
    private readonly told: Told,
    range: [number, number] | null,
  ) {
    this.u = new uPlot(this.options(range), this.data(), place);
    this.resized = new ResizeObserver(() => this.u.setSize(this.size()));
    this.resized.observe(place);
    addEventListener("plumbline-theme", this.themed);
    place.addEventListener("keydown", this.key);
    place.addEventListener("dblclick", this.all);
    this.u.over.addEventListener("click", this.click);
  }

  /** Shows everything that was loaded. */
  readonly all = (): void => this.see(...this.extent());

  /** Zooms in (less than 1) or out. */
  zoom(factor: number): void {
    const [from, to] = this.seen();
    const middle = this.at >= 0 ? Math.min(Math.max(this.what.joined.x[this.at]!, from), to) : (from + to) / 2;
    this.see(middle - (middle - from) * factor, middle + (to - middle) * factor);
  }

  /** Moves the shown range by a share of its width, to the left (negative) or to the right. */
  pan(share: number): void {
    const [from, to] = this.seen();
    const [first, last] = this.extent();
    const shift = Math.min(Math.max((to - from) * share, first - from), last - to);
    this.see(from + shift, to + shift);
  }

  /** Shows a range of time, within the times of the loaded data. */
  see(from: number, to: number): void {
    const [first, last] = this.extent();
    const leastSpan = Math.min(86_400, last - first);
    const span = Math.max(to - from, leastSpan);
    const min = Math.max(first, Math.min(from, last - leastSpan));
    this.u.setScale("x", { min, max: Math.min(last, Math.max(min + span, min + leastSpan)) });
  }

  seen(): [number, number] {
    return [this.u.scales["x"]!.min!, this.u.scales["x"]!.max!];
  }

  destroy(): void {
    removeEventListener("plumbline-theme", this.themed);
    this.place.removeEventListener("keydown", this.key);
    this.place.removeEventListener("dblclick", this.all);
    this.resized.disconnect();
    this.u.destroy();
  }

  /** First and last time, with air of a fiftieth so that marks at the edge are whole. */
  private extent(): [number, number] {
    const { x } = this.what.joined;
    const [first, last] = [x[0] ?? 0, x[x.length - 1] ?? 1];
    const air = Math.max((last - first) / 50, 3600);
    return [first - air, last + air];
  }

  private size(): { width: number; height: number } {
    const width = Math.max(240, this.place.clientWidth);
    return { width, height: width < 560 ? 280 : 380 };
  }

  private data(): uPlot.AlignedData {
    return [this.what.joined.x, ...forAxis(this.what.joined.columns).flat()] as uPlot.AlignedData;
  }

  private options(range: [number, number] | null): uPlot.Options {
    const { lines, minRange, fromZero, events, joined } = this.what;
    const colourOf = this.paint.of;
    const [from, to] = range ?? this.extent();
    const hidden = { show: false };
    // Low and high set the axis: the middle lies between them, and uPlot need not search it in every frame. paint.ts fills
    // the band between low and high.
    const invisible: uPlot.Series = { paths: () => null, points: hidden };
    const axis = { stroke: () => colourOf("--soft"), grid: { stroke: () => colourOf("--grid"), width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif" };
    return {
      ...this.size(),
      // On the right there is room for half of a date below the last line of the grid.
      padding: [22, 40, 0, 0],
      legend: hidden,
      cursor: { drag: { x: true, y: false, setScale: true }, points: { size: 9 }, y: false },
      scales: {
        x: { time: true, min: from, max: to },
        y: {
          range: (_, low, high) => honestRange(low, high, minRange, fromZero),
        },
      },
      tzDate: (t) => uPlot.tzDate(new Date(t * 1000), "Etc/UTC"),
      axes: [
        { ...axis, space: 74, values: (_u, ticks, _axis, _space, step) => ticks.map((tick, index) => dateText(tick, step, index === 0)) },
        { ...axis, size: 58, values: (_, ticks) => ticks.map((tick) => label(tick, ticks)) },
      ],
      series: [
        {},
        ...lines.flatMap((line): uPlot.Series[] => [
          { stroke: () => colourOf(colourToken(line.mark)), width: 1.8, dash: [...dashOf(line.mark)], points: hidden, auto: false },
          invisible,
          invisible,
        ]),
      ],
      hooks: {
        drawAxes: [
          (u) => {
            ground(u, events, colourOf);
            bands(u, lines, joined, colourOf);
          },
        ],
        draw: [(u) => marks(u, lines, joined, events, colourOf)],
        setCursor: [(u) => this.moved(u.cursor.idx ?? null)],
        setScale: [(u, name) => name === "x" && this.told.range(u.scales["x"]!.min!, u.scales["x"]!.max!)],
      },
    };
  }

  private moved(index: number | null): void {
    if (index === null) return;
    const { x, pauses } = this.what.joined;
    this.at = pauses.has(x[index]!) ? index - 1 : index;
    this.told.cursor(x[this.at] ?? null);
  }

  /** Goes to the next row where a line has a point. */
  private step(direction: 1 | -1): void {
    const { x, columns } = this.what.joined;
    let next = this.at < 0 ? (direction > 0 ? nearest(x, this.seen()[0]) : nearest(x, this.seen()[1])) : this.at + direction;
    while (next >= 0 && next < x.length && columns.every(([middle]) => middle[next] == null)) next += direction;
    if (next >= 0 && next < x.length) this.look(next);
  }

  private look(index: number): void {
    const t = this.what.joined.x[index]!;
    const [from, to] = this.seen();
    // At once, since a place on the screen is asked next, and the cursor stays on it when the scale follows later.
    if (t < from || t > to) this.u.batch(() => this.see(t - (to - from) / 2, t + (to - from) / 2));
    this.at = index;
    const value = this.what.joined.columns.map(([middle]) => middle[index]).find((candidate) => candidate != null) ?? 0;
    this.u.setCursor({ left: this.u.valToPos(t, "x"), top: this.u.valToPos(value, "y") }, false);
    this.told.cursor(t);
  }

  private readonly click = (): void => {
    if (this.at >= 0 && this.u.select.width < 3) this.told.cursor(this.what.joined.x[this.at] ?? null);
  };

  private readonly key = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const actions: Record<string, () => void> = {
      ArrowLeft: () => (event.shiftKey ? this.pan(-PAN) : this.step(-1)),
      ArrowRight: () => (event.shiftKey ? this.pan(PAN) : this.step(1)),
      "+": () => this.zoom(ZOOM),
      "=": () => this.zoom(ZOOM),
      "-": () => this.zoom(1 / ZOOM),
      "0": this.all,
      Home: () => this.look(0),
      End: () => this.look(this.what.joined.x.length - 1),
      Enter: () => this.at >= 0 && this.told.open(this.what.joined.x[this.at]!),
    };
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  };
}

/** A date in the form of all pages, as precise as the step of the axis needs; below the first time of a day stands its date. */
function dateText(t: number, step: number, first: boolean): string {
  const text = new Date(t * 1000).toISOString();
  if (step >= 360 * 86_400) return text.slice(0, 4);
  if (step >= 28 * 86_400) return text.slice(0, 7);
  if (step >= 86_400) return text.slice(0, 10);
  const time = text.slice(11, 16);
  return first || time === "00:00" ? `${time}\n${text.slice(0, 10)}` : time;
}

function label(tick: number, ticks: readonly number[]): string {
  const step = Math.abs((ticks[1] ?? tick) - (ticks[0] ?? 0));
  const places = step > 0 && step < 1 ? Math.min(6, Math.ceil(-Math.log10(step) - 1e-9)) : 0;
  return Math.abs(tick) >= 1e7 ? number(tick) : decimals(tick, places);
}
