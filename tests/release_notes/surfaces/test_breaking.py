"""Breaking changes of small packages: each with its forms, its migration and its commits."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.conftest import GitRepository
from tests.release_notes.ranges import (
    PACKAGE,
    PYPROJECT,
    SCRIPTS,
    breaks,
    commit,
    migration,
    new_repository,
    statement,
)
from wardround.context.surface.model import SurfaceKind
from wardround.release_notes.model import NoteKind
from wardround.release_notes.surfaces.breaking import BreakingChanges

INIT = "from shop.cart import Cart, Shelf, archive, fill, pack, send, weigh\n"
CART = '''
    import warnings


    class Cart:
        def __init__(self, owner, limit=10, *, legacy=False):
            self.owner = owner
            self.limit = limit
            self.legacy = legacy

        def add(self, name, size=1):
            """Add a thing."""
            return [name] * size

        def total(self):
            return self.limit

        def price(self, currency): ...


    class Shelf:
        def place(self): ...

        def clear(self): ...


    def send(address, *, retries=3): ...


    def fill(cart, things):
        """Fill a cart.

        .. deprecated:: 1.4
            Use :func:`pack` instead.
        """


    def pack(cart): ...


    def weigh(things):
        total = 0
        for thing in things:
            total += thing.weight * thing.count
        return total


    def archive(cart):
        warnings.warn("archive is deprecated, use store() instead", DeprecationWarning)


    def _hidden(cart): ...
'''
CLI = """
    import click


    @click.command()
    @click.option("--limit", type=int)
    @click.option("--quiet", is_flag=True)
    def main(limit, quiet): ...
"""
SCRIPT = """
    export function open(drawer: string) { return drawer; }
    export function close(drawer: string) { return drawer; }
