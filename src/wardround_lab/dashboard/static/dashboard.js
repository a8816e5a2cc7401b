// Addresses of the page: a link with a target fills a hidden text box instead of a new page, the address follows
// the open tab, and the back button opens what was open before.
(() => {
  "use strict";

  const fill = (target, value) => {
    const box = document.querySelector(`#${CSS.escape(target)} textarea, #${CSS.escape(target)} input`);
    if (!box) return false;
    box.value = value;
    box.dispatchEvent(new Event("input", { bubbles: true }));
    return true;
  };

  const tabs = () => [...document.querySelectorAll("#tabs > .tab-wrapper [role=tab], #tabs [role=tablist] > [role=tab]")];
  const nameOf = (tab) => tab.textContent.trim().toLowerCase().replaceAll(" ", "-");
  const addressed = () => new URLSearchParams(location.search).get("tab");

  document.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    const link = event.target.closest("a[data-wr-target]");
    if (link && fill(link.dataset.wrTarget, link.dataset.wrValue)) {
      event.preventDefault();
      history.pushState(null, "", link.getAttribute("href"));
      return;
    }
    const tab = event.target.closest("#tabs [role=tab]");
    if (tab && event.isTrusted && nameOf(tab) !== addressed()) {
      history.pushState(null, "", `?tab=${encodeURIComponent(nameOf(tab))}`);
    }
  });

  addEventListener("popstate", () => location.reload());

  // Arrow keys, Home and End between the tabs, as the ARIA pattern of tabs has them.
  document.addEventListener("keydown", (event) => {
    const tab = event.target.closest?.("#tabs [role=tab]");
    if (!tab) return;
    const all = tabs().filter((other) => other.offsetParent);
    const index = all.indexOf(tab);
    const next = {
      ArrowRight: (index + 1) % all.length, ArrowLeft: (index + all.length - 1) % all.length,
      Home: 0, End: all.length - 1,
    }[event.key];
    if (index < 0 || next === undefined) return;
    event.preventDefault();
    all[next].focus();
    all[next].click();
    history.pushState(null, "", `?tab=${encodeURIComponent(nameOf(all[next]))}`);
  });
})();
