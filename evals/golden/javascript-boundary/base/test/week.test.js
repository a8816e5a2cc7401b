const assert = require("node:assert");
const { test } = require("node:test");
const { week } = require("../src/week.js");

test("a week has seven days", () => {
  assert.strictEqual(week(1, 31).length, 7);
});
