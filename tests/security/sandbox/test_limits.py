"""A run that exceeds a limit is ended with all of its processes, and its state names the limit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from benchmarks.sandbox import processes_with
from tests.security.sandbox.host import LIMITS, WORKING, Host, open_host
from wardround.sandbox.model import Limits, State

MIB = 1 << 20


def limited(**changes: float) -> Limits:
    return msgspec.structs.replace(LIMITS, **changes)


@pytest.fixture(scope="module", params=WORKING)
def host(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Host]:
    with open_host(tmp_path_factory.mktemp("host"), request.param) as item:
        yield item


def test_a_fork_bomb_is_ended(host: Host) -> None:
    outcome = host.python("import os  # marker-fork-bomb\nwhile True: os.fork()", limited(processes=24))

    assert outcome.state is State.PROCESS_LIMIT or outcome.status == 1, outcome
    assert processes_with("marker-fork-bomb") == []


def test_a_bomb_of_threads_is_ended(host: Host) -> None:
    program = (
        "import threading, time  # marker-threads\n"
        "while True: threading.Thread(target=time.sleep, args=(60,), daemon=True).start()"
    )

    outcome = host.python(program, limited(processes=24))

    assert outcome.state is State.PROCESS_LIMIT or outcome.status == 1, outcome
    assert processes_with("marker-threads") == []


def test_memory_of_one_process_is_bounded(host: Host) -> None:
    outcome = host.python("x = []\nwhile True: x.append(bytearray(1 << 20))", limited(memory_bytes=128 * MIB))

    assert outcome.state is State.KILLED_FOR_MEMORY or "MemoryError" in outcome.stderr, outcome
    assert outcome.memory_bytes < 512 * MIB


def test_memory_of_several_processes_is_counted_together(host: Host) -> None:
    program = (
        "import os, time  # marker-memory\n"
        "for _ in range(6):\n    if os.fork() == 0: break\n"
        "x = os.urandom(48 << 20)\ntime.sleep(60)"
    )

    outcome = host.python(program, limited(memory_bytes=160 * MIB))

    assert outcome.state is State.KILLED_FOR_MEMORY, outcome
    assert processes_with("marker-memory") == []


def test_shared_memory_of_a_process_counts(host: Host) -> None:
    program = (
        "import mmap, time\nkept = []\nwhile True:\n    one = mmap.mmap(-1, 16 << 20)\n"
        "    one.write(b'x' * (16 << 20))\n    kept.append(one)\n    time.sleep(0.01)"
    )

    outcome = host.python(program, limited(memory_bytes=160 * MIB))

    assert outcome.state is State.KILLED_FOR_MEMORY, outcome


def test_files_in_memory_without_a_name_cannot_be_made(host: Host) -> None:
    outcome = host.python("import os\nos.memfd_create('x')")

    assert "PermissionError" in outcome.stderr


@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm"])
def test_folders_in_memory_have_a_limit(host: Host, folder: str) -> None:
    program = f"n = 0\nwhile True:\n    n += 1\n    open(f'{folder}/{{n}}', 'wb').write(b'x' * (8 << 20))"

    outcome = host.python(program)

    assert "No space left on device" in outcome.stderr, outcome


def test_the_bytes_of_the_tree_have_a_limit(host: Host) -> None:
    program = "n = 0\nwhile True:\n    n += 1\n    open(f'{n}', 'wb').write(b'x' * (4 << 20))"

    outcome = host.python(program)

    assert outcome.state is State.DISK_LIMIT, outcome


_HIDING = {
    "unlinked": "os.unlink(f'{n}'); kept.append(file)",
    "unlinked and mapped": (
        "os.unlink(f'{n}'); kept.append(mmap.mmap(file.fileno(), 4096, prot=mmap.PROT_READ)); file.close()"
    ),
    "unlinked and under way in a socket": (
        "os.unlink(f'{n}'); socket.send_fds(ours, [b'x'], [file.fileno()]); file.close()"
    ),
}


@pytest.mark.parametrize("way", _HIDING)
def test_bytes_of_the_tree_without_a_name_have_a_limit(host: Host, way: str) -> None:
    program = (
        "import mmap, os, socket, time\nkept, n = [], 0\nours, theirs = socket.socketpair()\n"
        "while n < 20:\n    n += 1\n    file = open(f'{n}', 'w+b')\n"
        f"    file.write(b'x' * (8 << 20)); file.flush()\n    {_HIDING[way]}\ntime.sleep(20)"
    )

    outcome = host.python(program)

    assert outcome.state is State.DISK_LIMIT, outcome


def test_temporary_files_that_are_unlinked_are_permitted(host: Host) -> None:
    program = (
        "import os\nfor n in range(20):\n    with open('x', 'wb') as file:\n"
        "        os.unlink('x')\n        file.write(b'x' * (8 << 20))"
    )

    outcome = host.python(program)

    assert (outcome.state, outcome.status) == (State.FINISHED, 0), outcome


def test_one_file_has_a_limit(host: Host) -> None:
    outcome = host.python("with open('big', 'wb') as file:\n    while True: file.write(b'x' * (1 << 20))")

    assert "File too large" in outcome.stderr, outcome


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_ten_gigabytes_of_output_fill_no_more_than_the_limit(host: Host, stream: str) -> None:
    program = f"import sys\nfor _ in range(10240): sys.{stream}.write('x' * (1 << 20))"

    outcome = host.python(program, limited(output_bytes=MIB))

    assert outcome.state is State.OUTPUT_LIMIT, outcome
    assert Path(outcome.log).stat().st_size == MIB
    assert len(getattr(outcome, stream)) <= 16 * 1024


def test_a_run_that_hangs_is_ended(host: Host) -> None:
    program = (
        "import signal, time  # marker-hang\n"
        "for one in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT): signal.signal(one, signal.SIG_IGN)\n"
        "print('begun', flush=True)\ntime.sleep(600)"
    )

    outcome = host.python(program, limited(wall_s=1.5))

    assert (outcome.state, outcome.status, outcome.signal) == (State.TIMED_OUT, None, None)
    assert outcome.stdout == "begun\n"
    assert outcome.detail == "the command was killed because it used more than 1.5 s"
    assert processes_with("marker-hang") == []


def test_processor_time_is_bounded_over_all_processes(host: Host) -> None:
    program = "import os\nos.fork()\nos.fork()\nwhile True: pass"

    outcome = host.python(program, limited(cpu_s=1))

    assert outcome.state is State.TIMED_OUT, outcome
    assert "CPU time" in outcome.detail


def test_no_daemon_outlives_a_run(host: Host) -> None:
    program = (
        "import os, signal, time  # marker-daemon\n"
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork(): os._exit(0)\n"
        "    for one in range(1, 32):\n"
        "        if one not in (9, 19): signal.signal(one, signal.SIG_IGN)\n"
        "    os.close(1); os.close(2)\n    time.sleep(600)\nos.wait()"
    )

    outcome = host.python(program)

    assert (outcome.state, outcome.status) == (State.FINISHED, 0), outcome
    assert processes_with("marker-daemon") == []


def test_a_daemon_that_keeps_the_output_open_does_not_delay_the_end(host: Host) -> None:
    program = "import os, time  # marker-holder\nif os.fork() == 0: time.sleep(600)\nprint('done')"

    outcome = host.python(program)

    assert (outcome.state, outcome.stdout) == (State.FINISHED, "done\n")
    assert processes_with("marker-holder") == []
