const assert = require("node:assert");
const { test } = require("node:test");
const { settingsOf } = require("../src/settings.js");

test("a chosen setting wins", () => {
  assert.strictEqual(settingsOf({ size: 14 }).size, 14);
});

test("other settings have their defaults", () => {
  assert.strictEqual(settingsOf({ size: 14 }).theme, "light");
});

test("users do not share their settings", () => {
  settingsOf({ theme: "dark" });
  assert.strictEqual(settingsOf({}).theme, "light");
});