"""
README = "# Shop\\n\\n`open` and `close` a drawer.\\n"


class Release:
    """A repository with two releases, and the commits between them by what they change."""

    def __init__(self, repo: GitRepository) -> None:
        self.repo = repo
        self.cart = CART
        self.commits: dict[str, str] = {}
        repo.write("README.md", README)
        commit(
            repo,
            "First release",
            {
                "pyproject.toml": PYPROJECT.format(python=">=3.9") + SCRIPTS,
                "package.json": PACKAGE.format(node=">=16"),
                "shop/__init__.py": INIT,
                "shop/cart.py": CART,
                "shop/cli.py": CLI,
                "index.ts": SCRIPT,
            },
        )
        repo.git("tag", "v1")

    def edit(self, key: str, old: str, new: str) -> None:
        """Commit an edit of the cart."""
        assert old in self.cart, old
        self.cart = self.cart.replace(old, new)
        self.commits[key] = commit(self.repo, f"Change: {key}", {"shop/cart.py": self.cart})

    def write(self, key: str, files: Mapping[str, str]) -> None:
        """Commit other files."""
        self.commits[key] = commit(self.repo, f"Change: {key}", files)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    made = Release(new_repository(tmp_path_factory.mktemp("breaking") / "repo"))
    made.edit("remove", "(self, name, size=1)", "(self, name)")
    made.edit("rename", "(self, currency)", "(self, unit)")
    made.edit("require", "def send(address,", "def send(address, sender,")
    made.edit("constructor", ", *, legacy=False", "")
    made.edit("reformat", "def total(self):", "def total(self) -> int:")
    deprecated = made.cart[made.cart.index("    def fill") : made.cart.index("    def pack")]
    made.edit("deprecated", deprecated, "")
    made.edit("moved", "def weigh(", "def mass(")
    made.edit(
        "warned", made.cart[made.cart.index("    def archive") : made.cart.index("    def _hidden")], ""
    )
    made.edit("private", "    def _hidden(cart): ...\n", "")
    made.edit("class", made.cart[made.cart.index("    class Shelf") : made.cart.index("    def send")], "")
    made.write("exports", {"shop/__init__.py": "from shop.cart import Cart, mass, pack, send\n"})
    made.write("python", {"pyproject.toml": PYPROJECT.format(python=">=3.11") + SCRIPTS})
    made.write("node", {"package.json": PACKAGE.format(node=">=20")})
    made.write("option", {"shop/cli.py": CLI.replace('    @click.option("--quiet", is_flag=True)\n', "")})
    made.write("export", {"index.ts": SCRIPT.partition("    export function close")[0]})
    return made


@pytest.fixture(scope="module")
def found(release: Release) -> BreakingChanges:
    return breaks(release.repo)


@pytest.mark.parametrize(
    ("key", "text", "what_to_do"),
    [
        ("remove", "Remove the parameter `size` of `shop.Cart.add`", "remove the argument `size`"),
        (
            "rename",
            "Rename the parameter `currency` of `shop.Cart.price` to `unit`",
            "use `unit` instead of `currency`",
        ),
        ("require", "Require the new parameter `sender` of `shop.send`", "pass `sender`"),
        ("constructor", "Remove the parameter `legacy` of `shop.Cart`", "remove the argument `legacy`"),
        ("deprecated", "Remove `shop.fill`", "use `pack`"),
        ("moved", "Remove `shop.weigh`", "use `shop.mass`"),
        ("warned", "Remove `shop.archive`", "use `store`"),
        ("class", "Remove `shop.Shelf`", ""),
        ("python", "Require Python `>=3.11`; it was `>=3.9`", "upgrade to Python 3.11"),
        ("node", "Require Node.js `>=20`; it was `>=16`", "upgrade to Node.js 20"),
        ("option", "Remove the option `--quiet`", ""),
        ("export", "Remove `close`", ""),
    ],
)
def test_a_breaking_change_has_its_migration_and_its_commit(
    release: Release, found: BreakingChanges, key: str, text: str, what_to_do: str
) -> None:
    assert migration(found, text) == what_to_do
    assert statement(found, text).commits == (release.commits[key],)
    assert statement(found, text).kind is NoteKind.BREAKING


def test_nothing_else_breaks_users(found: BreakingChanges) -> None:
    assert len(found.statements) == 12
    assert (found.unattributed, found.not_compared) == ((), ())


def test_the_old_and_the_new_form_are_signatures_without_annotations(found: BreakingChanges) -> None:
    form = statement(found, "Require the new parameter `sender` of `shop.send`").breaking
    assert form is not None
    assert (form.surface, form.symbol, form.path) == (SurfaceKind.PYTHON_API, "shop.send", "shop/cart.py")
    assert (form.old, form.new) == ("send(address, *, retries=3)", "send(address, sender, *, retries=3)")


def test_a_removed_symbol_has_no_new_form(found: BreakingChanges) -> None:
    form = statement(found, "Remove `shop.Shelf`").breaking
    assert form is not None
    assert (form.old, form.new, form.path) == ("class Shelf", "", "shop/cart.py")


# Attribution


def test_a_change_of_a_branch_has_its_commit_and_the_merge_as_evidence(repo: GitRepository) -> None:
    commit(
        repo,
        "First",
        {"pyproject.toml": PYPROJECT.format(python=">=3.9"), "shop/__init__.py": "def f(a, b=1): ...\n"},
    )
    repo.git("tag", "v1")
    branch = repo.git("branch", "--show-current").strip()
    repo.git("switch", "--quiet", "--create", "topic")
    change = commit(repo, "Drop b", {"shop/__init__.py": "def f(a): ...\n"})
    repo.git("switch", "--quiet", branch)
    commit(repo, "Other work", {"notes.txt": "later\n"})
    repo.git("merge", "--quiet", "--no-ff", "--message", "Merge pull request #7 from topic", "topic")
    merge = repo.git("rev-parse", "HEAD").strip()
    assert statement(breaks(repo), "Remove the parameter `b` of `shop.f`").commits == (change, merge)


def test_a_change_before_a_rename_of_its_file_is_found(repo: GitRepository) -> None:
    body = "def f(a, b=1): ...\n\n\ndef g(a): ...\n\n\ndef h(a): ...\n"
    commit(
        repo,
        "First",
        {
            "pyproject.toml": PYPROJECT.format(python=">=3.9"),
            "shop/__init__.py": "from shop.old import f, g, h\n",
            "shop/old.py": body,
        },
    )
    repo.git("tag", "v1")
    change = commit(repo, "Drop b", {"shop/old.py": body.replace(", b=1", "")})
    repo.git("mv", "shop/old.py", "shop/new.py")
    commit(repo, "Move", {"shop/__init__.py": "from shop.new import f, g, h\n"})
    found = statement(breaks(repo), "Remove the parameter `b` of `shop.f`")
    assert found.commits == (change,)


def test_a_change_after_a_rename_of_its_file_is_found(repo: GitRepository) -> None:
    body = "def f(a, b=1): ...\n\n\ndef g(a): ...\n\n\ndef h(a): ...\n"
    commit(repo, "First", {"pyproject.toml": PYPROJECT.format(python=">=3.9"), "shop/__init__.py": body})
    repo.git("tag", "v1")
    repo.git("mv", "shop", "src")
    repo.git("mv", "src", "shop_old")
    (repo.root / "src").mkdir()
    repo.git("mv", "shop_old", "src/shop")
    commit(repo, "Move into src", {})
    change = commit(repo, "Drop g", {"src/shop/__init__.py": body.replace("def g(a): ...\n", "")})
    assert statement(breaks(repo), "Remove `shop.g`").commits == (change,)


def test_a_removal_that_is_reverted_and_made_again_has_the_last_commit(repo: GitRepository) -> None:
    full, less = "def f(): ...\n\n\ndef g(): ...\n", "def f(): ...\n"
    commit(repo, "First", {"pyproject.toml": PYPROJECT.format(python=">=3.9"), "shop/__init__.py": full})
    repo.git("tag", "v1")
    commit(repo, "Drop g", {"shop/__init__.py": less})
    commit(repo, "Revert", {"shop/__init__.py": full})
    last = commit(repo, "Drop g again", {"shop/__init__.py": less})
    assert statement(breaks(repo), "Remove `shop.g`").commits == (last,)


def test_a_change_that_only_the_base_made_is_listed_without_a_commit(repo: GitRepository) -> None:
    commit(
        repo,
        "First",
        {"pyproject.toml": PYPROJECT.format(python=">=3.9"), "shop/__init__.py": "def f(): ...\n"},
    )
    repo.git("switch", "--quiet", "--create", "maintenance")
    commit(repo, "Backport", {"shop/__init__.py": "def f(): ...\n\n\ndef g(): ...\n"})
    repo.git("tag", "v1")
    repo.git("switch", "--quiet", "-")
    commit(repo, "Unrelated", {"notes.txt": "later\n"})
    found = breaks(repo)
    assert found.statements == ()
    (missing,) = found.unattributed
    assert missing.text == "Remove `shop.g`"
    assert missing.reason == "no commit of the range changes shop/__init__.py"


def test_each_commit_that_narrows_a_range_is_evidence(repo: GitRepository) -> None:
    commit(repo, "First", {"pyproject.toml": PYPROJECT.format(python=">=3.8"), "shop/__init__.py": ""})
    repo.git("tag", "v1")
    steps = [
        commit(repo, f"Drop {python}", {"pyproject.toml": PYPROJECT.format(python=f">={python}")})
        for python in ("3.9", "3.10")
    ]
    found = statement(breaks(repo), "Require Python `>=3.10`; it was `>=3.8`")
    assert found.commits == tuple(steps)


# What users do not notice


def test_a_helper_that_nobody_exports_or_documents_is_listed_with_the_reason(repo: GitRepository) -> None:
    commit(
        repo,
        "First",
        {
            "pyproject.toml": PYPROJECT.format(python=">=3.9"),
            "shop/__init__.py": "",
            "shop/tools.py": "def join_lines(text): ...\n\n\ndef split_lines(text): ...\n",
            "docs/api.md": "`split_lines` splits.\n",
        },
    )
    repo.git("tag", "v1")
    commit(repo, "Clean up", {"shop/tools.py": ""})
    found = breaks(repo)
    assert [item.text for item in found.statements] == ["Remove `shop.tools.split_lines`"]
    assert [item.text for item in found.unattributed] == ["Remove `shop.tools.join_lines`"]
    assert "no package exports it" in found.unattributed[0].reason


def test_a_move_behind_a_re_export_is_no_break(repo: GitRepository) -> None:
    body = "def f(a):\n    return [a, a, a]\n"
    commit(
        repo,
        "First",
        {
            "pyproject.toml": PYPROJECT.format(python=">=3.9"),
            "shop/__init__.py": "from shop.old import f\n",
            "shop/old.py": body,
        },
    )
    repo.git("tag", "v1")
    repo.git("mv", "shop/old.py", "shop/_new.py")
    commit(repo, "Move", {"shop/__init__.py": "from shop._new import f\n"})
    found = breaks(repo)
    assert (found.statements, found.unattributed) == ((), ())


# Groups


def test_the_same_change_of_many_functions_is_one_statement(repo: GitRepository) -> None:
    text = "".join(f"def {name}(url, proxy=None): ...\n\n\n" for name in ("get", "post", "put", "patch"))
    commit(repo, "First", {"pyproject.toml": PYPROJECT.format(python=">=3.9"), "shop/__init__.py": text})
    repo.git("tag", "v1")
    commit(repo, "Drop proxy", {"shop/__init__.py": text.replace(", proxy=None", "")})
    (found,) = breaks(repo).statements
    assert found.text == "Remove the parameter `proxy` of `shop.get`, and of `shop.post`, `shop.put`, 1 more"


def test_two_packages_with_the_same_range_of_python_are_one_statement(repo: GitRepository) -> None:
    manifest = PYPROJECT.format(python=">=3.9")
    paths = ("a/pyproject.toml", "b/pyproject.toml")
    commit(repo, "First", dict.fromkeys(paths, manifest))
    repo.git("tag", "v1")
    commit(repo, "Drop Python 3.9", dict.fromkeys(paths, manifest.replace(">=3.9", ">=3.10")))
    (found,) = breaks(repo).statements
    assert found.text == "Require Python `>=3.10`; it was `>=3.9`"


def test_what_the_build_leaves_out_is_not_public(repo: GitRepository) -> None:
    manifest = PYPROJECT.format(python=">=3.9")
    build = '\n[tool.hatch.build]\nexclude = ["*"]\n'
    files = {"pyproject.toml": manifest + build, "checks/__init__.py": "def find(a): ...\n"}
    commit(repo, "First", files)
    repo.git("tag", "v1")
    commit(repo, "Remove find", {"checks/__init__.py": ""})
    assert breaks(repo).statements == ()


def test_a_folder_of_tests_with_another_name_is_not_public(repo: GitRepository) -> None:
    files = {"pyproject.toml": PYPROJECT.format(python=">=3.9"), "qa/__init__.py": "def find(a): ...\n"}
    commit(repo, "First", files)
    repo.git("tag", "v1")
    commit(repo, "Remove find", {"qa/__init__.py": ""})
    assert breaks(repo).statements == ()


# What messages state


def test_a_footer_is_a_statement_of_its_own(repo: GitRepository) -> None:
    commit(repo, "First", {"pyproject.toml": PYPROJECT.format(python=">=3.9"), "shop/__init__.py": ""})
    repo.git("tag", "v1")
    footer = "BREAKING CHANGE: carts are sorted by date. Use `key` to\nsort.\n\nRefs: #3\n"
    message = f"feat: sort carts\n\nText.\n\n{footer}"
    change = commit(repo, message, {"notes.txt": "sorted\n"})
    (found,) = breaks(repo).statements
    assert (found.text, found.commits, found.breaking) == ("Carts are sorted by date", (change,), None)


def test_a_footer_about_a_compared_change_is_not_stated_twice(repo: GitRepository) -> None:
    commit(
        repo,
        "First",
        {"pyproject.toml": PYPROJECT.format(python=">=3.9"), "shop/__init__.py": "def find(a): ...\n"},
    )
    repo.git("tag", "v1")
    commit(repo, "feat!: remove find", {"shop/__init__.py": ""})
    commit(repo, "chore!: drop Python 3.9", {"pyproject.toml": PYPROJECT.format(python=">=3.10")})
    texts = [found.text for found in breaks(repo).statements]
    assert texts == ["Require Python `>=3.10`; it was `>=3.9`", "Remove `shop.find`"]


def test_a_list_in_a_footer_is_a_statement_for_each_entry(repo: GitRepository) -> None:
    commit(repo, "First", {"notes.txt": "one\n"})
    repo.git("tag", "v1")
    commit(
        repo,
        "feat!: version 2\n\nBREAKING CHANGE:\n- carts are sorted\n- shelves have\n  no size\n",
        {"notes.txt": "two\n"},
    )
    assert [found.text for found in breaks(repo).statements] == ["Carts are sorted", "Shelves have no size"]
