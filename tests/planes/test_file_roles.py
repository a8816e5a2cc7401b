"""The role of a changed file: documentation is prose that a specialist has read, and nothing else."""

from __future__ import annotations

import pytest

from wardround.change.diff import ChangedFile, FileStatus, Hunk
from wardround.planes.evidence import FileRole
from wardround.planes.file_roles import role_of


def role(
    path: str,
    *,
    mode: str = "100644",
    base: str | None = None,
    content: bytes = b"some text\n",
    specialists: tuple[str, ...] = ("secrets",),
    status: FileStatus = FileStatus.MODIFIED,
) -> FileRole:
    file = ChangedFile(path, base or path, status, mode)
    return role_of(file, specialists, lambda path: content)


@pytest.mark.parametrize(
    "path",
    [
        "README",
        "README.md",
        "readme.de.md",
        "docs/use.rst",
        "docs/notes.txt",
        "LICENSE",
        "LICENSE.txt",
        "a/b.adoc",
    ],
)
def test_prose_is_documentation(path: str) -> None:
    assert role(path) is FileRole.DOCUMENTATION


@pytest.mark.parametrize(
    "path",
    [
        "tests/data/x.md",
        "tests/README.md",
        "pkg/__tests__/__snapshots__/page.md",
        "e2e/notes.rst",
        "web/test-data/readme.txt",
        "unit_tests/docs/x.txt",
        "Tests/LICENSE",
        "fixtures/page.adoc",
        "src/test_total.rst",
        "src/total.test.md",
        "src/total_test.md",
    ],
)
def test_prose_that_tests_can_read_is_a_test(path: str) -> None:
    assert role(path) is FileRole.TEST
    assert role(path, status=FileStatus.DELETED) is FileRole.TEST
    assert role("docs/x.md", base=path) is FileRole.TEST


@pytest.mark.parametrize(
    "path",
    [
        "docs/tests/x.md",
        "docs/prompt.md",
        "docs/agents/x.md",
        "doc/testing.md",
        "latest/x.md",
        "contest.md",
        "attest/a.md",
    ],
)
def test_prose_about_tests_and_instructions_is_documentation(path: str) -> None:
    assert role(path) is FileRole.DOCUMENTATION


@pytest.mark.parametrize(
    "path",
    [
        "requirements.txt",
        "CMakeLists.txt",
        "readme.rb",
        "LICENSE.so",
        "docs/page.mdx",
        "AGENTS.md",
        "a/CLAUDE.md",
        "shop/prompts/refund.md",
        "skills/pay.md",
        "shop/system_prompt.md",
        "review.prompt.md",
        ".claude/commands/x.md",
        "docs/.hidden.md",
        "docs/x.pyz",
        "notes.txt",
        "docs/Makefile",
    ],
)
def test_other_names_are_not(path: str) -> None:
    assert role(path) is FileRole.OTHER


@pytest.mark.parametrize("mode", ["100755", "120000", "160000"])
def test_programs_links_and_submodules_are_not(mode: str) -> None:
    assert role("README.md", mode=mode) is FileRole.OTHER


def test_content_that_nobody_reads_is_not() -> None:
    assert role("README.md", specialists=()) is FileRole.OTHER
    assert role("README.md", content=b"\x7fELF\0") is FileRole.OTHER
    assert role("README.md", base="run.py", status=FileStatus.RENAMED) is FileRole.OTHER


def test_a_deleted_document_is_documentation() -> None:
    assert (
        role("README.md", mode="000000", specialists=(), status=FileStatus.DELETED) is FileRole.DOCUMENTATION
    )


@pytest.mark.parametrize(
    "text",
    [
        b"pytest_plugins = ['tests.helper']\n",
        b"@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    yield\n",
        b"def test_a(request):\n    request.config.pluginmanager.register(object())\n",
        b"from _pytest import runner\n",
        b"def test_a():\n    import _pytest.runner\n",
        b"import sys\nsys.settrace(None)\n",
    ],
)
def test_code_that_decides_what_tests_report_is_not_a_test(text: bytes) -> None:
    assert role("tests/test_a.py", specialists=("python", "tests"), content=text) is FileRole.SOURCE


def test_specialists_decide_first() -> None:
    assert role("README.md", specialists=("python", "secrets")) is FileRole.SOURCE
    assert role("test_a.py", specialists=("python", "secrets", "tests")) is FileRole.TEST


@pytest.mark.parametrize(
    "content",
    [
        b"Use it:\n\n    >>> import shop\n    >>> shop.total([1])\n    1\n",
        b".. testcode::\n\n   import shop\n",
        b"```{code-cell} python\nimport shop\n```\n",
        b"```{r, echo=FALSE}\nsystem('id')\n```\n",
        b'```python exec="on"\nimport shop\n```\n',
        b"```{ .python exec }\nimport shop\n```\n",
        b".. program-output:: sh run.sh\n",
        b"1. .. Command-Output:: sh run.sh\n",
        b".. bokeh-plot::\n\n   import shop\n",
        b":::{program-output} sh run.sh\n:::\n",
        b".. argparse::\n   :filename: run.py\n",
        b".. [[[cog import shop ]]]\n",
        b"<!-- [[[cog import shop ]]] -->\n",
        b"<!--pytest.mark.skip-->\n```python\nimport shop\n```\n",
        b"{{ ''.__class__ }}\n",
        b"Total: {{ total('x') }}\n",
        b"<script>\nfetch('/')\n</script>\n",
    ],
)
def test_prose_with_examples_that_execute_is_a_test(content: bytes) -> None:
    assert role("docs/use.md", content=content) is FileRole.TEST


