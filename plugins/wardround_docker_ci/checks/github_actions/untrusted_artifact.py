from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from wardround.findings import Plane
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import WORKFLOW, CiCheck
from wardround_docker_ci.models.github_workflow import WorkflowJob, WorkflowStep

_DOWNLOADS = ("actions/download-artifact", "dawidd6/action-download-artifact")
_HARMLESS = LazyPattern(r"runner\.temp|RUNNER_TEMP|/tmp/")
_USES = LazyPattern(
    r"(?:^|[\s;&|(])(?:\.|source|bash|sh|python3?|node|chmod (?:-R )?(?:\+x|a\+x|[ug]+\+x"
    r"|7[0-7]{2})|npm|make|java -jar|npx|bun|deno run|php|ruby|go run|pnpm|yarn|just|docker run)\s"
    r"|(?:^|[\s;&|(])(?:\./|sudo \./)|\$\(cat |`cat |\$\(< *\S|(?:pip\d? install|dpkg -i|docker load)[ \t]"
    r"|(?:cat|<|cp|tee)\s*[^\n|;&]*>>?\s*[\"']?\$\{?GITHUB_(?:ENV|PATH|OUTPUT)"
)
"""Commands that run a file, or use its text as part of a command or of the environment."""


_OWN_RUN = LazyPattern(
    r"workflow_run\.(?:event\s*==\s*'(?:push|schedule|release|workflow_dispatch)'|head_repository\.(?:full_name|fork|id|owner))"
    r"|workflow_run\.event\s*!=\s*'pull_request'"
)
"""Conditions that allow only runs that a fork did not trigger."""
_LISTS_RUNS = LazyPattern(r"gh run list\b[^\n)]*?(?:--workflow[= ]|-w[= ]?)([\w.\"'-]+)[^\n)]*")
_SAYS_BRANCH = LazyPattern(r"(?:\s-b\s?|--branch|--event|-e\s|--commit|headBranch|\.event\b)")
_SHIPS = LazyPattern(
    r"gh release (?:upload|create)|\bpublish\b|\bdeploy\b|s3 (?:sync|cp)|docker push|\brsync\b"
)
_PROPOSED = LazyPattern(r"^on:.*\bpull_request\b|^\s+(?:- )?pull_request:?\s*(?:#.*)?$", re.MULTILINE)


_LOADS = LazyPattern(
    r"(?:require|import|exec(?:File)?(?:Sync)?)\(\s*[`'\"](?:(?:node|bash|sh|python3?)\s+)?"
    r"(?:\$\{\{?[^}]{1,60}\}\}?/)?(?:\./)?([^`'\"\n]+)[`'\"]"
)


