'use strict';
/* The runner of a test file for jest: the default one, with a record of the functions that ran. */
const fs = require('node:fs');
const path = require('node:path');

const { readFileSync } = fs; // tests replace the functions of fs
const recorder = process[Symbol.for('wardround.recorder')];

const CHAIN = ['jest', 'jest-cli', '@jest/core', 'jest-config'];
const FIRST_WITH_CIRCUS = 27;

/** Return the folder of the package that knows the default runner; strict installations show it to that one only. */
function configuration(folder) {
  for (const name of CHAIN) {
    try {
      folder = path.dirname(require.resolve(`${name}/package.json`, { paths: [folder] }));
    } catch {
      // the project depends on a later one of the chain
    }
  }
  return folder;
}

function original(folder) {
  const found = configuration(folder);
  const major = parseInt(require(path.join(found, 'package.json')).version, 10);
  const name = major >= FIRST_WITH_CIRCUS ? 'jest-circus/runner' : 'jest-jasmine2';
  const loaded = require(require.resolve(name, { paths: [found] }));
  return loaded.default ?? loaded;
}

/** Return the code of scripts as jest transformed it; without it, each counts as one piece. */
function transformed(scripts, runtime) {
  return scripts.map(({ file }) => {
    const address = path.join(process.env.WARDROUND_ROOT, file);
    const found = runtime._fileTransforms?.get(address);
    return { code: found?.code ?? '', map: inline(found?.sourceMapPath), shift: found?.wrapperLength ?? 0 };
  });
}

function inline(address) {
  try {
    return address ? `data:application/json;base64,${readFileSync(address).toString('base64')}` : '';
  } catch {
    return '';
  }
}

recorder.start();

module.exports = async function run(globalConfig, config, environment, runtime, testPath, ...others) {
  try {
    return await original(config.rootDir)(globalConfig, config, environment, runtime, testPath, ...others);
  } finally {
    recorder.take(testPath, (scripts) => transformed(scripts, runtime));
  }
};
