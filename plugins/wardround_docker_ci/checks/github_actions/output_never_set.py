from __future__ import annotations

from collections.abc import Iterator

from wardround.findings import Severity
from wardround.languages.yaml.nodes import Node, Scalar
from wardround.languages.yaml.tree import walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import STEPS, CiCheck
from wardround_docker_ci.document import CiFile
from wardround_docker_ci.models.github_workflow import WorkflowJob, WorkflowStep, expressions

_READ = LazyPattern(r"(?<![\w.-])steps\.([\w-]+)\.outputs(?:\.([A-Za-z_][\w-]*)|\[['\"]([\w.-]+)['\"]\])")
_ONE_LINE = LazyPattern(
    r"(?:echo|printf)\s+(?:-\w+\s+)*(?:['\"]?)([A-Za-z_][\w-]*)=[^\n]*>>\s*[\"']?\$\{?GITHUB_OUTPUT"
)
_ANY = LazyPattern(r"GITHUB_OUTPUT|set-output|github\.output")
_CALLS = LazyPattern(
    r"(?:^|[\s;&|(])(?:(?:bash|sh|python3?|node|make|npm|npx|pnpm|yarn|source|\.)\s+[\w./-]|\.\.?/\w)"
)
"""Programs of the repository, which may set outputs too."""
_OWN_SHELLS = ("", "bash", "sh")


class OutputNeverSet(CiCheck):
    """A step output is read but never set, so it is always empty.

    GitHub reports no error: the tag, version or condition built from it is wrong. Use the name that the
    step sets.
    """

    ID = "DC129"
    NAME = "output-never-set"
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "undefined-name"
    KINDS = STEPS
    NEEDS = ("GITHUB_OUTPUT",)
    CASE_PATH = "action.yml"
    VALID = [
        code("""
            runs:
              steps:
                - id: v
                  run: echo "tag=$T" >> $GITHUB_OUTPUT
                - run: echo ${{ steps.v.outputs.tag }}
        """),
        code("""
            runs:
              steps:
                - id: v
                  run: |
                    echo a=1 >> $GITHUB_OUTPUT
                    ./more.sh
                - run: echo ${{ steps.v.outputs.b }}
        """),
    ]
    INVALID = [
        code("""
            runs:
              steps:
                - id: v
                  run: echo "pkg_version=$V" >> "$GITHUB_OUTPUT"
                - run: echo «${{ steps.v.outputs.version }}»
        """),
        code("""
            runs:
              steps:
                - id: v
                  run: echo cached=1 >> $GITHUB_OUTPUT
                - if: «steps.v.outputs.cache» == '1'
                  run: a
        """),
    ]

    def run(self) -> None:
        jobs: dict[int, WorkflowJob] = {id(job): job for job, _ in self.file.workflow.all_steps}
        for job in jobs.values():
            outputs = [(step.node.text("id"), _set_by(step)) for step in job.steps]
            known = {step: names for step, names in outputs if names}
            if known:
                self._check_uses(job.node if job.key is not None else self.file.root, known)

    def _check_uses(self, node: Node, known: dict[str, frozenset[str]]) -> None:
        for scalar in walk(node):
            if isinstance(scalar, Scalar) and ".outputs" in scalar.value:
                self._check(scalar, known)

    def _check(self, scalar: Scalar, known: dict[str, frozenset[str]]) -> None:
        for name, output, start, end in _output_reads(self.file, scalar):
            names = known.get(name)
            if names is not None and output not in names:
                listed = ", ".join(sorted(names))
                self.report_at(start, end, f'step "{name}" sets {listed} but not {output}')


def _output_reads(file: CiFile, scalar: Scalar) -> Iterator[tuple[str, str, int, int]]:
    """Yield the step outputs that a scalar reads: step, name and offsets of the expression."""
    text = file.passage(scalar)
    bare = "${{" not in text.text
    for expression in expressions(text.text, text.start) if not bare else ():
        for found in _READ.finditer(expression.inside):
            yield found[1], found[2] or found[3], expression.start, expression.end
    for found in _READ.finditer(text.text) if bare else ():
        yield found[1], found[2] or found[3], text.start + found.start(), text.start + found.end()


def _set_by(step: WorkflowStep) -> frozenset[str]:
    """Return the outputs of a script that sets all of them by literal names; empty if it may set more."""
    text = step.run.value if step.run is not None else ""
    if not step.node.text("id") or step.node.text("shell") not in _OWN_SHELLS:
        return frozenset()
    names = [found[1] for found in _ONE_LINE.finditer(text)]
    return (
        frozenset(names) if len(names) == len(_ANY.findall(text)) and not _CALLS.search(text) else frozenset()
    )
