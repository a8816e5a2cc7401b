"""Measure a run of the lab against an endpoint on loopback that answers after 200 ms.

    python benchmarks/lab_exchanges.py [--instances 1000] [--workers 64] [--json docs/cost.json]

The run is killed with SIGKILL when a third of its trials is complete, and continued. Printed are the largest
number of requests under way, the processor seconds and the peak memory of both processes, and the number of
recorded exchanges.

Exit status: 1 if an exchange is lost or recorded twice, if fewer requests than workers were under way, or if
the memory is above ``MOST_MIB``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import figures
import msgspec

from wardround import host
from wardround.authoring.endpoint.opening import EndpointAccess
from wardround.authoring.sequence import Settings
from wardround.authoring.stages import LocalizationResult, Patch
from wardround.change.repository import Repository
from wardround_lab.experiments.experiment import NO_PATCH
from wardround_lab.experiments.experiment_run import OpenRun, RunRequest
from wardround_lab.experiments.instances.instance_file import encode_instances, read_instances
from wardround_lab.experiments.instances.instance_set import InstanceSet
from wardround_lab.experiments.instances.model import MinedInstance
from wardround_lab.experiments.lab_file import LabFile
from wardround_lab.experiments.lab_inputs import LabInputs
from wardround_lab.experiments.storage.model import EntryKind, SequenceQuery
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage
from wardround_lab.experiments.storage.sql import open_sql_storage

MOST_MIB = 150
LATENCY_S = 0.2
NAME = "acme/shop"
ANSWER = json.dumps({"edits": [], "reason": "The input does not show it."})
COMPLETION = {
    "id": "1", "object": "chat.completion", "created": 1, "model": "loopback",
    "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": ANSWER}}
    ],
    "usage": {"prompt_tokens": 400, "completion_tokens": 20, "total_tokens": 420},
}  # fmt: skip


# The endpoint


class Server:
    """An endpoint in a thread of this process.

    Attributes:
        most: the largest number of requests under way.
        tasks: how often each task was requested.
    """

    def __init__(self) -> None:
        self.under_way = self.most = 0
        self.tasks: Counter[str] = Counter()
        self.url = ""
        self._is_ready = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True).start()
        self._is_ready.wait()

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._answer, "127.0.0.1", 0, backlog=256)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        self._is_ready.set()
        async with server:
            await server.serve_forever()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = next(
                    int(line.split(b":")[1])
                    for line in head.lower().split(b"\r\n")
                    if line.startswith(b"content-length:")
                )
                await self._exchange(await reader.readexactly(length), writer)
        except (asyncio.IncompleteReadError, ConnectionError):  # the client ended, or was killed
            pass
        finally:
            writer.close()

    async def _exchange(self, body: bytes, writer: asyncio.StreamWriter) -> None:
        task = json.loads(json.loads(body)["messages"][-1]["content"])["task"]
        self.tasks[task] += 1
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            await asyncio.sleep(LATENCY_S)
        finally:
            self.under_way -= 1
        content = json.dumps(COMPLETION).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        writer.write(head.encode() + content)
        await writer.drain()


# The experiment


class AskAuthor:
    """Asks the author once for each instance."""

    rewards = {"requests": False}
    notes = ()

    def __init__(self, inputs: LabInputs, options: msgspec.Struct) -> None:
        self._inputs = inputs
        self.configuration = options
        self.sequence_storage = inputs.storage
        self.model_endpoint = inputs.endpoints["author"]

    async def hypers(self) -> AsyncIterator[msgspec.Struct]:
        yield self.configuration

    def with_configuration(self, configuration: msgspec.Struct) -> AskAuthor:
        return self

    async def run(self, instance_id: str) -> Patch:
        async with self._inputs.trial(
            self.configuration, instance_id, lambda mined: mined.in_words, Settings()
        ) as trial:
            author = await trial.author("endpoint")
            _, messages = await author.run(LocalizationResult("# Code"), trial.instance_id)
            trial.sequence.record_messages(messages)
            trial.sequence.record_rewards(requests=trial.inputs.budget.requests)
        return NO_PATCH


def run_here(folder: Path, url: str, workers: int, resumed: str) -> int:
    """Run, or continue, in this process."""
    table = f"""
        endpoints.loopback = {{ url = "{url}", model = "loopback", concurrency = {min(workers, 64)} }}
        roles.author = "loopback"
    """
    (folder / "lab.toml").write_text(table)
    import wardround_lab.experiments.experiment_run as experiment_run
    from wardround_lab.experiments.lab_file import read_lab_file

    experiment_run.experiment_factory = lambda name: AskAuthor
    file: LabFile = read_lab_file(folder / "lab.toml")
    instances = InstanceSet(read_instances(folder / "instances.jsonl"), {NAME: folder / "shop"})
    with closing(open_sql_storage(folder / "lab.sqlite")) as storage:
        request = RunRequest(
            "ask-author",
            instances,
            storage,
            host.load(),
            file,
            (),
            EndpointAccess({}),
            os.environ,
            folder,
            resumed,
        )
        failures = OpenRun(request).run_trials(workers, lambda text: None)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = usage.ru_utime + usage.ru_stime + children.ru_utime + children.ru_stime
    print(json.dumps({"failures": len(failures), "mib": usage.ru_maxrss / 1024, "cpu_s": cpu}))
    return 0


# The measurement


def make_instances(folder: Path, number: int) -> None:
    """Write a repository of one commit, and instances that differ by their text."""
    shop = folder / "shop"
    shop.mkdir()
    (shop / "shop.py").write_text("def label(item):\n    return item['name'].lower()\n")
    environ = os.environ | {
        f"GIT_{role}_{field}": "a@b.c" for role in ("AUTHOR", "COMMITTER") for field in ("NAME", "EMAIL")
    }
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "Shop"]):
        subprocess.run(["git", "-C", shop, *command], check=True, env=environ)
    with Repository(shop) as repository:
        head = repository.head() or ""
        base = repository.commit_files(head, {}, "Tests of the next commit\n")
    instances = (
        MinedInstance(
            id=f"{at:016x}", repository=NAME, commit=head, parent=head, base=base,
            date="2026-01-02T03:04:05Z", text=f"Labels of items without a name fail, report {at}", gold="",
        )
        for at in range(number)
    )  # fmt: skip
    (folder / "instances.jsonl").write_bytes(encode_instances(instances))


@contextmanager
def open_results(folder: Path) -> Iterator[SequenceStorage]:
    with closing(open_sql_storage(folder / "lab.sqlite")) as storage:
        yield storage


def wait_for(folder: Path, trials: int) -> None:
    while True:
        time.sleep(0.2)
        if (folder / "lab.sqlite").exists():
            with open_results(folder) as storage:
                if sum(1 for _ in storage.find(SequenceQuery(is_complete=True))) >= trials:
                    return


def exchanges(folder: Path) -> Counter[str]:
    """Return the number of recorded exchanges of each instance."""
    found: Counter[str] = Counter()
    with open_results(folder) as storage:
        for summary in storage.find(SequenceQuery()):
            entries = storage.entries(summary.header.id)
            found[summary.header.instance] += sum(entry.kind is EntryKind.RESULT for entry in entries)
    return found


def measure(number: int, workers: int) -> dict[str, float]:
    """Return the figures of a run that is killed and continued."""
    server = Server()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_instances(folder, number)
        command = [
            sys.executable,
            __file__,
            "--child",
            folder,
            "--url",
            server.url,
            "--workers",
            str(workers),
        ]
        first = subprocess.Popen(command)
        wait_for(folder, number // 3)
        first.send_signal(signal.SIGKILL)
        first.wait()
        began = time.monotonic()
        done = subprocess.run([*command, "--resume", "ask-author-1"], capture_output=True, check=True)
        seconds = time.monotonic() - began
        counts = exchanges(folder)
    figures_of_run: dict[str, float] = json.loads(done.stdout)
    repeated = sum(server.tasks.values()) - number
    return figures_of_run | {
        "instances": number,
        "under_way": server.most,
        "recorded": sum(counts.values()),
        "lost": sum(1 for at in range(number) if counts[f"{at:016x}"] == 0),
        "doubled": sum(count > 1 for count in counts.values()),
        "repeated": repeated,
        "seconds": seconds,
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--instances", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=64)
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--url", default="", help=argparse.SUPPRESS)
    parser.add_argument("--resume", default="", help=argparse.SUPPRESS)
    figures.add_json_option(parser)
    arguments = parser.parse_args()
    if arguments.child is not None:
        return run_here(arguments.child, arguments.url, arguments.workers, arguments.resume)
    found = measure(arguments.instances, arguments.workers)
    print(
        f"{found['instances']} instances, {found['under_way']} requests under way at most; killed after a "
        f"third and continued: {found['recorded']} exchanges recorded, {found['lost']} lost, "
        f"{found['doubled']} recorded twice; {found['repeated']} requests were under way at the kill and "
        "sent again"
    )
    print(
        f"continued run: {found['cpu_s']:.1f} CPU s, {found['mib']:.0f} MiB at most (bound {MOST_MIB}), "
        f"{found['seconds']:.1f} s"
    )
    figures.write(arguments.json, "lab_exchanges", {"mib": found["mib"], "under_way": found["under_way"]})
    is_bounded = found["mib"] <= MOST_MIB and found["under_way"] >= arguments.workers
    return int(not is_bounded or found["lost"] + found["doubled"] + found["failures"] > 0)


if __name__ == "__main__":
    sys.exit(main())
