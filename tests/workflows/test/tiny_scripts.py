"""A small project whose tests ``node --test`` runs with the recorder, so that recordings are real ones."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.workflows.test.tiny_project import tree
from wardround.workflows.test.plans.plan import TestPlan
from wardround.workflows.test.plans.script_selection import plan_script_tests
from wardround.workflows.test.plans.selection import Target
from wardround.workflows.test.project.script_arguments import ScriptArguments
from wardround.workflows.test.recordings.recorded_runs import Recording
from wardround.workflows.test.recordings.script_recording import read_script_recording
from wardround.workflows.test.runs import script_commands
from wardround.workflows.test.scripts.results import ScriptResult, read_results
from wardround.workflows.test.scripts.tree import ScriptTree

FILES = {
    "package.json": '{"type": "module", "scripts": {"test": "node --test"}}\n',
    "src/prices.js": """\
import { floor } from './numbers.js';

export const RATE = 0.2;

/** The price with tax. */
export function gross(net) {
  return net * (1 + RATE);
}

export const rounded = (value) => floor(value);

export function unused() {
  return 1;
}
""",
    "src/numbers.js": """\
export function floor(value) {
  return Math.floor(value);
}
""",
    "src/basket.js": """\
import { gross } from './prices.js';

class Base {
  size() { return 0; }
}

export class Basket extends Base {
  items = [];
  add(net) { this.items.push(gross(net)); }
  total() { return this.items.reduce((sum, one) => sum + one, 0); }
}
""",
    "src/words.js": """\
import { readFileSync } from 'node:fs';

export const words = () => readFileSync(new URL('./words.txt', import.meta.url), 'utf8');
""",
    "src/words.txt": "one\\n",
    "src/launch.js": """\
import { execFileSync } from 'node:child_process';

export function version() {
  return String(execFileSync(process.execPath, ['-p', '1']));
}
""",
    "src/all.js": "export * from './prices.js';\n",
    "test/prices.test.js": """\
import assert from 'node:assert';
import test from 'node:test';
import { gross } from '../src/prices.js';

test('tax is added', () => { assert.ok(gross(1) > 1); });
""",
    "test/rounded.test.js": """\
import assert from 'node:assert';
import test from 'node:test';
import { rounded } from '../src/prices.js';

test('a price is rounded down', () => { assert.equal(rounded(1.7), 1); });
""",
    "test/basket.test.js": """\
import assert from 'node:assert';
import { describe, it } from 'node:test';
import { Basket } from '../src/basket.js';

describe('a basket', () => {
  it('adds up', () => { const one = new Basket(); one.add(1); assert.ok(one.total() > 1); });
  it('is empty', { skip: true }, () => {});
});
""",
    "test/words.test.js": """\
import assert from 'node:assert';
import test from 'node:test';
import { words } from '../src/words.js';

test('the words are there', () => { assert.ok(words().length); });
""",
    "test/launch.test.js": """\
import assert from 'node:assert';
import test from 'node:test';
import { version } from '../src/launch.js';

test('the version is printed', () => { assert.equal(version(), '1\\n'); });
""",
    "test/all.test.js": """\
import assert from 'node:assert';
import test from 'node:test';
import * as all from '../src/all.js';

test('all names are exported', () => { assert.ok(Object.keys(all).length > 2); });
""",
    "README.md": "A shop.\n",
}
TESTS = tuple(sorted(path for path in FILES if path.startswith("test/")))


@dataclass(frozen=True)
class TinyScripts:
    """The files of a project, and the recording of a run of all its tests."""

    files: Mapping[str, str]
    recording: Recording = field(repr=False)

    def edited(self, path: str, old: str, new: str) -> dict[str, str]:
        text = self.files[path]
        assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times in {path}"
        return {**self.files, path: text.replace(old, new)}

    def plan(self, files: Mapping[str, str], *target: str, since_base: bool = False) -> TestPlan:
        base = ScriptTree(tree(self.files)) if since_base else None
        return plan_script_tests([self.recording], ScriptTree(tree(files)), Target.of(target), base=base)

    def selected(self, files: Mapping[str, str]) -> set[str]:
        """The names of files to run, without those that start processes, which always run."""
        return {
            item.id.removeprefix("test/").removesuffix(".test.js")
            for item in self.plan(files).selected
            if item.cause != "starts-process"
        }

    def selected_after(self, path: str, old: str, new: str) -> set[str]:
        return self.selected(self.edited(path, old, new))


def run_recorded(folder: Path, files: Mapping[str, str]) -> tuple[Recording, tuple[ScriptResult, ...]]:
    """Run the tests in a folder with these files; return the recording and the results."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    own = folder / ".run"
    (own / script_commands.RECORDS).mkdir(parents=True)
    runtime = Path(script_commands.__file__).parent / "script_runtime"
    for name in script_commands.RUNTIME:
        shutil.copy(runtime / name, own)
    tests = [path for path in files if path.startswith("test/")]
    (command,) = script_commands.script_commands(
        "node:test", ScriptArguments("node"), tests, str(own), root=str(folder), is_recorded=True
    )
    environment = {**os.environ, **dict(command.variables)}
    subprocess.run(
        command.arguments, cwd=folder, env=environment, capture_output=True, check=False, timeout=120
    )

    def read(name: str) -> bytes | None:
        path = own / script_commands.RECORDS / name
        return path.read_bytes() if path.exists() else None

    recording = read_script_recording(tests, read, tree(files), is_complete=True)
    return recording, read_results("node:test", (own / command.report).read_bytes(), str(folder))


def recorded_scripts(folder: Path) -> TinyScripts:
    recording, _ = run_recorded(folder, FILES)
    assert len(recording.runs) == len(TESTS)
    return TinyScripts(FILES, recording)
