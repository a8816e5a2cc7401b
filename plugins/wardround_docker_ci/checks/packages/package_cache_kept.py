"""DC109."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
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
        if _NOT_SHIPPED.search(self.file.path) or not any(
            stage.all("CMD", "ENTRYPOINT") for stage in shipped
        ):
            return
        steps = [one for stage in shipped for one in stage.all("RUN")]
        if any(_REMOVES_CACHES.search(one.body.text) for one in steps):
            for one in steps:
                found = _INSTALL.search(one.body.text)
                if found is None or any(
                    name == "mount" and "cache" in value.text for name, value in one.flags
                ):
                    continue
                tool = found.group().split()[0]
                if not _CLEANED.search(one.body.text):
                    start = one.body.start + found.start()
                    end = one.body.start + found.start() + len(found.group().rstrip())
                    self.report_at(
                        start, end, f"the cache of {tool} stays in this layer; clean it in the same RUN"
                    )