@pytest.mark.parametrize(
    "content", [b"```python\nimport shop\n```\n", b"a >>> b\n", b".. code-block:: python\n"]
)
def test_other_examples_are_documentation(content: bytes) -> None:
    assert role("docs/use.md", content=content) is FileRole.DOCUMENTATION


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("docs/requirements.txt", b"Sphinx\n"),
        ("docs/dev-reqs.txt", b""),
        ("docs/constraints-3.12.txt", b"a == 1\n"),
        ("docs/build.txt", b"# Builds.\nsphinx>=8\n"),
        ("docs/build.txt", b"sphinx\nmyst-parser\n"),
        ("docs/build.txt", b"theme @ https://example.org/a.zip\n"),
        ("docs/build.txt", b"--index-url https://example.org/\n"),
        ("docs/build.txt", b"theme[dark] ~= 1.0 ; python_version > '3'\n"),
        ("LICENSE.txt", b"-r other.txt\n"),
    ],
)
def test_a_list_of_packages_is_not_a_documentation(path: str, content: bytes) -> None:
    assert role(path, content=content) is FileRole.OTHER


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("docs/spelling_wordlist.txt", b"wardround\nsandbox\n"),
        ("docs/notes.txt", b"Install it with pip, then run it.\n\n- one\n- two words\n"),
        ("LICENSE.txt", b"Copyright (c) 2026 Ada\n\nPermission is granted.\n"),
    ],
)
def test_other_text_is_documentation(path: str, content: bytes) -> None:
    assert role(path, content=content) is FileRole.DOCUMENTATION


@pytest.mark.parametrize(
    "content",
    [
        b".. include:: ../../.env\n",
        b"Text.\n\n* ..  INCLUDE :: /etc/passwd\n",
        b"| .. include:: x |\n",
        b".. literalinclude:: ../.env\n",
        b".. raw:: html\n   :file: ../.env\n",
        b".. role:: html(raw)\n   :format: html\n",
        b".. csv-table:: Keys\n   :file: ../keys.csv\n",
        b".. csv-table:: Keys\n   :url: https://host.example/keys.csv\n",
        b"See :download:`the keys <../../.env>`.\n",
        b"```{include} ../.env\n```\n",
        b"- ~~~{literalinclude} ../.env\n  ~~~\n",
        b"```{csv-table}\n---\nfile: ../keys.csv\n---\n```\n",
        b"{download}`keys <../.env>`\n",
        b'--8<-- "../.env"\n',
        b"```\n--8<-- '../.env'\n```\n",
        b"{!../.env!}\n",
        b"{% include-markdown '../.env' %}\n",
        b"{%- include '../.env' -%}\n",
        b'{{< readfile "../.env" >}}\n',
        b"include::../../.env[]\n",
    ],
)
def test_prose_that_includes_other_files_is_a_test(content: bytes) -> None:
    assert role("docs/use.md", content=content) is FileRole.TEST


@pytest.mark.parametrize(
    ("hunk", "expected"),
    [
        (Hunk(3, 1, 3, 1), FileRole.TEST),
        (Hunk(4, 1, 4, 1), FileRole.TEST),  # the name may be on the line below
        (Hunk(1, 1, 1, 1), FileRole.DOCUMENTATION),
        (Hunk(6, 0, 6, 1), FileRole.DOCUMENTATION),
    ],
)
@pytest.mark.parametrize("line", [b".. automodule::", b"::: shop.prices", b"```{autofunction} shop.total"])
def test_a_directive_that_imports_a_module_counts_where_it_changes(
    hunk: Hunk, expected: FileRole, line: bytes
) -> None:
    content = b"Title\n\n" + line + b"\n   shop.prices\n   :members:\nText\nText\n"
    file = ChangedFile("docs/api.rst", "docs/api.rst", FileStatus.MODIFIED, "100644", hunks=(hunk,))
    assert role_of(file, ("secrets",), lambda path: content) is expected


@pytest.mark.parametrize(
    "content",
    [
        b"The directive ``.. include::`` reads a file.\n",
        b".. image:: a.png\n.. toctree::\n   :maxdepth: 1\n",
        b"Use `include::a[]` or `{{ name }}` and ${{ hashFiles('a') }}.\n",
        b"```json\n{}\n```\n",
        b"An automatic function. Automodule is a word.\n",
    ],
)
def test_prose_about_directives_is_documentation(content: bytes) -> None:
    assert role("docs/use.md", content=content) is FileRole.DOCUMENTATION
