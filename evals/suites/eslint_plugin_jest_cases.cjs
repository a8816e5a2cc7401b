// Prints the cases of eslint-plugin-jest's rule tests, one JSON object a line, without running a rule:
//     node eslint_plugin_jest_cases.cjs CLONE MODULES
// MODULES is a folder into which `npm install esbuild dedent` was done.
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

const [clone, modules] = process.argv.slice(2);
const fromModules = require("node:module").createRequire(path.resolve(modules, "x.js"));
const esbuild = fromModules("esbuild");
const tests = path.join(clone, "src", "rules", "__tests__");

// Whatever a test imports besides its texts answers anything and means nothing.
const anything = new Proxy(function () {}, {
  get: (_, key) => (key === Symbol.toPrimitive ? () => "anything" : key === Symbol.iterator ? undefined : anything),
  apply: () => anything,
  construct: () => anything,
});

function textsOnly(rule, seen) {
  class RuleTester {
    constructor(config) {
      this.config = config ?? {};
    }
    run(_name, _rule, cases) {
      for (const kind of ["valid", "invalid"]) {
        for (const one of cases[kind]) seen.push({ rule, kind, config: this.config, test: one });
      }
    }
  }
  return (name) => {
    if (name === "dedent") return fromModules("dedent");
    if (name.endsWith("/test-utils")) {
      return { FlatCompatRuleTester: RuleTester, espreeParser: "espree", usingFlatConfig: false };
    }
    if (name === "path" || name === "node:path") return path;
    if (name === "@typescript-eslint/utils") {
      return { TSESLint: { RuleTester }, AST_NODE_TYPES: anything, AST_TOKEN_TYPES: anything };
    }
    return anything;
  };
}

for (const file of fs.readdirSync(tests).filter((name) => name.endsWith(".test.ts")).sort()) {
  const rule = file.replace(".test.ts", "");
  const source = fs.readFileSync(path.join(tests, file), "utf8");
  const { code } = esbuild.transformSync(source, { loader: "ts", format: "cjs" });
  const seen = [];
  const load = textsOnly(rule, seen);
  load.resolve = (name) => name;
  try {
    const globals = { require: load, module: { exports: {} }, exports: {}, __dirname: tests, __filename: file, jest: anything, describe: () => {}, console, process };
    vm.runInNewContext(code, globals, { timeout: 10000 });
  } catch (error) {
    console.error(`${file}: ${error.message}`);
    continue;
  }
  for (const { kind, config, test } of seen) {
    const one = typeof test === "string" ? { code: test } : test;
    const parser = String(one.parser ?? config.parser ?? one.languageOptions?.parser ?? "");
    console.log(
      JSON.stringify({
        rule,
        kind,
        code: String(one.code),
        isTyped: parser.includes("typescript"),
        isConfigured: Boolean(one.options?.length || one.settings || config.settings),
        filename: typeof one.filename === "string" ? one.filename : null,
        lines: kind === "valid" ? [] : Array.isArray(one.errors) ? one.errors.map((e) => (typeof e.line === "number" ? e.line : null)) : [null],
      }),
    );
  }
}
