// Prints the test cases of eslint-plugin-react, one JSON object a line, with the places its own rules report.
//
// node eslint_plugin_react_cases.cjs CLONE
//
// The clone needs its development dependencies (npm install --ignore-scripts). Its test files are run with a
// rule tester that only collects, and ESLint then says where the rule reports.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { createRequire } = require('node:module');

const clone = path.resolve(process.argv[2]);
const inClone = createRequire(path.join(clone, 'package.json'));
const { Linter } = inClone('eslint');
const typescript = inClone('@typescript-eslint/parser');

// Standard output is for the cases alone.
console.log = console.error;
const collected = [];

class CollectingTester {
  constructor(config) {
    this.parserOptions = (config && config.parserOptions) || {};
    this.linter = new Linter({ configType: 'eslintrc' }); // some tests define rules of ESLint's own on it
  }

  run(name, rule, { valid, invalid }) {
    const add = (kind) => (test) => collected.push({
      kind, name, rule, parserOptions: this.parserOptions, ...(typeof test === 'string' ? { code: test } : test),
    });
    valid.forEach(add('valid'));
    invalid.forEach(add('invalid'));
  }
}

// A case is wanted once, not once for each parser: what a case says about parsers is kept for `parses`.
const parsers = {
  all: (tests) => tests,
  disableNewTS: (test) => test,
  babelParserOptions: (test) => test.parserOptions,
  BABEL_ESLINT: 'babel',
  '@BABEL_ESLINT': 'babel',
  TYPESCRIPT_ESLINT: 'typescript',
  '@TYPESCRIPT_ESLINT': 'typescript',
  skipDueToMultiErrorSorting: false,
};

function replace(request, exports) {
  const file = require.resolve(path.join(clone, request));
  require.cache[file] = { id: file, filename: file, loaded: true, exports };
}

function configuration(test, parser) {
  const options = { ...test.parserOptions };
  return [{
    files: ['**/*.jsx', '**/*.tsx'],
    plugins: { suite: { rules: { [test.name]: test.rule } } },
    rules: { [`suite/${test.name}`]: ['error', ...(test.options || [])] },
    settings: test.settings || {},
    languageOptions: {
      ...(parser && { parser }),
      ecmaVersion: 'latest',
      sourceType: options.sourceType || 'module',
      parserOptions: { ecmaFeatures: { jsx: true } },
      globals: test.globals || {},
    },
    linterOptions: { reportUnusedDisableDirectives: 'off' },
  }];
}

// The lines the rule reports, or null where neither parser reads the case.
function reported(test, isTyped) {
  for (const parser of isTyped ? [typescript] : [null, typescript]) {
    let messages;
    try {
      messages = new Linter({ configType: 'flat' }).verify(
        test.code, configuration(test, parser), { filename: isTyped ? 'case.tsx' : 'case.jsx' },
      );
    } catch {
      continue;
    }
    if (!messages.some((message) => message.fatal)) {
      return messages.filter((message) => message.ruleId).map((message) => ({ line: message.line, column: message.column }));
    }
  }
  return null;
}

replace('tests/helpers/ruleTester.js', CollectingTester);
replace('tests/helpers/parsers.js', parsers);
const folder = path.join(clone, 'tests/lib/rules');
for (const file of fs.readdirSync(folder).filter((name) => name.endsWith('.js')).sort()) {
  try {
    require(path.join(folder, file));
  } catch (cause) {
    process.stderr.write(`${file}: ${cause.message}\n`);
  }
}
for (const test of collected) {
  const features = [].concat(test.features || []);
  const isTyped = test.parser === 'typescript' || features.includes('ts') || features.includes('types');
  const places = reported(test, isTyped);
  process.stdout.write(`${JSON.stringify({
    rule: test.name, kind: test.kind, code: test.code, filename: test.filename || null, isTyped, places,
    isConfigured: Boolean((test.options && test.options.length) || test.settings), isFlow: features.includes('flow'),
  })}\n`);
}
