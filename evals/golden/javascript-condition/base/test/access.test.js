const assert = require("node:assert");
const { test } = require("node:test");
const { mayEdit } = require("../src/access.js");

const editor = { name: "ada", roles: ["Editor"] };
const reader = { name: "bob", roles: [] };

test("an editor may edit", () => {
  assert.strictEqual(mayEdit({ author: "eve", locked: false }, editor), true);
});

test("an author may edit", () => {
  assert.strictEqual(mayEdit({ author: "bob", locked: false }, reader), true);
});
