// Folds: a link to a place inside a fold opens the fold, and on paper all folds are open. public/assets/before.js opens the
// folds of the first address, before the browser draws anything.

function openAll(): void {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
}

/** Opens the folds around the place that the new address names, and scrolls to that place. */
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
