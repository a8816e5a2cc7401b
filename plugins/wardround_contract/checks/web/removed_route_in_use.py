from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from wardround.checks.source import ChangedFileView
from wardround.findings import Severity
from wardround.rules.cases import change
from wardround_contract.analysis.routes import file_route, longest_segment, pattern_of, route_names, routes
from wardround_contract.analysis.text_search import TextSearch
from wardround_contract.analysis.uses import NOT_MAINTAINED, RemainingUse
from wardround_contract.check import BrokenUseCheck

_CODE = (
    "*.py",
    "*.html",
    "*.ts",
    "*.tsx",
    "*.js",
    "*.jsx",
    "*.mjs",
    "*.vue",
    "*.svelte",
    "*.jinja*",
    "*.txt",
)
_URLS = ("*.py",)
_HANDLERS = ("*.py", "*.ts", "*.js", "*.mjs")
_MOST_ROUTES = 40
_DECLARES = r"(?:@\w|path\(|route\(|redirects?\b|rewrite|source:|app\.|router\.)"


class RemovedRouteInUse(BrokenUseCheck):
    """A route, or the name of a route, is removed or renamed, and code still refers to it.

    The request gets status 404; ``reverse`` and ``{% url %}`` raise NoReverseMatch. Change the references in
    the same commit, or redirect the old route.

    Routes are the names of Django's URL patterns, paths in decorators and of routers, and the files of
    Next.js. A reference is a string with the path itself; paths with a single short part are too common.
    """

    ID = "CT006"
    NAME = "removed-route-in-use"
    DEFECT_CLASS = "removed-route-in-use"
    SEVERITY = Severity.WARN
    PATHS = (".py", ".ts", ".tsx", ".js", ".jsx", ".mjs")
    PREFILTER = "wardround_contract.prefilters:removes_a_route"
    VALID = [
        change(
            {
                "app/urls.py": (
                    """
                    urlpatterns = [path("jobs/", jobs, name="job-list")]
                    """,
                    """
                    urlpatterns = [path("work/", jobs, name="job-list")]
                    """,
                ),
            },
            others={
                "app/views.py": """
                url = reverse("job-list")
                """,
            },
        ),
        change(
            {"pages/reports/weekly.tsx": ("export default 1\n", None)},
            others={
                "app/(main)/reports/weekly/page.tsx": "export default 1\n",
                "components/Menu.tsx": """
                export const url = "/reports/weekly"
                """,
            },
        ),
    ]
    INVALID = [
        change(
            {
                "app/urls.py": (
                    """
                    urlpatterns = [path("jobs/", jobs, name="job-list")]
                    """,
                    """
                    «urlpatterns = [path("jobs/", jobs, name="jobs")]»
                    """,
                ),
            },
            others={
                "templates/menu.html": """
                <a href="{% url 'job-list' %}">Jobs</a>
                """,
            },
        ),
        change(
            {"pages/reports/weekly.tsx": ("«»export default 1\n", None)},
            others={
                "components/Menu.tsx": """
                export const url = "/reports/weekly"
                """,
            },
        ),
    ]

    def run(self) -> None:
        self._search = TextSearch(self.change)
        reported = 0
        for file in self.change.files:
            if reported < _MOST_ROUTES and not NOT_MAINTAINED.search(file.path):
                for line, what, uses in self._breakages(file):
                    reported += 1
                    self.report_removed_definition(file, line, what, uses, Severity.WARN)

    def _breakages(self, file: ChangedFileView) -> Iterator[tuple[int, str, list[RemainingUse]]]:
        path, base, head = file.base_path, file.base_text, file.text or ""
        if path is None or base is None:
            return
        yield from self._broken_file(file, path)
        is_moved = file.text is not None and file.path != path
        if base != head and not is_moved:
            yield from self._broken_routes(path, base, head)

    def _broken_routes(
        self, path: str, base: str, head: str
    ) -> Iterator[tuple[int, str, list[RemainingUse]]]:
        for name, line in _missing_entries(route_names(path, base), route_names(path, head)):
            uses = self._uses_of_name(name)
            if uses:
                yield line, f"route name `{name}` is removed", uses
        for route, line in _missing_entries(routes(path, base), routes(path, head)):
            uses = self._uses_of_route(route)
            if uses:
                yield line, f"route `{route}` is removed", uses

    def _broken_file(self, file: ChangedFileView, path: str) -> Iterator[tuple[int, str, list[RemainingUse]]]:
        route = file_route(path)
        if not route or (file.text is not None and file_route(file.path) == route):
            return
        if self.change.project.read(path) is not None or route in self._file_routes():
            return
        uses = self._uses_of_route(route)
        if uses:
            yield 1, f"route `{route}` is removed", uses

    def _file_routes(self) -> set[str]:
        paths = self.change.project.paths(("*app/*", "*pages/*"))
        return {file_route(path) for path in paths}

    def _uses_of_name(self, name: str) -> list[RemainingUse]:
        escaped = re.escape(name)
        if self._search.has(re.compile(rf"\bname\s*=\s*['\"]{escaped}['\"]"), [name], _URLS):
            return []
        used = re.compile(
            rf"(?:\{{%\s*url\s+|\breverse(?:_lazy)?\(\s*|\bredirect\(\s*|\bresolve_url\(\s*)['\"](?:[\w-]+:)*{escaped}['\"]"
        )
        return self._matching_uses(used, name)

    def _uses_of_route(self, route: str) -> list[RemainingUse]:
        pattern, word = pattern_of(route), longest_segment(route)
        if pattern is None or not word:
            return []
        declared = re.compile(rf"{_DECLARES}[^\n]*['\"`]{re.escape(route)}/?['\"`]")
        if self._search.has(declared, [word], _HANDLERS):
            return []
        return self._matching_uses(pattern, word)

    def _matching_uses(self, pattern: re.Pattern[str], word: str) -> list[RemainingUse]:
        lines = (
            line
            for path in self._search.files([word], _CODE)
            for line in self._search.lines_of(path, pattern)
        )
        return [RemainingUse(line.path, line.number) for line in lines]


def _missing_entries(base: Mapping[str, int], head: Mapping[str, int]) -> list[tuple[str, int]]:
    return [(name, line) for name, line in base.items() if name not in head]
