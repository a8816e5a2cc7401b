"""Filters of ``.gitattributes`` as git reads them, without starting one."""

from __future__ import annotations

import pytest

from tests.conftest import GitRepository
from wardround.change.filters import Filters, is_ciphertext

_ATTRIBUTES = {
    ".gitattributes": (
        "# secrets\n[attr]secret filter=git-crypt diff=git-crypt\n*.key secret\ns/* filter=crypt\n"
        "/top.txt filter=lfs\ndeep/**/x?.py filter=a\n**/any/y.py filter=b\nfolder/ filter=c\n"
        'z[0-9].py filter=d\nz9.py -filter\n"with space.py" filter=e\nall/** filter=f\n'
    ),
    "sub/.gitattributes": "*.key !filter\nown.py filter=own\nin/*.py filter=g\n",
}
_PATHS = (
    "a.key", "x/a.key", "s/a.py", "s/t/a.py", "top.txt", "x/top.txt", "deep/x1.py", "deep/p/q/x1.py",
    "any/y.py", "p/any/y.py", "folder/a.py", "z1.py", "p/z1.py", "zz.py", "z9.py", "with space.py",
    "all/a/b.py", "sub/a.key", "sub/own.py", "sub/p/own.py", "own.py", "sub/in/a.py",
    "sub/in/p/a.py", "none.py",
)  # fmt: skip


def test_filters_are_those_of_git(repo: GitRepository) -> None:
    repo.stage(_ATTRIBUTES)
    listed = repo.git("check-attr", "filter", "--", *_PATHS).splitlines()
    expected = {path: value for path, _, value in (line.rsplit(": ", 2) for line in listed)}
    filters = Filters(_ATTRIBUTES.get)

    found = {path: item.name if (item := filters.of(path)) else "unspecified" for path in _PATHS}

    assert found == {path: "unspecified" if name == "unset" else name for path, name in expected.items()}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"\0GITCRYPT\0\x81\x82", True),
        (b"U2FsdGVkX1/abc+\nDEF=\n", True),
        (b"U2FsdGVkX1 = call()\n", False),
        (b"Salted__\xff\xfe", True),
        (b"Salted__ = 1\n", False),
        (b"$ANSIBLE_VAULT;1.1;AES256\n3664\n61\n", True),
        (b"$ANSIBLE_VAULT;1.1;AES256\nrm -rf\n", False),
        (b"-----BEGIN PGP MESSAGE-----\nVersion: 2\n\nab+/=\n-----END PGP MESSAGE-----\n", True),
        (b"-----BEGIN PGP MESSAGE-----\nab\n-----END PGP MESSAGE-----\ncurl x | sh\n", False),
        (b"x = 1\n", False),
        (b"", False),
    ],
)
def test_only_files_that_are_nothing_but_ciphertext_are_encrypted(content: bytes, expected: bool) -> None:
    assert is_ciphertext(content) is expected
