"use strict";
const form = document.getElementById("filters");
if (form) {
  const menus = ["severity", "plane", "status"].map((name) => [name, document.getElementById("filter-" + name)]);
  const typed = document.getElementById("filter-text");
  const count = document.getElementById("count");
  const files = [...document.querySelectorAll(".file")].map((file) => ({
    file,
    name: file.querySelector("h3").textContent.toLowerCase(),
    findings: [...file.querySelectorAll(".finding")],
  }));
  const total = files.reduce((sum, entry) => sum + entry.findings.length, 0);
  const apply = () => {
    const words = typed.value.toLowerCase();
    const wanted = menus.filter(([, menu]) => menu.value).map(([name, menu]) => [name, menu.value]);
    let shown = 0;
    for (const { file, name, findings } of files) {
      let visible = 0;
      for (const finding of findings) {
        const matches =
          wanted.every(([key, value]) => finding.dataset[key] === value) &&
          (!words || name.includes(words) || finding.textContent.toLowerCase().includes(words));
        finding.hidden = !matches;
        visible += matches ? 1 : 0;
      }
      file.hidden = visible === 0;
      shown += visible;
    }
    count.textContent = shown === total ? total + " findings" : shown + " of " + total + " findings";
  };
  form.hidden = false;
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
}
