"""One function fetches a ticket, from the service that the reference names."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.context.ticket.loopback import json_of, serving
from wardround.context.ticket.errors import TicketError
from wardround.context.ticket.lookup import fetch_ticket, source_of
from wardround.context.ticket.model import Criterion, Ticket
from wardround.context.ticket.reference import Reference
from wardround.context.ticket.settings import settings_from


@pytest.mark.parametrize(
    ("reference", "environment", "source"),
    [
        (Reference("github", "a/b#1"), {}, "GitHub"),
        (Reference("linear", "E-1"), {}, "Linear"),
        (Reference("file", "t.md"), {}, "TicketFile"),
        (Reference("jira", "S-1", "https://s.atlassian.net"), {"JIRA_PAT": "p"}, "JiraCloud"),
        (Reference("jira", "S-1"), {"JIRA_URL": "https://s.atlassian.net"}, "JiraCloud"),
        (Reference("jira", "S-1"), {"JIRA_URL": "https://j.example", "JIRA_API_TOKEN": "t"}, "JiraCloud"),
        (Reference("jira", "S-1"), {"JIRA_URL": "https://j.example", "JIRA_PAT": "p"}, "JiraServer"),
        (Reference("jira", "S-1"), {"JIRA_URL": "https://j.example"}, "JiraServer"),
    ],
)
def test_the_service_of_a_reference(
    reference: Reference, environment: dict[str, str], source: str, tmp_path: Path
) -> None:
    assert type(source_of(reference, settings_from(environment), tmp_path)).__name__ == source


def test_a_ticket_is_fetched_and_survives_the_record(tmp_path: Path) -> None:
    issue = {"number": 1, "title": "T", "body": "- [ ] Works\n- [ ] Given a, when b, then c"}
    with serving(json_of(issue)) as service:
        settings = settings_from({"GITHUB_API_URL": service.url})
        ticket = fetch_ticket(Reference("github", "a/b#1"), settings, tmp_path)

    recorded = msgspec.json.encode(msgspec.to_builtins(ticket))

    assert msgspec.json.decode(recorded, type=Ticket) == ticket
    assert ticket.criteria[0] == Criterion("c1", "Works", "checklist")


def test_a_recorded_ticket_with_an_unknown_field_is_rejected() -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown"):
        msgspec.convert({"key": "a", "title": "b", "source": "file", "unknown": 1}, Ticket)


@pytest.mark.parametrize("module", ["httpx", "markdown_it"])
def test_a_missing_extra_names_what_to_install(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    from wardround.context.ticket import blocks

    blocks._block_parser.cache_clear()
    (tmp_path / "t.md").write_text("# T")
    reference = Reference("github", "a/b#1") if module == "httpx" else Reference("file", "t.md")

    with pytest.raises(TicketError, match=rf"{module} is not installed.*wardround\[tickets\]"):
        fetch_ticket(reference, settings_from({"GITHUB_API_URL": "http://127.0.0.1:9"}), tmp_path)


def test_importing_the_package_loads_no_client() -> None:
    code = (
        "import sys, wardround.context.ticket.lookup, wardround.context.ticket.reference_search\n"
        "print([m for m in ('httpx', 'asyncio', 'markdown_it', 'yaml', 'ssl') if m in sys.modules])"
    )

    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert shown.strip() == "[]"
