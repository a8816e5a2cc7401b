"""The processes that review cases leave without a word, whenever they are told to."""

from __future__ import annotations

import subprocess
import sys

_TOLD_WHILE_LEAVING = """
import multiprocessing, os, signal, threading, time
from wardround.evaluation import workers

def late():
    time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGTERM)

def work():
    workers._prepare()
    threading.Thread(target=late).start()

process = multiprocessing.get_context("fork").Process(target=work)
process.start()
process.join()
print(process.exitcode)
"""


def test_a_process_that_is_leaving_already_is_told_to_leave() -> None:
    done = subprocess.run(
        (sys.executable, "-c", _TOLD_WHILE_LEAVING), capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.stdout, done.stderr) == ("0\n", "")
