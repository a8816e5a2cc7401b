from __future__ import annotations

import ast

from wardround.checks.source import SourceFile
from wardround.findings import Plane
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck
from wardround_python.syntax.calls import keyword_values

_MESSAGE = 'a name in the archive can lead out of the target folder; pass filter="data"'
_LOOKED = LazyPattern(
    r"(?i)\.\.|startswith|is_relative_to|commonpath|commonprefix|relative_to|basename|isabs|safe|\.isfile\(\)"
)


class UnsafeArchiveExtraction(PythonCheck):
    """A tar archive is extracted without validating the names in it.

    A member called ``../../.ssh/authorized_keys``, or a link and a file below it, is written outside the
    target folder. Pass ``filter="data"``, which rejects such members.
    """

    ID = "PY334"
    NAME = "unsafe-archive-extraction"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "path-traversal"
    WORDS = ("fully_trusted", ".extract(", "unpack_archive", "extraction_filter")
    VALID = [
        code("""
            import tarfile
            with tarfile.open(path) as tar:
                tar.extract('index', folder, filter='data')
        """),
        code("""
            import tarfile
            with tarfile.open(path) as tar:
                tar.extractall(folder, filter='data')
        """),
    ]
    INVALID = [
        code(
            """
            import tarfile
            def unpack(path, folder):
                with tarfile.open(path) as tar:
                    for member in tar:
                        «tar.extract(member, folder)»
            """,
            fixed="""
            import tarfile
            def unpack(path, folder):
                with tarfile.open(path) as tar:
                    for member in tar:
                        tar.extract(member, folder, filter="data")
            """,
        ),
        code("""
            import tarfile
            def unpack(path, folder):
                with tarfile.open(path) as tar:
                    «tar.extractall(folder, filter='fully_trusted')»
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return super().wants(source) and ("tarfile" in source.text or "unpack_archive" in source.text)

    def visit_Assign(self, node: ast.Assign) -> None:
        named = [target.attr for target in node.targets if isinstance(target, ast.Attribute)]
        if "extraction_filter" in named and "fully_trusted" in unparse(node.value):
            self.report(self.module.span(node), _MESSAGE)

    def visit_Call(self, node: ast.Call) -> None:
        filters = keyword_values(node, "filter")
        if filters:
            if "fully_trusted" in unparse(filters[0]):
                self._report(node)
        elif self.module.qualified_name(node.func) == "shutil.unpack_archive":
            if not self._is_ours(node) and not _is_zip(node):
                self._report(node)
        elif self._extracts_member(node) and not self._is_inspected(node):
            self._report(node)

    def _extracts_member(self, node: ast.Call) -> bool:
        """Return True if a call extracts a member of a tar archive that no constant names."""
        if not isinstance(node.func, ast.Attribute) or node.func.attr != "extract" or not node.args:
            return False
        return not isinstance(node.args[0], ast.Constant) and self._is_tar(node.func.value)

    def _report(self, node: ast.Call) -> None:
        fix = self.fix(node, lambda edit: edit.keyword(node, "filter", '"data"'), "refuse such members")
        self.report(self.module.span(node), _MESSAGE, fix)

    def _is_ours(self, node: ast.Call) -> bool:
        """Return True if the archive is named in the source or created by the same function."""
        if not node.args or isinstance(node.args[0], (ast.Constant, ast.JoinedStr)):
            return True
        function = self.module.function_of(node)
        return function is None or "make_archive" in unparse(function)

    def _is_tar(self, node: ast.expr) -> bool:
        text = unparse(node)
        return any(
            (
                isinstance(inner, (ast.With, ast.AsyncWith))
                and any(
                    item.optional_vars is not None
                    and unparse(item.optional_vars) == text
                    and "tarfile." in unparse(item.context_expr)
                    for item in inner.items
                )
            )
            or (
                isinstance(inner, ast.Assign)
                and unparse(inner.targets[0]) == text
                and "tarfile." in unparse(inner.value)
            )
            for inner in self.module.nodes
        )

    def _is_inspected(self, node: ast.Call) -> bool:
        function = self.module.function_of(node) or self.module.tree
        return _LOOKED.search(unparse(function)) is not None


def _is_zip(node: ast.Call) -> bool:
    kinds = [*node.args[2:3], *(k.value for k in node.keywords if k.arg == "format")]
    return bool(kinds) and isinstance(kinds[0], ast.Constant) and kinds[0].value == "zip"
