const assert = require("node:assert");
const { test } = require("node:test");
const { line } = require("../src/report.js");

test("a report has the median", () => {
  assert.strictEqual(line("speed", [3, 1, 2]), "speed: 2");
});

test("a report without numbers says so", () => {
  assert.strictEqual(line("speed", []), "speed: no data");
});

test("a median of zero is a number", () => {
  assert.strictEqual(line("speed", [0, 0, 0]), "speed: 0");
});
