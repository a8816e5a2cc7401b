const assert = require("node:assert");
const { test } = require("node:test");
const { amounts } = require("../src/bill.js");

test("amounts are read", () => {
  assert.deepStrictEqual(amounts(["tea 2", "cake 3"]), [2, 3]);
});

test("a wrong line is an error that names it", () => {
  assert.throws(() => amounts(["tea 2", "cake three"]), /cake three/);
});