class UntrustedArtifact(CiCheck):
    """An artifact built by a fork is unpacked into the workspace of a privileged job.

    The fork controls its contents: it can replace the scripts that later steps run, or set variables that
    change them. Unpack it into its own directory under `${{ runner.temp }}`, and use only data from it that
    you validate.
    """

    ID = "DC055"
    NAME = "untrusted-artifact"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "untrusted-artifact"
    KINDS = WORKFLOW
    NEEDS = ("workflow_run", "run download", "action-download-artifact")
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code("""
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - uses: actions/download-artifact@v4
                  - run: ./build.sh
            # workflow_run
        """),
        code("""
            on:
              workflow_run:
                workflows: [ci]
            jobs:
              a:
                runs-on: x
                steps:
                  - uses: actions/download-artifact@v4
                    with:
                      run-id: ${{ github.event.workflow_run.id }}
                      path: ${{ runner.temp }}/a
                  - run: ./publish.sh
        """),
    ]
    INVALID = [
        code(
            """
            on: workflow_dispatch
            jobs:
              a:
                steps:
                  - run: |
                      id=$(«gh run list --workflow ci.yml --limit 1 --json databaseId -q .[0].databaseId»)
                      gh run download $id
                      ./tool
            """,
            others={
                ".github/workflows/ci.yml": """
                on: [push, pull_request]
                jobs: {}
                """,
            },
        ),
        code("""
            on: workflow_run
            jobs:
              a:
                steps:
                  - run: gh run download $R --dir out
                  - uses: actions/github-script@v7
                    with:
                      script: const r = «require('./out/render.js'»)
        """),
    ]

    def run(self) -> None:
        if "workflow_run" in self.file.workflow.triggers:
            for job in self.file.workflow.jobs:
                if job.condition is None or not _OWN_RUN.search(job.condition.value):
                    self._check(job)
        elif not {"pull_request", "push"}.issuperset(self.file.workflow.triggers):
            for job in self.file.workflow.jobs:
                self._check_newest(job)

    def _check_newest(self, job: WorkflowJob) -> None:
        """Check downloads from the newest run of a workflow that pull requests trigger too, on any branch."""
        for at, step in enumerate(job.steps):
            location = self._any_branch(step)
            if location is None:
                continue
            uses = "\n".join(later.run.value for later in job.steps[at:] if later.run is not None)
            if _USES.search(uses) or _SHIPS.search(uses):
                self.report_at(*location, "the newest run may be one of a pull request; filter by branch")
            return

    def _any_branch(self, step: WorkflowStep) -> tuple[int, int] | None:
        if step.run is not None:
            text = self.file.passage(step.run)
            found = _LISTS_RUNS.search(text.text)
            if found is None or "gh run download" not in text.text or _SAYS_BRANCH.search(found.group()):
                return None
            return self._offsets_if_proposed(
                found.group(1), text.start + found.start(), text.start + found.end()
            )
        name = step.inputs.scalar("workflow")
        option = ("branch", "pr", "commit", "run_id", "run-id", "event")
        if (
            step.action != "dawidd6/action-download-artifact"
            or name is None
            or any(map(step.inputs.text, option))
        ):
            return None
        text = self.file.passage(name)
        return self._offsets_if_proposed(name.value, text.start, text.end)

    def _offsets_if_proposed(self, name: str, start: int, end: int) -> tuple[int, int] | None:
        """Return the offsets if pull requests also trigger the workflow in that file."""
        folder = self.source.path.rpartition("/")[0]
        text = self.source.project.read(f"{folder}/{name.strip(chr(39) + chr(34))}")
        return (start, end) if text is not None and _PROPOSED.search(text) else None

    def _check(self, job: WorkflowJob) -> None:
        """Report the first use after a download, where the fork's contents take effect."""
        for at, step in enumerate(job.steps):
            artifact = _downloaded_artifact(step)
            if artifact is None:
                continue
            locations = (
                self._find_use(artifact, job.steps[at:]),
                self._find_script_load(artifact, job.steps[at:]),
            )
            for used in locations:
                if used is not None:
                    self.report_at(
                        *used,
                        "a fork controls the artifact that runs here; unpack it under runner.temp",
                    )
            if any(locations):
                return

    def _find_script_load(self, artifact: _Artifact, steps: Sequence[WorkflowStep]) -> tuple[int, int] | None:
        """Return the offsets where a ``github-script`` loads code from the artifact."""
        for step in steps:
            script = step.inputs.scalar("script") if step.action == "actions/github-script" else None
            if script is None or not artifact.folder:
                continue
            text = self.file.passage(script)
            for found in _LOADS.finditer(text.text):
                if found[1].startswith(artifact.folder):
                    return text.start + found.start(), text.start + found.end()
        return None

    def _find_use(self, artifact: _Artifact, steps: Sequence[WorkflowStep]) -> tuple[int, int] | None:
        for step in steps:
            if step.run is None:
                continue
            text = self.file.passage(step.run)
            begin = artifact.end if step is artifact.step else 0
            found = next(
                (m for m in _USES.finditer(text.text, begin) if artifact.may_contain(text.text, m)), None
            )
            if found is not None:
                lead = len(found.group()) - len(found.group().lstrip(" \t\n;&|("))
                end = text.text.find("\n", found.start() + lead)
                return text.start + found.start() + lead, text.start + (end if end >= 0 else len(text.text))
        return None


class _Artifact(Struct, frozen=True):
    """An artifact of another run: the step that downloads it and its directory; empty for the workspace.

    ``behind`` is the end of the download in the text of a step that also uses the artifact.
    """

    step: WorkflowStep
    folder: str
    end: int = 0

    def may_contain(self, text: str, use: re.Match[str]) -> bool:
        """Return True if the used file may come from the artifact."""
        end = text.find("\n", use.end())
        line = text[use.start() : end if end >= 0 else len(text)]
        if not self.folder:
            return True
        return (
            self.folder in line
            or re.search(rf"\bcd [\"']?(?:\./)?{re.escape(self.folder)}", text) is not None
        )


def _downloaded_artifact(step: WorkflowStep) -> _Artifact | None:
    """Return the artifact of another run that a step unpacks; None if it is harmless or there is none."""
    if step.action in _DOWNLOADS:
        folder = step.inputs.text("path")
        is_other_run = any(map(step.inputs.text, ("run-id", "run_id", "workflow")))
        return _Artifact(step, _plain(folder)) if is_other_run and not _HARMLESS.search(folder) else None
    if step.action == "actions/github-script" and "downloadArtifact" in step.inputs.text("script"):
        return _Artifact(step, "")
    return _downloaded_by_script(step, step.run.value) if step.run is not None else None


def _downloaded_by_script(step: WorkflowStep, text: str) -> _Artifact | None:
    download = re.search(r"gh run download\b(?:[^\n]|\\\n)*", text)
    if download is None or _HARMLESS.search(text):
        return None
    option = re.search(r"(?:--dir[= ]|-D ?)[\"']?([^\s\"']+)", download.group())
    return _Artifact(step, _plain(option.group(1)) if option else "", download.end())


def _plain(folder: str) -> str:
    return folder.strip().removeprefix("${{ github.workspace }}/").removeprefix("./").strip("/").strip(".")
