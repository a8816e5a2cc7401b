"use strict";
const MOST_OPEN = 300; // findings that a browser lays out at once without delay
const form = document.getElementById("filters");
if (form) {
  const menus = ["severity", "plane", "status"].map((name) => [name, document.getElementById("filter-" + name)]);
  const typed = document.getElementById("filter-text");
  const path = document.getElementById("filter-file");
  const count = document.getElementById("count");
  const files = [...document.querySelectorAll(".file")].map((file) => ({
    file,
    name: file.querySelector("h3").textContent.toLowerCase(),
    findings: [...file.querySelectorAll(".finding")],
  }));
  const total = files.reduce((sum, entry) => sum + entry.findings.length, 0);
  const apply = () => {
    const words = typed.value.toLowerCase();
    const part = path.value.toLowerCase();
    const wanted = menus.filter(([, menu]) => menu.value).map(([name, menu]) => [name, menu.value]);
    let shown = 0;
    for (const { file, name, findings } of files) {
      let visible = 0;
      const isNamed = name.includes(part);
      for (const finding of findings) {
        const matches =
          isNamed &&
          wanted.every(([key, value]) => finding.dataset[key] === value) &&
          (!words || finding.textContent.toLowerCase().includes(words));
        if (finding.hidden === matches) finding.hidden = !matches;
        visible += matches ? 1 : 0;
      }
      file.hidden = visible === 0;
      shown += visible;
    }
    if (shown < total && shown <= MOST_OPEN) for (const { file } of files) file.open ||= !file.hidden;
    count.textContent = shown === total ? total + " findings" : shown + " of " + total + " findings";
  };
  form.hidden = false;
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
}
let opened = [];
window.addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details:not([open])")];
  for (const details of opened) details.open = true;
});
window.addEventListener("afterprint", () => {
  for (const details of opened) details.open = false;
});
