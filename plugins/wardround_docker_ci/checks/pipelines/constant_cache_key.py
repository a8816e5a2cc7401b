from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.languages.yaml.nodes import Mapping
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import GITLAB, STEPS, CiCheck

_COUNTED = LazyPattern(r"^v\d{1,2}[-_.]|[-_.]v\d{1,2}$")
"""A ``v2`` at either end, a counter to reset the cache; another number may be a version of the contents."""
_OF_THE_BRANCH = LazyPattern(r"\$\{\{github\.(?:ref|ref_name|head_ref|base_ref|workflow|job)\}\}")
_ONE_PIPELINE = LazyPattern(r"\$\{?CI_(?:COMMIT_(?:SHORT_)?SHA|PIPELINE_I?ID|JOB_ID)\b")
_EVERY_RUN = LazyPattern(r"github\.(?:sha|run_id|run_number)")


class ConstantCacheKey(CiCheck):
    """A cache key is the same in every run, or unique to one run, so the cache is stale or empty.

    An existing key is never written again: after the first dependency update the cache is stale forever. A
    key with the commit or the run in it never matches again without `restore-keys`. Put `${{
    hashFiles('...') }}` of the files that determine the contents into the key.
    """

    ID = "DC079"
    NAME = "constant-cache-key"
    PLANE = Plane.PERF
    SEVERITY = Severity.WARN
    DEFECT_CLASS = "constant-cache-key"
    KINDS = STEPS | GITLAB
    NEEDS = ("actions/cache", "cache:")
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code("""
            on: push
            jobs:
              a:
                steps:
                  - uses: actions/cache@v4
                    with:
                      path: x
                      key: ${{ runner.os }}-${{ hashFiles('a.lock') }}
        """),
        code("""
            on: push
            jobs:
              a:
                steps:
                  - uses: actions/cache/restore@v4
                    with: {path: x, key: y}
        """),
    ]
    INVALID = [
        code("""
            on: push
            jobs:
              a:
                steps:
                  - uses: actions/cache@v4
                    with: {path: x, key: '«pip-${{ runner.os }}-v1»'}
        """),
        code("""
            on: push
            jobs:
              a:
                steps:
                  - uses: actions/cache@v4
                    with:
                      path: x
                      key: «deps-${{ github.sha }}»
        """),
    ]

    def run(self) -> None:
        if self.file.kind in GITLAB:
            self._gitlab()
            return
        for _, step in self.file.workflow.all_steps:
            key = step.inputs.scalar("key")
            if step.action != "actions/cache" or key is None:
                continue
            is_lookup = bool(step.node.text("id")) or step.inputs.get("lookup-only") is not None
            again = is_lookup or step.inputs.get("restore-keys") is not None
            message = self._problem(key.value, again=again)
            if message:
                text = self.file.passage(key)
                self.report_at(text.start, text.end, message)

    def _gitlab(self) -> None:
        """Report keys of one commit or pipeline; GitLab rewrites a cache with a constant key in every run."""
        for job in self.file.gitlab_jobs:
            for cache in job.node.items_at("cache"):
                key = cache.scalar("key") if isinstance(cache, Mapping) else None
                again = isinstance(cache, Mapping) and cache.get("fallback_keys") is not None
                is_once = key is not None and _ONE_PIPELINE.search(key.value) is not None
                if key is not None and is_once and not again and self.file.text.count(key.value) == 1:
                    text = self.file.passage(key)
                    self.report_at(
                        text.start,
                        text.end,
                        "the next commit has another key, so the cache is always empty; add fallback_keys",
                    )

    def _problem(self, key: str, *, again: bool) -> str:
        rest = key.replace(" ", "").replace("${{runner.os}}", "").replace("${{runner.arch}}", "")
        rest = _COUNTED.sub("", _OF_THE_BRANCH.sub("", rest))
        if rest and "${{" not in rest and not any(map(str.isdigit, rest)):
            return "the key is constant, so the cache is never updated; add hashFiles"
        if again or not _EVERY_RUN.search(key) or self.file.text.count(key) != 1:
            return ""
        # A later job of the run may restore what an earlier one saved.
        if any(job.node.get("uses") is not None for job in self.file.workflow.jobs):
            return ""
        return "the next commit has another key, so the cache is always empty; add restore-keys"
