"""Attacks on the reader: deceptive text in every kind of file."""

from __future__ import annotations

import pytest

from tests.conftest import GitRepository

RLO, LRI, ZWNJ, FILLER = "\u202e", "\u2066", "\u200c", "\u3164"
CYRILLIC_A, CYRILLIC_O = "\u0430", "\u043e"
TAGS = "".join(chr(0xE0000 + ord(sign)) for sign in "obey")
BIDI, INVISIBLE, LOOK_ALIKE, ENCODING = "text/TX002", "text/TX003", "text/TX004", "text/TX001"

ATTACKS: list[object] = [
    *(
        pytest.param(path, line.format(RLO), BIDI, id=f"override-in-{path}")
        for path, line in (
            ("a.py", "if x != 'user{} # admin':\n    pass\n"),
            ("a.ts", "/* begin {} if (admin) */ run();\n"),
            ("a.sql", "select 1; -- {} drop\n"),
            ("Dockerfile", "FROM a\nRUN echo {}x\n"),
            (".github/workflows/a.yml", "on: push # {}x\n"),
            ("run.sh", "echo {}x\n"),
            ("Makefile", "all:\n\techo {}x\n"),
            ("app.conf", "user = {}nimda\n"),
            ("a.go", "var a = 1 // {}x\n"),
            ("README.md", "photo{}gnp.exe\n"),
        )
    ),
    pytest.param("a.rs", f"let a = 1; /* {LRI} */\n", BIDI, id="isolate-in-a.rs"),
    *(
        pytest.param(path, line.format(ZWNJ), INVISIBLE, id=f"zero-width-in-{path}")
        for path, line in (
            ("a.py", "is{}admin = 1\n"),
            ("a.ts", "const is{}Admin = 1;\n"),
            ("a.sql", "create role ad{}min;\n"),
            ("Dockerfile", "FROM a\nENV PA{}TH=/x\n"),
            ("a.yml", "ad{}min: true\n"),
            ("run.sh", "export PA{}TH=/x\n"),
            ("Makefile", "al{}l:\n"),
            ("app.conf", "us{}er = a\n"),
        )
    ),
    pytest.param("a.js", f"const {{ a,{FILLER} }} = q;\n", INVISIBLE, id="hangul-filler"),
    pytest.param("a.js", "run(`" + "\ufe01\U000e0101" * 20 + "`);\n", INVISIBLE, id="selector-payload"),
    pytest.param("README.md", f"Hi{TAGS}\n", INVISIBLE, id="tags"),
    *(
        pytest.param(path, line.format(CYRILLIC_A), LOOK_ALIKE, id=f"look-alike-in-{path}")
        for path, line in (
            ("a.py", "def is_{}dmin(): ...\n"),
            ("a.ts", "function is{}dmin() {{}}\n"),
            ("a.sql", "create table us{}ge (id int);\n"),
            ("Dockerfile", "FROM a\nENV D{}TA=/x\n"),
            (".github/workflows/a.yml", "on: push\njobs:\n  m{}in:\n    runs-on: x\n"),
            ("run.sh", "f{}ke() {{ :; }}\n"),
            ("Makefile", "cle{}n:\n"),
            ("app.conf", "n{}me = x\n"),
        )
    ),
    pytest.param("a.py", f"c{CYRILLIC_O}de = 1\n", LOOK_ALIKE, id="one-letter"),
    pytest.param("a.py", "scope = 1\n\u0455\u0441\u043e\u0440\u0435 = 2\n", LOOK_ALIKE, id="all-cyrillic"),
    pytest.param("a.py", "x = 1\n\U0001d41e\U0001d42f\U0001d41a\U0001d425('x')\n", LOOK_ALIKE, id="bold"),
    pytest.param("a.py", "\uff45\uff56\uff41\uff4c('x')\n", LOOK_ALIKE, id="fullwidth"),
    *(
        pytest.param("a.py", f"# coding: {name}\nx = 1\n", ENCODING, id=f"encoding-{name}")
        for name in ("utf-7", "UTF7", "unicode_escape", "raw_unicode_escape", "rot13", "hz", "iso2022_jp",
                     "utf_16", "idna", "punycode", "no-such")
    ),
    pytest.param("run", "#!/usr/bin/env python\n# coding: utf-7\n", ENCODING, id="encoding-of-a-script"),
    pytest.param("A.PY", "# coding: utf-7\n", ENCODING, id="encoding-in-A.PY"),
    pytest.param("a.py", "\n# vim: set fileencoding=utf-7 :\n", ENCODING, id="encoding-on-the-second-line"),
    pytest.param("a.py", "# a\r# coding: utf-7\rx = 1\r", ENCODING, id="encoding-behind-a-carriage-return"),
    pytest.param("a.py", "# coding: gbk\nx = '\u4e2d\\' #'\n", ENCODING, id="second-byte-is-a-backslash"),
    *(
        pytest.param(".gitmodules", f'[submodule "a"]\n\t{line}\n', "text/TX005", id=line)
        for line in ("url = ext::sh -c id", "url = --upload-pack=x", "update = !id", "path = -x")
    ),
]  # fmt: skip


