// Before anything is drawn: the theme that the reader chose, that there is a script at all, and, on the page of search,
// that the address asks for something, so that what stands there while nothing is asked is not drawn first.
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
})();
