"""The adapter of Python's environment variables for the checks of documentation."""

from __future__ import annotations

from collections.abc import Mapping

from wardround.semantics.docdrift.env_vars import Variable, VariableCheck


class PythonVariableCheck(VariableCheck):
    """A check of the variables modules read; their parser is imported only if one changed."""

    PATHS = (".py",)
    WORDS = ("environ", "getenv", "BaseSettings")

    def variables(self, path: str, text: str) -> Mapping[str, Variable] | None:
        from wardround_python.docdrift.env_vars import variables

        return variables(path, text)

    def is_test(self, path: str) -> bool:
        from wardround.languages.python.module import is_test_path

        return is_test_path(path)
