"""Several threads that import, decode and parse at once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import GitRepository

_DECODING = """
import sys, threading, types, msgspec
from wardround.execution.thread_safety import serialize_unsafe_calls

serialize_unsafe_calls()
serialize_unsafe_calls()
sys.setswitchinterval(1e-6)
for number in range(40):
    module = types.ModuleType(f"types{number}")
    sys.modules[module.__name__] = module
    fields = "    x: 'int' = 1\\n    y: 'list[str] | None' = None\\n"
    inner = "".join(f"class B{i}(msgspec.Struct):\\n{fields}" for i in range(20))
    outer = "class A(msgspec.Struct):\\n" + "".join(f"    b{i}: 'B{i} | None' = None\\n" for i in range(20))
    exec("import msgspec\\n" + inner + outer, module.__dict__)
    barrier = threading.Barrier(4)

    def decode(first):
        barrier.wait()
        if first:
            made = msgspec.convert({"b19": {"x": 1}}, module.A)
        else:
            made = msgspec.json.decode(b'{"b19": {"x": 1}}', type=module.A)
        assert made.b19.x == 1

    threads = [threading.Thread(target=decode, args=(first,)) for first in (True, False, True, False)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
assert msgspec.json.decode(b"[1]") == [1]
assert msgspec.msgpack.Decoder(list[int]).decode(msgspec.msgpack.encode([1])) == [1]
try:
    msgspec.convert(1, str)
except msgspec.ValidationError:
    print("passed")
"""


_IMPORTING = """
import sys, threading
from wardround.execution.thread_safety import serialize_unsafe_calls

serialize_unsafe_calls()
failed = []

def load(name):
    barrier.wait()
    try:
        __import__(name)
        assert sys.modules[f"acme.first{number}"].VALUE == 1
    except BaseException as error:
        failed.append(error)

for number in range(10):
    barrier = threading.Barrier(2)
    names = (f"acme.first{number}", f"acme.second{number}")
    threads = [threading.Thread(target=load, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print(failed or "passed")
"""


def test_threads_that_import_modules_which_import_each_other_get_complete_ones(tmp_path: Path) -> None:
    package = tmp_path / "acme"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    pause = "import time\ntime.sleep(0.02)\n"
    for number in range(10):
        first, second = (
            f"{pause}import acme.second{number}\nVALUE = 1\n",
            f"{pause}import acme.first{number}\n",
        )
        (package / f"first{number}.py").write_text(first, encoding="utf-8")
        (package / f"second{number}.py").write_text(second, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", _IMPORTING],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert (done.returncode, done.stdout) == (0, "passed\n"), done.stderr


def test_threads_that_decode_a_type_for_the_first_time_do_not_end_the_process() -> None:
    done = subprocess.run([sys.executable, "-c", _DECODING], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "passed\n"), done.stderr


_PARSING = """
import ast, gc, sys, threading
from wardround.execution.thread_safety import serialize_unsafe_calls

serialize_unsafe_calls()
sys.setswitchinterval(1e-6)
gc.set_threshold(5)
function = "def f(a, b=[1, (2, 3)]):\\n    return [x for x in a if b]\\n"
source = function * 60
failed = []

class Cycle:
    def __init__(self):
        self.own = self

    def __del__(self):
        for _ in range(50):
            pass

def parse(depth):
    if depth:
        return parse(depth - 1)
    for _ in range(40):
        [Cycle() for _ in range(20)]
        try:
            ast.parse(source)
        except SystemError as error:
            failed.append(error)

threads = [threading.Thread(target=parse, args=(depth,)) for depth in (0, 20, 40, 60)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(failed or "passed")
"""


def test_threads_that_parse_at_once_get_their_trees() -> None:
    done = subprocess.run([sys.executable, "-c", _PARSING], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "passed\n"), done.stderr


def test_the_first_decoding_is_serialized_on_the_command_line(repo: GitRepository) -> None:
    repo.commit({"app.py": "x = 1\n"})
    repo.stage({"app.py": "x = 2\n"})
    code = (
        "import threading\n"
        "from wardround.execution import tool_runner\n"
        "start = tool_runner.ToolRunner.start\n"
        "def started(*arguments):\n"
        "    import msgspec\n"
        "    print([hasattr(f, '__wrapped__') for f in (msgspec.json.decode, msgspec.convert, compile)])\n"
        "    return start(*arguments)\n"
        "tool_runner.ToolRunner.start = started\n"
        "from wardround.cli.commands import invoke\n"
        "invoke(['review', '--staged', '--only', 'python'])\n"
    )
    done = repo.run(sys.executable, "-c", code)
    assert "[True, True, False]" in done.stderr + done.stdout, done.stderr + done.stdout
