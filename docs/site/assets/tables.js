// Filters of a table in <div class="filtered">: a search field, and a list for each column after the second that has a
// few values.
// The choice is part of the address, so that a filtered list can be linked.
(() => {
  const FIRST_FACT = 2;
  const MOST_CHOICES = 12;

  const distinct = (values) => [...new Set(values)].sort();

  function field(label, control) {
    const element = document.createElement("label");
    element.append(label, control);
    return element;
  }

  function list(name, values) {
    const select = document.createElement("select");
    select.name = name;
    select.append(new Option("any", ""), ...values.map((value) => new Option(value, value)));
    return select;
  }

  function addFilters(container) {
    const table = container.querySelector("table");
    if (!table || container.querySelector("form")) return;
    const names = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
    const rows = [...table.tBodies[0].rows].map((row) => ({
      row,
      texts: [...row.cells].map((cell) => cell.textContent.trim()),
      words: row.textContent.toLowerCase(),
    }));
    const form = document.createElement("form");
    const search = document.createElement("input");
    search.type = "search";
    search.name = "words";
    search.placeholder = "id, name or words";
    const count = document.createElement("output");
    count.setAttribute("aria-live", "polite");
    const facts = names.slice(FIRST_FACT).map((name, index) => {
      const column = index + FIRST_FACT;
      const values = distinct(rows.map(({ texts }) => texts[column]));
      const isChoice = values.length > 1 && values.length <= MOST_CHOICES && values.every(Boolean);
      return { column, isChoice, select: list(name, values) };
    });
    form.append(field("search", search));
    for (const { isChoice, select } of facts) {
      if (isChoice) form.append(field(select.name, select));
    }
    form.append(count);

    function apply() {
      const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const { row, texts, words } of rows) {
        const visible =
          wanted.every((word) => words.includes(word)) &&
          facts.every(({ column, select }) => !select.value || select.value === texts[column]);
        row.hidden = !visible;
        shown += Number(visible);
      }
      count.textContent = `${shown} of ${rows.length}`;
    }

    function remember() {
      const chosen = [...new FormData(form)].filter(([, value]) => value);
      const query = new URLSearchParams(chosen).toString();
      history.replaceState(history.state, "", query ? `?${query}` : location.pathname);
    }

    for (const [name, value] of new URLSearchParams(location.search)) {
      const control = form.elements.namedItem(name);
      if (control) control.value = value;
    }
    form.addEventListener("input", () => {
      apply();
      remember();
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    container.prepend(form);
    apply();
  }

  document.querySelectorAll(".filtered").forEach(addFilters);
})();
