/* A provider of coverage for vitest: each worker records the functions that its test file ran. */

const recorder = process[Symbol.for('wardround.recorder')]; // an import would be resolved for a browser

function testFile() {
  const worker = globalThis.__vitest_worker__;
  return worker?.filepath ?? worker?.ctx?.files?.map((one) => one.filepath ?? one)[0] ?? '';
}

export default {
  startCoverage() {
    recorder.start();
  },
  takeCoverage() {
    recorder.take(testFile());
  },
  stopCoverage() {},
  getProvider() {
    return {
      name: 'custom',
      initialize(vitest) {
        this.options = vitest.config.coverage;
      },
      resolveOptions() {
        return this.options;
      },
      clean() {},
      onAfterSuiteRun() {},
      onTestFailure() {},
      generateCoverage() {},
      reportCoverage() {},
      generateReports() {},
    };
  },
};
