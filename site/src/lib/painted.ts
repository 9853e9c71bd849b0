// Waits until the first view is on the screen.

const FIRST = "first-contentful-paint";
const AT_MOST_MS = 250;

/** Resolves after the first paint: content below the first view is requested only then, and does not delay the first view. */
export function painted(): Promise<void> {
  return new Promise((resolve) => {
    new PerformanceObserver((list, observer) => {
      if (list.getEntriesByName(FIRST).length === 0) return;
      observer.disconnect();
      resolve();
    }).observe({ type: "paint", buffered: true });
    // A browser that does not report its paint times also paints.
    requestAnimationFrame(() => setTimeout(resolve, AT_MOST_MS));
  });
}
