const assert = require("node:assert");
const { test } = require("node:test");
const { line } = require("../src/report.js");

test("a report has the median", () => {
  assert.strictEqual(line("speed", [3, 1, 2]), "speed: 2");
});
