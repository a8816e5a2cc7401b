"""A commit names the record of its review, as a trailer or a note, and never that of other content."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from wardround.records import store
from wardround.records.location import default_file

KEY = "Wardround-Record"
SPECIALISTS = 'only = ["text"]\n'
_clock = itertools.count(1_900_000_000, 60)


def committed(repo: GitRepository, *options: str | Path, stdin: bytes = b"") -> str:
    """Commit at another time than any other commit, and return the output of git and the git hooks."""
    env = {} if "--amend" in options else {"GIT_AUTHOR_DATE": f"{next(_clock)} +0000"}
    done = repo.run("git", "commit", *options, env=env, stdin=stdin)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def prepared(repo: GitRepository, mode: str, extra: str = "") -> GitRepository:
    """A repository with all hooks of the documentation, whose configuration has a mode."""
    repo.commit(
        {".wardround.toml": f'{SPECIALISTS}records = {{commit = "{mode}"}}\n{extra}', "a.py": "A = 1\n"}
    )
    for name in (
        "pre-commit",
        "pre-merge-commit",
        "prepare-commit-msg",
        "commit-msg",
        "post-commit",
        "post-merge",
    ):
        repo.git_hook(name, f'exec wardround hook --stage {name} "$@"')
    return repo


def trailers(repo: GitRepository, commit: str = "HEAD") -> list[str]:
    """The digests that the trailers of a commit name."""
    out = repo.git("log", "-1", f"--format=%(trailers:key={KEY},valueonly)", commit)
    return [line.removeprefix("sha256:") for line in out.split()]


def note(repo: GitRepository, commit: str = "HEAD") -> str:
    return repo.run("git", "notes", "--ref=wardround", "show", commit).stdout.strip()


def stored() -> list[str]:
    """The digests of the records in the store, the newest first."""
    with store.open_store(default_file()) as records:
        return [item.digest for item in records.query(store.Query())]


def message(repo: GitRepository) -> str:
    return repo.git("log", "-1", "--format=%B").strip("\n")


def test_by_default_a_commit_names_nothing_and_nothing_is_written(
    repo: GitRepository, isolated_folders: Path
) -> None:
    prepared(repo, "off")
    repo.stage({"a.py": "A = 2\n"})
    committed(repo, "-m", "change")
    assert message(repo) == "change"
    assert note(repo) == ""
    assert list((isolated_folders / "state").rglob("*")) == []


@pytest.mark.parametrize("way", ["-m", "-F", "editor"])
def test_a_trailer_names_the_record_of_the_commit(repo: GitRepository, tmp_path: Path, way: str) -> None:
    prepared(repo, "trailer")
    repo.stage({"a.py": "A = 2\n"})
    if way == "-m":
        committed(repo, "-m", "change", "-m", "why")
    elif way == "-F":
        committed(repo, "-F", "-", stdin=b"change\n\nwhy\n")
    else:
        editor = tmp_path / "editor"
        editor.write_text(
            '#!/bin/sh\nprintf "change\\n\\nwhy\\n\\n" | cat - "$1" > "$1.new"; mv "$1.new" "$1"\n'
        )
        editor.chmod(0o755)
        repo.git("config", "core.editor", str(editor))
        committed(repo, "--verbose", "--cleanup=scissors")
    (record,) = stored()
    assert re.sub(r"(?m)^#.*\n?", "", message(repo)).strip() == f"change\n\nwhy\n\n{KEY}: sha256:{record}"
    shown = repo.wardround("records", "show", record[:12]).stdout
    assert f"base:       {repo.git('rev-parse', 'HEAD^').strip()}\n" in shown


def test_a_message_keeps_its_other_trailers(repo: GitRepository) -> None:
    prepared(repo, "trailer")
    repo.stage({"a.py": "A = 2\n"})
    text = "change\n\nwhy\n---\nnot a divider\n\nFixes: #1\nSigned-off-by: Ada <ada@example.org>"
    committed(repo, "-m", text)
    assert message(repo) == f"{text}\n{KEY}: sha256:{stored()[0]}"


def test_an_empty_message_still_stops_the_commit(repo: GitRepository) -> None:
    prepared(repo, "trailer")
    repo.stage({"a.py": "A = 2\n"})
    repo.git("config", "core.editor", "true")
    for options in ((), ("--verbose",)):
        done = repo.run("git", "commit", *options)
        assert done.returncode == 1
        assert "Aborting commit due to empty commit message" in done.stderr


def test_a_partial_commit_and_renames_are_recognised(repo: GitRepository) -> None:
    repo.commit({"old.py": "X = 1\nY = 2\nZ = 3\n", "gone.py": "G = 1\n", "run.sh": "#!/bin/sh\n"})
    prepared(repo, "trailer")
    repo.git("mv", "old.py", "new.py")
    repo.git("rm", "--quiet", "gone.py")
    repo.git("update-index", "--chmod=+x", "run.sh")
    (repo.root / "link").symlink_to("a.py")
    repo.git("add", "link")
    committed(repo, "-m", "several")
    assert trailers(repo) == stored()[:1]
    repo.write("a.py", "A = 5\n")
    repo.write("new.py", "X = 2\n")
    committed(repo, "-m", "one file", "a.py")
    assert trailers(repo) == stored()[:1]
    committed(repo, "--all", "-m", "the other")
    assert trailers(repo) == stored()[:1]
    assert len(stored()) == 3


def test_the_first_commit_names_its_record(repo: GitRepository) -> None:
    repo.stage({".wardround.toml": f'{SPECIALISTS}records = {{commit = "trailer"}}\n', "a.py": "A = 1\n"})
    for name in ("pre-commit", "commit-msg"):
        repo.git_hook(name, f'exec wardround hook --stage {name} "$@"')
    committed(repo, "-m", "first", "-m", "why")
    assert trailers(repo) == stored()


def test_an_amended_message_keeps_the_record_of_the_same_content(repo: GitRepository) -> None:
    prepared(repo, "trailer")
    repo.stage({"a.py": "A = 2\n"})
    committed(repo, "-m", "change")
    (record,) = trailers(repo)
    committed(repo, "--amend", "--no-edit")
    assert trailers(repo) == [record]
    committed(repo, "--amend", "-m", f"better\n\n{KEY}: sha256:{record}")
    assert trailers(repo) == [record]


def test_an_amended_content_names_no_record_that_is_not_about_it(repo: GitRepository) -> None:
    prepared(repo, "trailer")
    repo.stage({"a.py": "A = 2\n"})
    committed(repo, "-m", "change")
    repo.stage({"a.py": "A = 3\n"})
    printed = committed(repo, "--amend", "--no-edit")
    assert message(repo) == "change"
    assert "it seems to amend another, and the review covers the added part only" in printed


def test_an_amended_commit_with_a_new_author_is_reported(repo: GitRepository) -> None:
    prepared(repo, "trailer")
    repo.stage({"a.py": "A = 2\n"})
    committed(repo, "-m", "change")
    repo.stage({"a.py": "A = 3\n"})
    printed = committed(repo, "--amend", "-m", "change", "--date", "1950000000 +0000")
    (record,) = trailers(repo)
    assert f"the record sha256:{record} is about other content than the commit" in printed
    committed(repo, "--amend", "--no-edit")
    assert trailers(repo) == []


def test_a_change_after_the_review_is_not_covered(repo: GitRepository) -> None:
    prepared(repo, "trailer")
    repo.git_hook("pre-commit", "wardround hook || exit 1\necho 'A = 9' > a.py\ngit add a.py")
    repo.stage({"a.py": "A = 2\n"})
    committed(repo, "-m", "change")
    assert message(repo) == "change"


@pytest.mark.parametrize("mode", ["trailer", "note"])
def test_without_a_review_no_record_is_named(repo: GitRepository, mode: str) -> None:
    prepared(repo, mode)
    repo.stage({"a.py": "A = 2\n"})
    committed(repo, "-m", "reviewed")
    repo.stage({"a.py": "A = 3\n"})
    committed(repo, "--no-verify", "-m", "change")
    assert message(repo) == "change"
    assert note(repo) == ""


def test_a_merge_names_its_record(repo: GitRepository) -> None:
    prepared(repo, "trailer")
    repo.git("checkout", "--quiet", "-b", "side")
    repo.commit({"b.py": "B = 1\n"})
    repo.git("checkout", "--quiet", "main")
    repo.commit({"a.py": "A = 2\n"})
    repo.git("merge", "--quiet", "side", "-m", "merge")
    assert trailers(repo) == stored()
    assert len(stored()) == 1


@pytest.mark.parametrize("command", [("rebase", "--quiet", "main", "side"), ("cherry-pick", "side")])
def test_a_commit_with_another_parent_names_no_record(repo: GitRepository, command: tuple[str, ...]) -> None:
    prepared(repo, "trailer")
    repo.git("checkout", "--quiet", "-b", "side")
    repo.stage({"b.py": "B = 1\n"})
    committed(repo, "-m", "side")
    assert len(trailers(repo)) == 1
    repo.git("checkout", "--quiet", "main")
    repo.commit({"a.py": "A = 2\n"})
    repo.git(*command)
    assert message(repo) == "side"


def test_squashed_commits_keep_no_record_of_their_parts(repo: GitRepository) -> None:
    prepared(repo, "trailer")
    base = repo.git("rev-parse", "HEAD").strip()
    for number in (2, 3):
        repo.stage({"a.py": f"A = {number}\n"})
        committed(repo, "-m", f"part {number}")
    env = {"GIT_SEQUENCE_EDITOR": "sed -i '2s/^pick/squash/'", "GIT_EDITOR": "true"}
    done = repo.run("git", "rebase", "--interactive", base, env=env)
    assert done.returncode == 0, done.stderr
    assert repo.git("rev-parse", "HEAD^").strip() == base
    assert trailers(repo) == []
    assert "part 2" in message(repo)


def test_a_note_names_the_record_of_the_commit(repo: GitRepository) -> None:
    prepared(repo, "note")
    repo.stage({"a.py": "A = 2\n"})
    committed(repo, "-m", "change")
    assert message(repo) == "change"
    assert note(repo) == f"{KEY}: sha256:{stored()[0]}"
    repo.stage({"a.py": "A = 3\n"})
    committed(repo, "--amend", "--no-edit")
    assert note(repo) == ""


def test_an_automatic_merge_has_a_note(repo: GitRepository) -> None:
    prepared(repo, "note")
    repo.git("checkout", "--quiet", "-b", "side")
    repo.commit({"b.py": "B = 1\n"})
    repo.git("checkout", "--quiet", "main")
    repo.commit({"a.py": "A = 2\n"})
    repo.git("merge", "--quiet", "side", "-m", "merge")
    assert note(repo) == f"{KEY}: sha256:{stored()[0]}"


def test_a_note_that_exists_is_retained(repo: GitRepository) -> None:
    prepared(repo, "note")
    repo.git_hook(
        "post-commit",
        "git notes --ref=wardround add -m reviewed-by-ada\nexec wardround hook --stage post-commit",
    )
    repo.stage({"a.py": "A = 2\n"})
    committed(repo, "-m", "change")
    assert note(repo) == f"reviewed-by-ada\n\n{KEY}: sha256:{stored()[0]}"


@pytest.mark.parametrize("mode", ["trailer", "note"])
def test_a_record_that_cannot_be_named_never_stops_a_commit(repo: GitRepository, mode: str) -> None:
    prepared(repo, mode)
    repo.git_hook("commit-msg", "wardround hook --stage commit-msg /nowhere/message")
    refs = Path(repo.git("rev-parse", "--absolute-git-dir").strip()) / "refs" / "notes"
    refs.write_text("in the way\n")
    repo.stage({"a.py": "A = 2\n"})
    printed = committed(repo, "-m", "change")
    assert "wardround: the commit does not name the record of its review: " in printed
    assert (message(repo), note(repo)) == ("change", "")


def test_a_damaged_memory_of_reviews_names_nothing(repo: GitRepository, isolated_folders: Path) -> None:
    prepared(repo, "trailer")
    repo.stage({"a.py": "A = 2\n"})
    committed(repo, "-m", "change")
    (file,) = (isolated_folders / "state" / "wardround" / "commits").iterdir()
    assert set(json.loads(file.read_bytes())[0]) == {"record", "base", "content", "attach"}
    file.write_bytes(b"{")
    committed(repo, "--amend", "-m", "again", "--no-verify")
    assert message(repo) == "again"
    repo.stage({"a.py": "A = 3\n"})
    committed(repo, "-m", "next")
    assert trailers(repo) == stored()[:1]


def test_a_record_that_is_not_stored_is_not_named(repo: GitRepository) -> None:
    prepared(repo, "trailer")
    default_file().mkdir(parents=True)
    repo.stage({"a.py": "A = 2\n"})
    printed = committed(repo, "-m", "change")
    assert "the review is not recorded" in printed
    assert message(repo) == "change"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ('"sometimes"', "records: 'sometimes' is none of 'ci', 'off', 'on'; choose one"),
        ('{commit = "both"}', "records: commit: 'both' is none of 'note', 'off', 'trailer'"),
        (
            '{commits = "note"}',
            "records: unknown key 'commits'; known here: accept, accept-days, commit, profiles",
        ),
        ("{accept-days = 0}", "records: accept-days: "),
    ],
)
def test_a_wrong_setting_is_a_configuration_error(repo: GitRepository, value: str, reason: str) -> None:
    repo.commit({".wardround.toml": f"records = {value}\n", "a.py": "A = 1\n"})
    done = repo.wardround("review")
    assert done.returncode == 2
    assert reason in done.stderr.replace("`", "'").lower()
