// Before anything is drawn: the theme that the reader chose, and that there is a script at all.
(function () {
  var root = document.documentElement;
  root.classList.add("with-script");
  try {
    var chosen = localStorage.getItem("plumbline-theme");
    if (chosen === "light" || chosen === "dark") root.setAttribute("data-theme", chosen);
  } catch (refused) {
    // A browser that keeps nothing follows the system.
  }
})();
