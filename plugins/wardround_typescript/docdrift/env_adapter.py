"""Environment variables of scripts, for the checks of them."""

from __future__ import annotations

from collections.abc import Mapping

from wardround.semantics.docdrift.env_vars import Variable, VariableCheck
from wardround_typescript.docdrift.cli_adapter import is_test_script
from wardround_typescript.generated_files import SCRIPTS


class ScriptVariableCheck(VariableCheck):
    """A check of the variables that scripts read; the reader is imported when a variable changed."""

    PATHS = SCRIPTS
    WORDS = (".env",)

    def variables(self, path: str, text: str) -> Mapping[str, Variable] | None:
        from wardround_typescript.docdrift.env_vars import variables
        from wardround_typescript.generated_files import is_bundle

        return None if is_bundle(path, text) else variables(text)

    def is_test(self, path: str) -> bool:
        return is_test_script(path)
