// When the first view stands on the screen.

/** Resolves after the first paint: what a reader has yet to scroll to is asked for then, and delays nothing before it. */
export function painted(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}
