// Draws everything on a trend besides its lines: marks, change points, versions, environments, refusals.

import type uPlot from "uplot";
import { colourToken, isHollow, shapeOf } from "../lib/marks";
import type { Happening } from "./events";
import type { Joined, Line } from "./join";

/** Marks on every point need this much room; nearer to each other, the marks would run together. */
const MARK_EVERY_PX = 9;
const LABEL_EVERY_PX = 92;

export type Colours = (token: string) => string;

/** The colours of the theme; each is read once until `forget`. */
export function colours(): { of: Colours; forget: () => void } {
  const values = new Map<string, string>();
  return {
    of(token) {
      let value = values.get(token);
      if (value === undefined) {
        value = getComputedStyle(document.documentElement).getPropertyValue(token).trim() || "#888";
        values.set(token, value);
      }
      return value;
    },
    forget: () => values.clear(),
  };
}

const shapes = new Map<string, Path2D>();
function shape(path: string): Path2D {
  let outline = shapes.get(path);
  if (outline === undefined) {
    outline = path === "" ? new Path2D() : new Path2D(path);
    if (path === "") outline.arc(0, 0, 1, 0, 7);
    shapes.set(path, outline);
  }
  return outline;
}

/**
 * Bands of intervals: the hull of all intervals in a column of pixels, one polygon for each unbroken piece. Denser points
 * than pixels would cost time and show nothing more.
 */
export function bands(u: uPlot, lines: readonly Line[], joined: Joined, colourOf: Colours): void {
  const { ctx, bbox } = u;
  const { min, max } = u.scales["x"]!;
  const from = Math.max(0, u.valToIdx(min!) - 1);
  const to = Math.min(joined.x.length - 1, u.valToIdx(max!) + 1);
  const x = linear(u, "x");
  const y = linear(u, "y");
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  lines.forEach((line, number) => {
    const [, low, high] = joined.columns[number]!;
    // Tokens are #rrggbb; two more digits set the opacity.
    ctx.fillStyle = `${colourOf(colourToken(line.mark))}${lines.length > 3 ? "24" : "33"}`;
    const columns: [number, number, number][] = [];
    for (let index = from; index <= to; index += 1) {
      const [bottom, top] = [low[index], high[index]];
      if (bottom === null || top === null) fillPiece(ctx, columns);
      if (bottom == null || top == null) continue;
      const column = Math.round(x(joined.x[index]!));
      const last = columns[columns.length - 1];
      if (last !== undefined && last[0] === column) {
        last[1] = Math.max(last[1], y(bottom));
        last[2] = Math.min(last[2], y(top));
      } else columns.push([column, y(bottom), y(top)]);
    }
    fillPiece(ctx, columns);
  });
  ctx.restore();
}

/** The width of the band of a point without a neighbour. */
const LONE_PX = 8;

/** Fills the polygon of a piece, and empties the piece. */
function fillPiece(ctx: CanvasRenderingContext2D, columns: [number, number, number][]): void {
  if (columns.length === 1) {
    const [x, bottom, top] = columns[0]!;
    const width = LONE_PX * devicePixelRatio;
    ctx.fillRect(x - width / 2, top, width, bottom - top);
  }
  if (columns.length > 1) {
    ctx.beginPath();
    for (const [x, , top] of columns) ctx.lineTo(x, top);
    for (let index = columns.length - 1; index >= 0; index -= 1) ctx.lineTo(columns[index]![0], columns[index]![1]);
    ctx.fill();
  }
  columns.length = 0;
}

/** The function from values to pixels of the canvas, computed once for each drawing. */
function linear(u: uPlot, scale: "x" | "y"): (value: number) => number {
  const { min, max } = u.scales[scale]!;
  const [start, end] = [u.valToPos(min!, scale, true), u.valToPos(max!, scale, true)];
  return (value) => start + ((value - min!) / (max! - min! || 1)) * (end - start);
}

