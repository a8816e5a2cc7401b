"""``wardround solve`` as a user meets it: a patch for a failing test, or the reason why there is none."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.authoring.shop_project import (
    AGREES,
    CODE,
    ENVIRON,
    FAILING,
    FILES,
    GOOD,
    ExchangeOfFiles,
    answer_with,
    solve,
)
from tests.conftest import SCRIPTS, GitRepository
from tests.planes.language_model.loopback import answers, by_plane, endpoint, reset
from tests.plugin_distributions import install


def test_a_failing_test_becomes_a_reviewed_patch_without_a_model(repo: GitRepository) -> None:
    repo.commit(FILES)
    before = repo.fingerprint()

    status, packet = solve(repo, "--test", FAILING, "--seconds", "20", "--propose-weak")

    assert (status, packet["kind"]) == (0, "human-merge-review"), packet["reason"]
    assert packet["patch"].startswith("diff --git a/shop.py b/shop.py\n")
    assert packet["suite"] == {"passed": 3, "failed": 0, "skipped": 0, "not_run": 0}
    assert packet["pointers"][0]["symbol"] == "label"
    assert packet["tests"][0]["id"] == FAILING
    assert "KeyError" in packet["tests"][0]["failure"]
    assert {item["plane"] for item in packet["evidence"]} >= {"semantic", "security", "tests"}
    assert repo.git("status", "--short") == ""
    assert {path: state for path, state in repo.fingerprint().items() if "artifacts" not in path} == before
    written = json.loads(repo.read("artifacts/wardround/packet.json"))
    assert written == packet

    replayed = repo.wardround("solve", "--replay", packet["sequence"], "--format", "json", env=ENVIRON)
    assert (replayed.returncode, json.loads(replayed.stdout)) == (0, packet)

    again = repo.wardround(
        "solve", "--resume", packet["sequence"], "--apply", "--open-branch", "fix/label", "--format", "json"
    )
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout) == packet
    assert repo.git("diff", "--name-only").split() == ["shop.py"]
    assert repo.git("rev-list", "--count", "main..fix/label").strip() == "1"
    assert repo.git("show", "fix/label:shop.py").encode() == repo.read("shop.py")


def test_an_exchange_answers_in_two_roles_and_an_edit_of_a_test_is_left_out(
    repo: GitRepository, tmp_path: Path
) -> None:
    repo.commit(FILES)
    model = ExchangeOfFiles(tmp_path / "exchange")
    arguments = ("--exchange", model.folder)

    status, packet = solve(repo, "--test", FAILING, "--task", "Labels of items without a name", *arguments)
    assert (status, packet["kind"]) == (4, "repair-loop")
    assert "not answered yet" in packet["reason"]
    resume = ("--resume", packet["sequence"], *arguments)
    assert packet["next"] == [f"wardround solve --resume {packet['sequence']} continues this run"]
    (request,) = model.requests()
    assert request["input"]["task"] == "Labels of items without a name"
    assert request["input"]["failing_tests"][0]["id"] == FAILING
    assert 'return item["name"].lower()' in request["input"]["context"]
    context = json.loads(repo.read("artifacts/wardround/write-context.json"))
    assert context["text"] == request["input"]["context"]
    assert repo.read("artifacts/wardround/patch-plan.md").startswith(b"# Labels of items without a name")

    model.answer("I would rather not.")
    assert solve(repo, *resume)[0] == 4
    (request,) = model.requests()
    assert "could not be used: it has no JSON document with edits" in request["prompt"]

    hostile = {"file": "tests/test_shop.py", "find": 'assert label({}) == ""', "replace": "pass"}
    model.answer(f"Sure!\n```json\n{answer_with(edits=[GOOD, hostile], reason='No name is empty.')}\n```")
    assert solve(repo, *resume)[0] == 4
    (request,) = model.requests()
    assert request["prompt"].startswith("# verifier, version")
    assert "tests/test_shop.py" not in request["input"]["patch"]

    model.answer(json.dumps(AGREES))
    status, packet = solve(repo, *resume)
    assert (status, packet["kind"], packet["reason"]) == (0, "human-merge-review", "No name is empty.")
    assert packet["refused"] == ["tests/test_shop.py"]
    assert "the verifier agrees" in packet["verification"]
    assert repo.git("status", "--short") == ""
    replayed = repo.wardround("solve", "--replay", packet["sequence"], "--format", "json", env=ENVIRON)
    assert json.loads(replayed.stdout) == packet


def test_a_rejected_patch_is_shown_to_the_next_round(repo: GitRepository, tmp_path: Path) -> None:
    repo.commit(FILES)
    model = ExchangeOfFiles(tmp_path / "exchange")
    arguments = ("--exchange", model.folder)
    _, packet = solve(repo, "--test", FAILING, "--rounds", "2", *arguments)
    resume = ("--resume", packet["sequence"], *arguments)
    broken = {**GOOD, "replace": '    return ""'}
    model.answer(answer_with(edits=[broken], reason="Empty."))

    status, packet = solve(repo, *resume)
    assert status == 4
    (attempt,) = packet["attempts"]
    assert attempt["objections"][0]["step"] == "tests"
    assert attempt["objections"][0]["place"] == "tests/test_shop.py::test_label"
    (request,) = model.requests()
    (shown,) = request["input"]["attempts"]
    assert '+    return ""' in shown["patch"]
    assert "passes without the patch and fails with it" in shown["problems"][0]

    model.answer(answer_with(reason="The input does not show it."))
    status, packet = solve(repo, *resume)
    assert (status, packet["patch"]) == (1, "")
    assert packet["reason"] == "no patch was accepted: 1 rejected by tests"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "there is nothing to solve; give --task, --test, or both"),
        (("--test", FAILING, "--replay", "x"), "cannot go together; a sequence has its own task"),
        (("--replay", "x"), "sequence x cannot be read: No such file or directory; check its id"),
        (("--test", "tests/test_shop.py::test_total"), "test_total does not fail at the base: it passes"),
        (("--test", "tests/test_shop.py::test_other"), "test_other did not run"),
        (("--test", "shop.txt"), "shop.txt: the test file does not exist"),
        (("--task", "Add support for currencies"), "without an endpoint a patch needs a failing test"),
        (("--task", "fix"), "it has fewer than 2 words"),
        (("--test", FAILING, "--author", "endpoint"), "no endpoint has the role author"),
        (("--test", FAILING, "--author", "nobody"), "'nobody' is none of edits, endpoint"),
        (("--test", FAILING, "--base", "nowhere"), "nowhere"),
    ],
)
def test_bad_input_is_one_sentence(repo: GitRepository, arguments: tuple[str, ...], message: str) -> None:
    repo.commit(FILES)
    done = repo.wardround("solve", "--sandbox", "none", *arguments, env=ENVIRON)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_without_an_environment_the_status_is_inconclusive(repo: GitRepository) -> None:
    repo.commit(FILES)
    done = repo.wardround("solve", "--test", FAILING, env={"VIRTUAL_ENV": "/nonexistent"})
    assert done.returncode == 4
    assert len(done.stderr.strip().splitlines()) == 1


def test_the_request_of_the_author_is_shown_and_not_sent(repo: GitRepository, tmp_path: Path) -> None:
    repo.commit({**FILES, "shop.py": f'{CODE}\nTOKEN = "ghp_{"a1B2" * 9}"\n'})
    folder = tmp_path / "exchange"
    done = repo.wardround(
        "solve", "--task", "Labels of items without a name", "--exchange", folder, "--show-prompt", "author"
    )
    assert done.returncode == 0, done.stderr
    request = json.loads(done.stdout)
    assert json.loads(request["messages"][1]["content"])["task"] == "Labels of items without a name"
    assert "ghp_" not in done.stdout
    assert not folder.exists()


def test_uncommitted_changes_are_part_of_the_base(repo: GitRepository, tmp_path: Path) -> None:
    repo.commit({**FILES, "tests/test_shop.py": "from shop import label, total\n"})
    repo.write("tests/test_shop.py", FILES["tests/test_shop.py"])
    repo.write("notes.txt", "untracked\n")
    _, packet = solve(repo, "--test", FAILING, "--exchange", tmp_path / "exchange")
    assert "test_label_without_a_name" in repo.git("show", f"{packet['base']}:tests/test_shop.py")
    assert repo.git("show", f"{packet['base']}:notes.txt") == "untracked\n"
    assert repo.git("branch", "--contains", packet["base"]) == ""
    assert repo.git("status", "--short").splitlines() == [" M tests/test_shop.py", "?? notes.txt"]


def test_configured_endpoints_write_and_verify_and_the_packet_has_their_cost(repo: GitRepository) -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 100}
    behaviour = by_plane(
        reset,
        author=answers(answer_with(edits=[GOOD], reason="No name is empty."), usage=usage),
        verifier=answers(json.dumps(AGREES), usage=usage),
    )
    with endpoint(behaviour) as server:
        settings = (
            f'[endpoints.mine]\nurl = "{server.url}"\nmodel = "m"\ninput-price = 2\noutput-price = 10\n'
            '[roles]\nauthor = "mine"\nverifier = "mine"\n'
        )
        repo.commit({**FILES, ".wardround.toml": settings})
        status, packet = solve(repo, "--test", FAILING)
        roles = [request.plane for request in server.received]
    assert (status, roles) == (0, ["author", "verifier"]), packet["reason"]
    assert packet["cost"] == {
        "requests": 2,
        "prompt_tokens": 2000,
        "completion_tokens": 200,
        "money": 0.006,
        "cpu_s": 0.0,
    }
    replayed = repo.wardround("solve", "--replay", packet["sequence"], "--format", "json", env=ENVIRON)
    assert json.loads(replayed.stdout) == packet
    offline = repo.wardround("solve", "--test", FAILING, "--offline", env=ENVIRON)
    assert (offline.returncode, "is on the network" in offline.stderr) == (2, True)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ('[roles]\nauthor = "mine"\n', "roles.author: the endpoint 'mine' does not exist; add"),
        (
            '[endpoints.mine]\nurl = "ftp://x"\nmodel = "m"\n',
            "endpoints.mine.url: it is not an https",
        ),
        ('[endpoints.mine]\nurls = "x"\n', "endpoints.mine: unknown key 'urls'"),
    ],
)
def test_an_endpoint_that_cannot_be_used_is_a_configuration_error(
    repo: GitRepository, settings: str, message: str
) -> None:
    repo.commit({**FILES, ".wardround.toml": settings})
    done = repo.wardround("solve", "--test", FAILING, env=ENVIRON)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


PLUGIN = """
from wardround.hookspecs import hookimpl


