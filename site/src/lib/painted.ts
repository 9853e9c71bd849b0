// When the first view stands on the screen.

const FIRST = "first-contentful-paint";
const AT_MOST_MS = 250;

/** Resolves after the first paint: what a reader has yet to scroll to is asked for then, and delays nothing before it. */
export function painted(): Promise<void> {
  return new Promise((resolve) => {
    new PerformanceObserver((list, observer) => {
      if (list.getEntriesByName(FIRST).length === 0) return;
      observer.disconnect();
      resolve();
    }).observe({ type: "paint", buffered: true });
    // A browser that keeps its times to itself paints all the same.
    requestAnimationFrame(() => setTimeout(resolve, AT_MOST_MS));
  });
}
