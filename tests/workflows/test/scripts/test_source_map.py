from __future__ import annotations

import base64
import json

from wardround.workflows.test.scripts.source_map import GeneratedCode


def url(mappings: str, *sources: str) -> str:
    found = json.dumps({"version": 3, "sources": list(sources), "names": [], "mappings": mappings})
    return f"data:application/json;base64,{base64.b64encode(found.encode()).decode()}"


def test_offsets_are_mapped_to_lines_and_columns_of_the_source() -> None:
    code = GeneratedCode("var a;\nvar b;\n", url("AAAA;AACA,IAAI", "src/a.ts"))

    assert code.mapped_positions("a.ts") == [(0, (0, 0)), (7, (1, 0)), (11, (1, 4))]


def test_a_map_in_the_code_is_read() -> None:
    code = GeneratedCode(f"var a;\n//# sourceMappingURL={url('AAAA', 'a.ts')}\n")

    assert code.mapped_positions("a.ts") == [(0, (0, 0))]


def test_positions_of_other_sources_are_excluded() -> None:
    code = GeneratedCode("a;b;\n", url("AAAA,EACA,CCDA", "a.ts", "b.ts"))

    assert code.mapped_positions("b.ts") == [(3, (0, 0))]


def test_offsets_count_units_of_utf_16() -> None:
    code = GeneratedCode("'😀'; b\n")

    assert len(code) == 8
    assert code.position(5) == (0, 5)
    assert code.text_at(6, 1) == "b"


def test_code_without_a_readable_map_has_none() -> None:
    assert GeneratedCode("a").mapped_positions("a.ts") is None
    assert GeneratedCode("a", "data:application/json;base64,!!!").mapped_positions("a.ts") is None
    assert GeneratedCode("a", "data:application/json;base64,e30=").mapped_positions("a.ts") == []
    assert GeneratedCode("a", url("~~~,AAAA?", "a.ts")).mapped_positions("a.ts") is not None