@hookimpl
def wardround_authors():
    return {"acme": "acme_solver:author"}


@hookimpl
def wardround_localizations():
    return {"acme": "acme_solver:localization"}


@hookimpl
def wardround_selections():
    return {"last": "acme_solver:selection"}


class Stage:
    def __init__(self, run):
        self.run = run


async def author(inputs):
    from wardround.authoring.stages import Patch, PatchedFile

    async def run(localization, instance_id):
        assert localization.content == "the label"
        text = inputs.read("shop.py")
        wrong = text.replace('item["name"].lower()', "None")
        right = text.replace('item["name"].lower()', 'item.get("name", "").lower()')
        return [Patch((PatchedFile("shop.py", new),), "acme", "acme knows") for new in (wrong, right)], []

    return Stage(run)


async def localization(inputs):
    from wardround.authoring.stages import LocalizationResult

    async def run(instance_id):
        return LocalizationResult("the label")

    return Stage(run)


async def selection(inputs):
    return Stage(lambda patches, instance_id: patches[-1])
"""


def test_a_plugin_contributes_stages_through_the_same_hooks(repo: GitRepository, tmp_path: Path) -> None:
    install(tmp_path / "site", "acme_solver", PLUGIN)
    repo.commit(FILES)
    stages = ("--author", "acme", "--localization", "acme", "--selection", "last")
    done = repo.wardround(
        "solve", "--sandbox", "none", "--format", "json", "--task", "Labels without a name", *stages,
        env=ENVIRON | {"PYTHONPATH": str(tmp_path / "site")},
    )  # fmt: skip
    packet = json.loads(done.stdout)
    assert (done.returncode, packet["author"], packet["reason"]) == (0, "acme", "acme knows"), done.stderr
    assert 'item.get("name", "")' in packet["patch"]
    assert packet["unverified"][0] == "no test defines the task, so nothing shows that the patch does it"


def test_an_exchange_chooses_the_code_and_writes_the_patch_from_it(
    repo: GitRepository, tmp_path: Path
) -> None:
    repo.commit(FILES)
    model = ExchangeOfFiles(tmp_path / "exchange")
    arguments = ("--exchange", model.folder)
    task = ("--task", "Labels of items without a name", "--localization", "hierarchical")

    shown = repo.wardround("solve", *task, *arguments, "--show-prompt", "localization", env=ENVIRON)
    assert json.loads(json.loads(shown.stdout)["messages"][1]["content"])["candidates"][0] == "shop.py"
    _, packet = solve(repo, *task, *arguments)
    resume = ("--resume", packet["sequence"], *arguments)
    for name in ("shop.py", "shop.py:9-11"):
        (request,) = model.requests()
        assert request["prompt"].startswith("# localization, version")
        model.answer(json.dumps({"chosen": [name]}))
        solve(repo, *resume)
    (request,) = model.requests()
    assert request["prompt"].startswith("# author, version")
    assert "def label(item):" in request["input"]["context"]


SLOW_SELECTION = """

