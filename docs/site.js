// What the theme leaves out for a keyboard and for a screen reader. It wraps tables after the page has loaded.
function mend() {
  for (const wrap of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) {
    wrap.tabIndex = 0;
  }
  document.querySelector(".md-search[role=dialog]:not([aria-label])")?.setAttribute("aria-label", "Search");
}
new MutationObserver(mend).observe(document.body, { childList: true, subtree: true });
mend();
