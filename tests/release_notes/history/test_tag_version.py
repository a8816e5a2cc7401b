"""Tags that name versions."""

from __future__ import annotations

import pytest

from wardround.release_notes.history.tag_version import version_of_tag


@pytest.mark.parametrize(
    ("tag", "package", "version"),
    [
        ("v1.2.3", "", "1.2.3"),
        ("1.2", "", "1.2"),
        ("v2", "", "2"),
        ("2024.1.15", "", "2024.1.15"),
        ("release-1.2.3", "", "1.2.3"),
        ("releases/v1.2.3", "", "1.2.3"),
        ("rel_1_4_0", "", "1.4.0"),
        ("pkg@1.2.3", "pkg", "1.2.3"),
        ("@scope/pkg@1.2.3", "@scope/pkg", "1.2.3"),
        ("pkg/v1.2.3", "pkg", "1.2.3"),
        ("my-pkg-1.2.3rc1", "my-pkg", "1.2.3rc1"),
        ("1.0.0-next.3", "", "1.0.0-next.3"),
    ],
)
def test_a_tag_names_a_version_of_the_repository_or_of_a_package(
    tag: str, package: str, version: str
) -> None:
    found = version_of_tag(tag)
    assert found is not None
    assert (found.package, found.version) == (package, version)


@pytest.mark.parametrize("tag", ["nightly", "build-7", "20240101", "foo1.2", "py3.8-legacy", "v", "x" * 300])
def test_another_tag_names_no_version(tag: str) -> None:
    assert version_of_tag(tag) is None


@pytest.mark.parametrize(
    ("tag", "is_prerelease"),
    [("v1.2.3", False), ("1.0rc1", True), ("v1.0.0-beta.2", True), ("1.0.post1", False)],
)
def test_candidates_are_not_final_releases(tag: str, is_prerelease: bool) -> None:
    found = version_of_tag(tag)
    assert found is not None
    assert found.is_prerelease is is_prerelease
