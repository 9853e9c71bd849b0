// Folds: a link to something inside of one opens it, and on paper all are open. public/assets/before.js opens those of the
// first address, before anything is drawn.

function openAll(): void {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
}

/** Opens the folds around the place that a followed address names, and shows that place. */
function unfold(): void {
  const place = document.getElementById(location.hash.slice(1));
  for (let fold = place?.closest("details"); fold; fold = fold.parentElement?.closest("details")) fold.open = true;
  place?.scrollIntoView();
}

/** Listens for addresses, for the button that opens everything, and for printing. */
export function folding(): void {
  addEventListener("hashchange", unfold);
  addEventListener("beforeprint", openAll);
  document.getElementById("open-all")?.addEventListener("click", openAll);
}
