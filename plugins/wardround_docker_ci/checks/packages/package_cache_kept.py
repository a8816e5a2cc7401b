from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.languages.dockerfile import Instruction
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import DOCKERFILE, CiCheck

_INSTALL = LazyPattern(
    r"(?<![\w-])(?:npm\s+(?:--?\S+\s+)*(?:ci|install|i)\b|composer\s+(?:--?\S+\s+)*install\b)[^&|;\n]*"
)
_CLEANED = LazyPattern(
    r"npm\s+cache\s+(?:clean|clear|rm)|composer\s+(?:clear-?cache|cc)\b|--no-cache|--cache[ =]"
    r"|npm_config_cache"
    r"|COMPOSER_CACHE_DIR|rm\s+-\w+\s[^&|;\n]*(?:\.npm|composer|/tmp|/root|~)"
)
_REMOVES_CACHES = LazyPattern(
    r"rm\s+-\w+\s[^&|;\n]*(?:/var/(?:lib/apt|cache)|\.cache|\.npm)|--no-cache|\bcache\s+(?:clean|clear|rm)\b"
    r"|\bapt-get\s+clean\b|clear-?cache\b"
)
_NOT_SHIPPED = LazyPattern(r"(?:^|[/._-])(?:ci|dev|devcontainer|tests?|e2e|cypress|examples?)(?:[/._-]|$)")


class PackageCacheKept(CiCheck):
    """The cache of the package manager stays in an image that removes others.

    It is often as large as the installed packages, and is shipped with every image without use. Clean it in
    the same RUN (`&& npm cache clean --force`), or use `--mount=type=cache`; a later RUN does not make the
    layer smaller.
    """

    ID = "DC109"
    NAME = "package-cache-kept"
    PLANE = Plane.PERF
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "package-cache-kept"
    KINDS = DOCKERFILE
    NEEDS = ("npm", "composer")
    VALID = [
        code("""
            FROM a:1
            RUN npm ci --omit=dev && npm cache clean --force
            CMD a
        """),
        code("""
            FROM a:1
            RUN npm ci --omit=dev
            CMD a
        """),
    ]
    INVALID = [
        code("""
            FROM a:1
            RUN «npm install -g pm2@5»
            RUN npm ci && npm cache clean --force
            CMD a
        """),
        code(r"""
            FROM a:1
            RUN apk add --no-cache git
            RUN make \
             && «npm ci --omit=dev»
            CMD a
        """),
    ]

    def run(self) -> None:
        shipped = self.file.dockerfile.shipped
        is_shipped = any(stage.all("CMD", "ENTRYPOINT") for stage in shipped)
        if not is_shipped or _NOT_SHIPPED.search(self.file.path):
            return
        steps = [step for stage in shipped for step in stage.all("RUN")]
        if any(_REMOVES_CACHES.search(step.body.text) for step in steps):
            for step in steps:
                self._check(step)

    def _check(self, step: Instruction) -> None:
        install = _INSTALL.search(step.body.text)
        is_mounted = any(name == "mount" and "cache" in value.text for name, value in step.flags)
        if install is None or is_mounted or _CLEANED.search(step.body.text):
            return
        start = step.body.start + install.start()
        tool = install.group().split()[0]
        message = f"the cache of {tool} stays in this layer; clean it in the same RUN"
        self.report_at(start, start + len(install.group().rstrip()), message)