/** Draws the vertical lines of versions and environments, below the data. */
export function ground(u: uPlot, events: readonly Happening[], colourOf: Colours): void {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio;
  ctx.save();
  let lastLabel = -Infinity;
  for (const event of [...events].reverse()) {
    if (event.kind !== "label" && event.kind !== "environment") continue;
    if (event.t < u.scales["x"]!.min! || event.t > u.scales["x"]!.max!) continue;
    const x = Math.round(u.valToPos(event.t, "x", true));
    ctx.strokeStyle = colourOf(event.kind === "environment" ? "--zero" : "--rule");
    ctx.lineWidth = (event.kind === "environment" ? 1.5 : 1) * ratio;
    ctx.setLineDash(event.kind === "environment" ? [] : [4 * ratio, 4 * ratio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    if (x - lastLabel < LABEL_EVERY_PX * ratio) continue;
    lastLabel = x;
    ctx.fillStyle = colourOf("--soft");
    ctx.font = `${11 * ratio}px system-ui, sans-serif`;
    ctx.textAlign = "left";
    ctx.fillText(shortened(event.label), x + 4 * ratio, bbox.top + 11 * ratio);
  }
  ctx.restore();
}

function shortened(text: string): string {
  return text.length > 16 ? `${text.slice(0, 15)}…` : text;
}

/** Draws the marks, the triangles of change points above the data, and the crosses of refusals. */
export function marks(u: uPlot, lines: readonly Line[], joined: Joined, events: readonly Happening[], colourOf: Colours): void {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio;
  const { min, max } = u.scales["x"]!;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left - 6 * ratio, bbox.top - 14 * ratio, bbox.width + 12 * ratio, bbox.height + 18 * ratio);
  ctx.clip();
  const [from, to] = [u.valToIdx(min!), u.valToIdx(max!)];
  const room = bbox.width / ratio / MARK_EVERY_PX;
  lines.forEach((line, number) => {
    const middle = joined.columns[number]![0];
    const withValue: number[] = [];
    for (let index = from; index <= to && withValue.length <= room; index += 1) if (middle[index] != null) withValue.push(index);
    const marked = withValue.length <= room ? withValue : [lastPoint(middle, to)];
    ctx.fillStyle = colourOf(colourToken(line.mark));
    for (const index of marked) {
      const value = index === undefined ? null : middle[index];
      if (value != null) stamp(u, line.mark, joined.x[index!]!, value, 3.6);
    }
  });
  for (const event of events) {
    if (event.t < min! || event.t > max!) continue;
    const x = u.valToPos(event.t, "x", true);
    if (event.kind === "change") triangle(ctx, x, bbox.top - 3 * ratio, event, colourOf, ratio);
    if (event.kind === "refused") cross(ctx, x, bbox.top + bbox.height - 6 * ratio, colourOf, ratio);
  }
  ctx.restore();
}

function lastPoint(column: readonly (number | null | undefined)[], to: number): number | undefined {
  for (let index = to; index >= 0; index -= 1) if (column[index] != null) return index;
  return undefined;
}

/** The width of the edge of a hollow mark, in radii. */
const HOLLOW_WIDTH = 0.45;

function stamp(u: uPlot, mark: number | null, t: number, value: number, radius: number): void {
  const { ctx } = u;
  const size = radius * devicePixelRatio;
  ctx.save();
  ctx.translate(u.valToPos(t, "x", true), u.valToPos(value, "y", true));
  ctx.scale(size, size);
  const path = shape(shapeOf(mark));
  if (isHollow(mark)) {
    ctx.strokeStyle = ctx.fillStyle;
    ctx.lineWidth = HOLLOW_WIDTH;
    ctx.stroke(path);
  } else ctx.fill(path);
  ctx.restore();
}

function triangle(ctx: CanvasRenderingContext2D, x: number, y: number, event: Happening, colourOf: Colours, ratio: number): void {
  ctx.fillStyle = colourOf(event.tone === "worse" ? "--bad" : event.tone === "better" ? "--good" : "--soft");
  const size = 5.5 * ratio;
  const direction = event.tone === "better" ? -1 : 1;
  const tip = direction === 1 ? y : y - size * 1.6;
  ctx.beginPath();
  ctx.moveTo(x, tip);
  ctx.lineTo(x - size, tip - direction * size * 1.6);
  ctx.lineTo(x + size, tip - direction * size * 1.6);
  ctx.fill();
  ctx.strokeStyle = ctx.fillStyle;
  ctx.lineWidth = ratio;
  ctx.globalAlpha = 0.5;
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(x, y + 14 * ratio);
  ctx.stroke();
  ctx.globalAlpha = 1;
}

function cross(ctx: CanvasRenderingContext2D, x: number, y: number, colourOf: Colours, ratio: number): void {
  ctx.strokeStyle = colourOf("--zero");
  ctx.lineWidth = 1.5 * ratio;
  const size = 3.5 * ratio;
  ctx.beginPath();
  ctx.moveTo(x - size, y - size);
  ctx.lineTo(x + size, y + size);
  ctx.moveTo(x + size, y - size);
  ctx.lineTo(x - size, y + size);
  ctx.stroke();
}