async def selection(inputs):
    import pathlib, time

    def run(patches, instance_id):
        pathlib.Path("selection-began").touch()
        time.sleep(600)

    return Stage(run)
"""


def test_an_interrupted_selection_ends_with_a_packet(repo: GitRepository, tmp_path: Path) -> None:
    install(tmp_path / "site", "acme_solver", PLUGIN + SLOW_SELECTION)
    repo.commit(FILES)
    command = [
        SCRIPTS / "wardround", "solve", "--sandbox", "none", "--format", "json",
        "--task", "Labels without a name", "--author", "acme", "--localization", "acme",
        "--selection", "last",
    ]  # fmt: skip
    environ = os.environ | ENVIRON | {"PYTHONPATH": str(tmp_path / "site")}
    process = subprocess.Popen(
        command, cwd=repo.root, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    while not (repo.root / "selection-began").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert json.loads(output)["reason"] == "the run was interrupted; continue it with --resume"


def test_the_report_of_an_earlier_run_of_tests_stays(repo: GitRepository, tmp_path: Path) -> None:
    repo.commit(FILES)
    repo.write("artifacts/wardround/test-report.json", "{}")
    solve(repo, "--task", "Labels of items without a name", "--exchange", tmp_path / "exchange")
    assert repo.read("artifacts/wardround/test-report.json") == b"{}"
