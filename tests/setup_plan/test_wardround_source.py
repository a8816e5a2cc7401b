"""An address that git clones names a server and a project, or a folder."""

from __future__ import annotations

import pytest

from wardround.setup_plan.wardround_source import WardroundSource


@pytest.mark.parametrize(
    ("address", "host", "project"),
    [
        ("https://GitLab.acme.example/tools/wardround.git", "gitlab.acme.example", "tools/wardround"),
        ("ssh://git@gitlab.acme.example:2222/a/b/wardround", "gitlab.acme.example", "a/b/wardround"),
        ("git@gitlab.acme.example:tools/wardround.git", "gitlab.acme.example", "tools/wardround"),
    ],
)
def test_addresses_of_a_server_have_a_host_and_a_project(address: str, host: str, project: str) -> None:
    source = WardroundSource(address)
    assert (source.host, source.project) == (host, project)


@pytest.mark.parametrize("address", ["", "/srv/wardround", "../wardround:2", "file:///srv/wardround"])
def test_a_folder_has_no_host(address: str) -> None:
    assert WardroundSource(address).host == ""
