"""ast-grep only gets the rules that its files need, and reports the same as with all of them."""

from __future__ import annotations

import os
from pathlib import Path

from wardround.rules.declarative import load_declarative
from wardround.rules.yaml_loader import load_yaml
from wardround.tools.ast_grep import AstGrep
from wardround.tools.process import find_program
from wardround.tools.tool import Invocation

_EFFECT = "useEffect(() => {\n  const timer = setInterval(tick, 1000)\n}, [])\n"
_PLAIN = "export const three = 3\n"


def _given(files: dict[str, str], folder: Path) -> list[str]:
    """The ids of the rules a run over some files is given."""
    root = folder / "root"
    root.mkdir()
    for name, text in files.items():
        (root / name).write_text(text)
    program = find_program("ast-grep")
    assert program is not None
    command = AstGrep("typescript").command(Invocation(program, root, tuple(files), None, folder))
    config = Path(command[command.index("-c") + 1])
    assert load_yaml(config.read_text())["languageGlobs"]["html"] == ["*.vue", "*.svelte"]
    return [
        load_yaml(item)["id"]
        for item in (config.parent / "rules" / "selected.yml").read_text().split("\n---\n")
    ]


def test_a_run_gets_the_rules_that_one_of_its_files_queries_for(tmp_path: Path) -> None:
    requested = _given({"a.tsx": _EFFECT, "b.ts": _PLAIN}, tmp_path)
    words = {rule.id: rule.metadata.needs for rule in load_declarative("typescript", "ast-grep")}
    assert requested == [
        name for name, needs in words.items() if any(word in _EFFECT + _PLAIN for word in needs)
    ]
    assert 0 < len(requested) < len(words) / 2


def test_two_runs_side_by_side_do_not_share_a_file(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.tsx").write_text(_EFFECT)
    run = Invocation(Path("ast-grep"), root, ("a.tsx",), None, tmp_path)
    first, second = (AstGrep("typescript").command(run) for _ in range(2))
    assert first[3] != second[3]
    assert os.path.dirname(first[3]) != os.path.dirname(second[3])
