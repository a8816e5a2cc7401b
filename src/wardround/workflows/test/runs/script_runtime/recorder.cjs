'use strict';
/*
 * Records which functions of the tree ran, by precise coverage of V8. Loaded with --require in every process.
 *
 * WARDROUND_RECORD: the folder for the result, one file for each test file, named after the digest of its
 * path, and one file for each script, named after the digest of its code.
 * WARDROUND_ROOT: the root of the tree; scripts outside of it and installed packages are left out.
 * WARDROUND_MEASURED: a file with the paths of the scripts, as JSON, whose blocks are counted, too; may be absent.
 * WARDROUND_TEST: the test file that this process runs, if it runs one and reports at its end; "argument" if
 * that is the program of the process, as under node --test.
 */
const crypto = require('node:crypto');
const fs = require('node:fs');
const inspector = require('node:inspector');
const path = require('node:path');
const url = require('node:url');

const { writeFileSync, renameSync, existsSync } = fs; // tests replace the functions of fs
const folder = process.env.WARDROUND_RECORD;
const root = process.env.WARDROUND_ROOT;
const WRAPPER = /^'use strict';async \([^)]{0,400}\)=>\{\{/; // of vitest
const measured = new Set(listed(process.env.WARDROUND_MEASURED)); // before tests replace functions
let session;

function listed(address) {
  return address && existsSync(address) ? JSON.parse(fs.readFileSync(address, 'utf8')) : [];
}

function digest(text) {
  return crypto.createHash('sha256').update(text).digest('hex').slice(0, 32);
}

function call(method, parameters) {
  let found;
  session.post(method, parameters, (error, result) => {
    if (error) throw new Error(`${method}: ${error.message}`);
    found = result;
  });
  return found;
}

function start() {
  if (session || !folder) return;
  session = new inspector.Session();
  session.connect();
  call('Profiler.enable');
  call('Profiler.startPreciseCoverage', { callCount: true, detailed: measured.size > 0 });
}

function pathOf(address) {
  const plain = address.startsWith('file://') ? url.fileURLToPath(address.split(/[?#]/)[0]) : address;
  const inside = path.isAbsolute(plain) ? path.relative(root, plain) : '..';
  return inside.startsWith('..') || inside.split(path.sep).includes('node_modules') ? '' : inside;
}

function write(name, text) {
  const target = path.join(folder, name);
  if (existsSync(target)) return;
  const part = `${target}.${process.pid}-${crypto.randomUUID()}`;
  writeFileSync(part, text);
  renameSync(part, target);
}

/** Return the code of scripts as the debugger has it; expensive where a process has many scripts. */
function debugged(scripts) {
  const maps = new Map();
  const listen = ({ params }) => maps.set(params.scriptId, params.sourceMapURL ?? '');
  session.on('Debugger.scriptParsed', listen);
  call('Debugger.enable');
  const found = scripts.map(({ scriptId }) => {
    const { scriptSource } = call('Debugger.getScriptSource', { scriptId });
    const shift = WRAPPER.exec(scriptSource)?.[0].length ?? 0;
    return { code: scriptSource.slice(shift), map: maps.get(scriptId) ?? '', shift };
  });
  call('Debugger.disable');
  session.off('Debugger.scriptParsed', listen);
  return found;
}

function blocksOf(functions, shift) {
  const all = functions.flatMap((each) => each.ranges);
  return all.map((range) => [range.startOffset - shift, range.endOffset - shift, range.count]);
}

/** Return the scripts that ran since the last call, with their code and the ranges of functions that ran. */
function ran(sources) {
  const scripts = call('Profiler.takePreciseCoverage')
    .result.map((one) => ({ ...one, file: pathOf(one.url) }))
    .filter((one) => one.file && one.functions.some((each) => each.ranges[0].count > 0));
  const codes = sources(scripts);
  return scripts.map(({ file, functions }, at) => {
    const { code, map, shift } = codes[at];
    const name = digest(code + map);
    write(`${name}.code`, JSON.stringify({ code, map: map.startsWith('data:') ? map : '' }));
    const ranges = functions.map((each) => each.ranges[0]).filter((range) => range.count > 0);
    const placed = ranges.map((range) => [range.startOffset - shift, range.endOffset - shift]);
    return { file, code: name, ranges: placed, blocks: measured.has(file) ? blocksOf(functions, shift) : [] };
  });
}

/**
 * Write the functions that ran since the last call, if the test file is among them. Never throws, so that a
 * test does not fail because of it; a file without a record is always run.
 *
 * sources: scripts -> the code of each, its source map, and the length of the text that was put before it.
 */
function take(test, sources = debugged) {
  try {
    const scripts = session ? ran(sources) : [];
    const file = path.relative(root, test);
    if (scripts.some((one) => one.file === file)) {
      write(`${digest(file)}.json`, JSON.stringify({ test: file, scripts }));
    }
  } catch (error) {
    process.stderr.write(`wardround: the functions of ${test} were not recorded: ${error}\n`);
  }
}

process[Symbol.for('wardround.recorder')] = { start, take };
const named = process.env.WARDROUND_TEST === 'argument' ? process.argv[1] : process.env.WARDROUND_TEST;
if (named && (named !== process.argv[1] || process.env.NODE_TEST_CONTEXT)) {
  start();
  process.on('exit', () => take(path.resolve(named)));
}
