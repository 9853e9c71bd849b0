// Axes: round steps, and no axis that makes noise look like news.

/** A step of 1, 2 or 5 times a power of ten that cuts `span` into at most `most` parts. */
export function niceStep(span: number, most: number): number {
  if (!(span > 0)) return 1;
  const rough = span / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  for (const factor of [1, 2, 5, 10]) if (factor * power >= rough * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

/**
 * The y axis of a trend covers `low` to `high`, and at least `leastShare` of their middle, so that noise of a percent
 * looks like noise of a percent; from zero with `fromZero`. A tenth of air above and below.
 */
export function honestRange(low: number, high: number, leastShare: number, fromZero: boolean): [number, number] {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  if (fromZero) return [0, high > 0 ? high * 1.08 : 1];
  const middle = (low + high) / 2;
  const half = Math.max((high - low) / 2, (Math.abs(middle) * leastShare) / 2, Number.MIN_VALUE * 1e6);
  const bottom = middle - half * 1.1;
  return [low >= 0 ? Math.max(0, bottom) : bottom, middle + half * 1.1];
}
