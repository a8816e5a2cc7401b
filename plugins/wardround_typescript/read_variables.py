"""How scripts read environment variables, for the checks of them."""

from __future__ import annotations

from collections.abc import Mapping

from wardround.drift.variables import Variable, VariableCheck
from wardround_typescript.bundles import SCRIPTS
from wardround_typescript.declared_options import is_test_script


class ScriptVariableCheck(VariableCheck):
    """A check of the variables scripts read; what it takes to read one is imported when one changed."""

    PATHS = SCRIPTS
    WORDS = (".env",)

    def variables(self, path: str, text: str) -> Mapping[str, Variable] | None:
        from wardround_typescript.bundles import is_bundle
        from wardround_typescript.variables import variables

        return None if is_bundle(path, text) else variables(text)

    def is_test(self, path: str) -> bool:
        return is_test_script(path)
