"""The processes that review cases end without a traceback, whenever they are terminated."""

from __future__ import annotations

import subprocess
import sys

import pytest

_SCRIPT = """
import multiprocessing, os, signal, threading, time
from wardround_lab.evaluation import workers
from wardround_lab.evaluation.batch import Settings

class Stuck:
    def review(self, cases, default_set):
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(10)
        except SystemExit:  # as the host does where a check exits
            time.sleep(10)
        finally:
            print("removed", flush=True)

def leaving():
    workers._prepare()
    threading.Thread(target=lambda: (time.sleep(0.5), os.kill(os.getpid(), signal.SIGTERM))).start()

def reviewing():
    workers._prepare()
    workers._batch = lambda settings: Stuck()
    workers._review_cases([], None, "set")

process = multiprocessing.get_context("fork").Process(target=WHEN)
process.start()
process.join(8)
print(process.exitcode)
"""


@pytest.mark.parametrize(
    ("when", "printed"),
    [
        pytest.param("leaving", "-15\n", id="the process is leaving"),
        pytest.param("reviewing", "removed\n143\n", id="a review is running"),
    ],
)
def test_a_process_ends_silently_when_it_is_terminated(when: str, printed: str) -> None:
    script = _SCRIPT.replace("WHEN", when)
    done = subprocess.run(
        (sys.executable, "-c", script), capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.stdout, done.stderr) == (printed, "")
