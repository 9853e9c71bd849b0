// Marks of subjects: each has a colour, a shape and a dash, so that a reader need not rely on one of the three alone.
// The reports of sessions give a subject the same mark and the same shape (harness/plumbline/reporting/report/charts/marks.py).
// Shapes have a radius of 1 around 0, 0; an empty shape is a circle.

import { s } from "./dom";

export const COLOURS = 8;
/** From this mark on, shapes are hollow. */
const HOLLOW_FROM = 64;
export const SHAPES = [
  "",
  "M-.9-.9H.9V.9H-.9Z",
  "M0-1.15 1.1.85H-1.1Z",
  "M0-1.25 1.25 0 0 1.25-1.25 0Z",
  "M0 1.15 1.1-.85H-1.1Z",
  "M-.4-1.1H.4V-.4H1.1V.4H.4V1.1H-.4V.4H-1.1V-.4H-.4Z",
  "M-1.2-.55H1.2V.55H-1.2Z",
  "M-.55-1.2H.55V1.2H-.55Z",
] as const;
const DASHES: readonly (readonly number[])[] = [[], [8, 3], [2, 3], [9, 3, 2, 3]];

/** The class that sets the colour; the control (null) has its own. */
export function colourClass(mark: number | null): string {
  return mark === null ? "sc" : `s${mark % COLOURS}`;
}

/** The token of the colour. */
export function colourToken(mark: number | null): string {
  return mark === null ? "--cc" : `--c${mark % COLOURS}`;
}

/** The path of the shape; with more subjects than shapes, the second round of colours meets other shapes. */
export function shapeOf(mark: number | null): string {
  return mark === null ? "" : SHAPES[(mark + Math.floor(mark / COLOURS)) % SHAPES.length]!;
}

/** Whether only the edge of the shape is drawn. */
export function isHollow(mark: number | null): boolean {
  return mark === null || mark >= HOLLOW_FROM;
}

/** Dashes of a line, in px. */
export function dashOf(mark: number | null): readonly number[] {
  return mark === null ? [1, 3] : DASHES[mark % DASHES.length]!;
}

/** The class of the dashes of a line in a picture. */
export function dashClass(mark: number | null): string {
  return mark === null ? "dc" : `d${mark % DASHES.length}`;
}

/** A mark in a picture. */
export function markAt(mark: number | null, x: number, y: number, radius = 5): SVGElement {
  const shape = shapeOf(mark);
  const css = `${isHollow(mark) ? "hollow" : "dot"} ${colourClass(mark)}`;
  if (shape === "") return s("circle", { cx: x, cy: y, r: radius, class: css });
  return s("path", { d: shape, transform: `translate(${x} ${y}) scale(${radius})`, class: css });
}

/** The mark before a name. */
export function swatch(mark: number | null): SVGElement {
  return s("svg", { class: "swatch", viewBox: "0 0 16 16", "aria-hidden": "true" }, markAt(mark, 8, 8, 5.5));
}