@pytest.mark.parametrize(("path", "content", "rule"), ATTACKS)
def test_it_blocks(repo: GitRepository, path: str, content: str, rule: str) -> None:
    repo.commit()
    repo.stage({path: content})

    report = repo.report("--staged", "--only", "text", "--fail-level", "warn")

    assert {rule} == {f["rule"] for f in report["findings"]}
    assert report["gate"]["outcome"] == "blocked"


def test_one_defect_is_one_finding(repo: GitRepository) -> None:
    repo.commit()
    repo.stage({"a.py": f"x = 'a{RLO}b'\n"})

    found = [f for f in repo.report("--staged")["findings"] if f["defect_class"] == "hidden-unicode"]

    assert [f["sources"] for f in found] == [["ruff/PLE2502", "text/TX002"]]


MINIFIED = f"import{{a}}from'a';{'a(1);' * 1_200}b('{RLO}{LRI}');c=is{ZWNJ}Admin;"

LEGITIMATE = {
    "dist/index.js": f"// a 1.0\n{MINIFIED}\n",
    "dist/index.js.map": f'{{"version":3,"sourcesContent":["b(\'{RLO}\')"],"mappings":"AAAA"}}',
    "a.py": "# \u044d\u0442\u043e \u043a\u043e\u0434\nname = '\u4e2d\u6587 caf\u00e9'\n\u0394t = 1\n",
    "d.py": "x\u00b2 = 'm\u00b2'\n",
    "b.py": "# -*- coding: latin-1 -*-\nx = 1\n",
    "c.py": "\u0441\u0447\u0451\u0442 = 1\n\u8ba1\u6570 = 2\nprint('\u05e9\u05dc\u05d5\u05dd')\n",
    "b.ts": "// \u0627\u0644\u0633\u0644\u0627\u0645\n",
    "a.ts": "export const emoji = '\U0001f468\u200d\U0001f469 \u2764\ufe0f';\n",
    "a.sql": "-- \u043f\u0440\u0438\u0432\u0435\u0442\nselect 'stra\u00dfe';\n",
    "locales/he.json": '{"hello": "\u2068{name}\u2069 \u05e9\u05dc\u05d5\u05dd"}\n',
    "README.md": "API-\u043a\u043b\u044e\u0447, \u0441opy, a\u200bb\n",
    "po/ru.po": 'msgstr "\u200e\u0444\u0430\u0439\u043b"\n',
}  # fmt: skip


def test_other_scripts_are_unchanged(repo: GitRepository) -> None:
    repo.commit()
    repo.stage(dict(LEGITIMATE))

    assert repo.report("--staged", "--only", "text")["findings"] == []


READ = {
    "short-line-of-a-built-file": ("dist/index.js", f"b('{RLO}{LRI}');\n", BIDI),
    "long-line-among-others": ("a.js", "\n".join([MINIFIED, *["a(1);"] * 2_000]), BIDI),
    "padded-line": ("a.js", f"b('{RLO}');{' ' * 6_000}c();\n", BIDI),
    "no-source-map": ("a.js.map", f"run('{RLO}')\n", BIDI),
    "payload": ("dist/a.js", f"{'a(1);' * 1_200}b('{TAGS}');\n", INVISIBLE),
}


@pytest.mark.parametrize(("path", "content", "rule"), READ.values(), ids=READ)
def test_only_what_nobody_reads_is_unchanged(repo: GitRepository, path: str, content: str, rule: str) -> None:
    repo.commit()
    repo.stage({path: content})

    assert rule in {f["rule"] for f in repo.report("--staged", "--only", "text")["findings"]}


def test_what_was_there_before_is_existing(repo: GitRepository) -> None:
    repo.commit({"a.py": f"c{CYRILLIC_O}de = 1\n"})
    repo.stage({"a.py": f"c{CYRILLIC_O}de = 1\nx = 2\n"})

    report = repo.report("--staged", "--only", "text", "--filter-mode", "nofilter")

    assert [f["status"] for f in report["findings"]] == ["existing"]
