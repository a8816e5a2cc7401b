// The addresses of the page: links and forms of a tab are shown without a new page, and the address follows the tab.
(() => {
  "use strict";

  const nameOf = (tab) => tab.dataset.tabId;
  const openTab = () => document.querySelector("#tabs [role=tab][aria-selected=true]");
  const tabOf = (search) => new URLSearchParams(search).get("tab") ?? nameOf(document.querySelector("#tabs [role=tab]"));
  const boxOf = (name) => document.querySelector(`#address-${CSS.escape(name)} :is(textarea, input)`);
  const latest = new Map();

  const show = (search) => {
    const box = boxOf(tabOf(search));
    if (!box || !openTab() || nameOf(openTab()) !== tabOf(search)) return false;
    box.value = search;
    box.dispatchEvent(new Event("input", { bubbles: true }));
    latest.set(tabOf(search), search);
    return true;
  };

  const follow = (event, search) => {
    if (!show(search)) return;
    event.preventDefault();
    history.pushState(null, "", search);
    scrollTo({ top: 0 });
  };

  const push = (tab) => {
    const search = latest.get(nameOf(tab)) ?? `?tab=${encodeURIComponent(nameOf(tab))}`;
    if (search !== location.search) history.pushState(null, "", search);
  };

  document.addEventListener("click", (event) => {
    if (!event.isTrusted || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    const link = event.target.closest('a[href^="?tab="]');
    const tab = event.target.closest("#tabs [role=tab]");
    if (link) follow(event, link.getAttribute("href"));
    else if (tab) push(tab);
  });

  document.addEventListener("submit", (event) => {
    const form = event.target.closest("form.wr-form");
    if (!form) return;
    const filled = [...new FormData(form)].filter(([, value]) => value !== "");
    follow(event, `?${new URLSearchParams(filled)}`);
  });

  document.addEventListener("change", (event) => {
    if (event.target.matches("form.wr-form select")) event.target.form.requestSubmit();
  });

  addEventListener("popstate", () => {
    if (!show(location.search)) location.reload();
  });

  // Arrow keys, Home and End between the tabs, as the ARIA pattern of tabs has them.
  document.addEventListener("keydown", (event) => {
    const tab = event.target.closest?.("#tabs [role=tab]");
    if (!tab) return;
    const tabs = [...document.querySelectorAll("#tabs [role=tab]")].filter((other) => other.offsetParent);
    const index = tabs.indexOf(tab);
    const last = tabs.length - 1;
    const next = { ArrowRight: index < last ? index + 1 : 0, ArrowLeft: index > 0 ? index - 1 : last, Home: 0, End: last };
    if (!(event.key in next)) return;
    event.preventDefault();
    tabs[next[event.key]].focus();
    tabs[next[event.key]].click();
    push(tabs[next[event.key]]);
  });

  latest.set(new URLSearchParams(location.search).get("tab"), location.search);
})();

// Keys of buttons: a key without a modifier presses the visible button of its class, except in a field.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.key.length !== 1) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  const buttons = document.querySelectorAll(`button.wr-key-${event.key.charCodeAt(0)}`);
  const button = [...buttons].find((found) => found.offsetParent && !found.disabled);
  if (!button) return;
  event.preventDefault();
  button.click();
});
