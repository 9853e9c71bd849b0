// Before anything is drawn: the theme that the reader chose, that there is a script at all, that the address of the page
// of search asks for something, so that what stands there while nothing is asked is not drawn first, and the folds around
// the place that the address names, so that nothing moves when they open.
(function () {
  var root = document.documentElement;
  root.classList.add("with-script");
  if (/[?&]q=[^&]/.test(location.search)) root.classList.add("asked");
  try {
    var chosen = localStorage.getItem("plumbline-theme");
    if (chosen === "light" || chosen === "dark") root.setAttribute("data-theme", chosen);
  } catch (refused) {
    // A browser that keeps nothing follows the system.
  }
  var named = location.hash.slice(1);
  if (!named) return;
  // Called for what the parser has added, before the browser draws it.
  var watch = new MutationObserver(function () {
    var place = document.getElementById(named);
    if (!place) return;
    watch.disconnect();
    for (var fold = place.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  });
  watch.observe(root, { childList: true, subtree: true });
  addEventListener("load", function () {
    watch.disconnect();
  });
})();
