"""Rules about React do not apply to composables of another framework, which it may import by itself."""

from __future__ import annotations

import pytest
from wardround_typescript.specialist import TypescriptSpecialist

from wardround.findings import Span

_CODE = "const run = debounce(search, 300)\nconst route = useRoute()\n"


@pytest.mark.parametrize(
    "defect_class",
    ["debounce-in-render", "derived-state", "derived-state-in-effect", "unstable-selector", "work-in-render"],
)
@pytest.mark.parametrize(
    ("package", "text", "refuted"),
    [
        ('{"dependencies": {"nuxt": "^3"}}', _CODE, True),
        ('{"dependencies": {"vue": "^3"}}', _CODE, True),
        ('{"dependencies": {"vue": "^3", "react": "^19"}}', _CODE, False),
        ('{"dependencies": {"nuxt": "^3"}}', "import { useMemo } from 'react'\n" + _CODE, False),
        ('{"dependencies": {}}', _CODE, False),
    ],
)
def test_findings_about_react_are_refuted(defect_class: str, package: str, text: str, refuted: bool) -> None:
    read = {"package.json": package}.get
    span = Span(1, 1, 1, 2)

    assert (
        TypescriptSpecialist().refutes("composables/useSearch.ts", text, defect_class, span, read) is refuted
    )
