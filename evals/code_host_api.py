"""Validate what ``wardround post`` sends against the descriptions that GitHub publishes.

    python -m evals.code_host_api OPENAPI [GRAPHQL]

OPENAPI is ``api.github.com.json`` and GRAPHQL is ``schema.graphql``, such as those of the npm packages
``@octokit/openapi`` and ``@octokit/graphql-schema``. The requests are those of a scenario against the server
of the tests: a first post, a fix, a finding that is back, a dismissal, and copies that another run wrote.
Each path, method, query and body must be in the description. Nothing is sent to GitHub.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import jsonschema
from graphql import build_schema, parse, validate

from tests.delivery.api_server import Call
from tests.delivery.feedback.reviews_to_post import HEAD, GithubPosting, finding, report
from tests.delivery.github_api import ME, PERSON, GithubApi, ReviewThread
from wardround.delivery.code_hosts.client import ApiClient
from wardround.delivery.code_hosts.github.feedback import GithubFeedback
from wardround.delivery.code_hosts.model import Account

_IGNORED = frozenset({"deprecated", "example", "description"})


def recorded_calls() -> list[Call]:
    """Return the requests of the scenario."""
    api = GithubApi(HEAD, {"src/a.py": range(1, 41)})
    with api.server.serve() as url:
        posting = GithubPosting("github", api, url)
        edit = {
            "file": "src/a.py",
            "line": 3,
            "column": 1,
            "end_line": 5,
            "end_column": 8,
            "replacement": "a",
        }
        fix = {"description": "", "safe": True, "edits": [edit]}
        posting.post(report(finding(3, suggested_fix=fix), finding(4)))
        posting.post(report(finding(4)))
        posting.post(report(finding(3), finding(4)))
        twin = api.threads[0]
        api.threads.append(ReviewThread("T999", twin.path, twin.line, [(999, twin.body, ME)]))
        api.comments[1000] = (api.summaries()[0], ME)
        posting.post(report(finding(3), finding(4), head="d" * 40))
        posting.post(report(finding(3), finding(4)))
        feedback = GithubFeedback(ApiClient("GitHub", url, _headers(), ""), "acme/shop", 7)
        feedback.can_write(Account(PERSON["id"], PERSON["login"]))
    return api.server.calls


def _headers() -> Mapping[str, str]:
    from tests.delivery.github_api import TOKEN

    return {"Authorization": f"Bearer {TOKEN}"}


class Description:
    """An OpenAPI description of version 3.0."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._paths = {template: _pattern(template) for template in document["paths"]}

    def faults(self, call: Call) -> Iterator[str]:
        """Yield what a request has and the description has not."""
        found = [t for t, pattern in self._paths.items() if pattern.fullmatch(call.path)]
        operations = [self._document["paths"][t].get(call.method.lower()) for t in found]
        known = [operation for operation in operations if operation is not None]
        if not known:
            yield f"{call.method} {call.path}: no such operation"
            return
        yield from self._query_faults(call, known[0])
        yield from self._body_faults(call, known[0])

    def _query_faults(self, call: Call, operation: Mapping[str, Any]) -> Iterator[str]:
        parameters = [self._resolve(parameter) for parameter in operation.get("parameters", ())]
        names = {parameter["name"] for parameter in parameters if parameter["in"] == "query"}
        for name in call.query.keys() - names:
            yield f"{call.method} {call.path}: no parameter {name}"

    def _body_faults(self, call: Call, operation: Mapping[str, Any]) -> Iterator[str]:
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if content is None:
            if call.body is not None:
                yield f"{call.method} {call.path}: the description has no body"
            return
        schema = {**self._without_other_fields(content["schema"]), "components": self._document["components"]}
        for fault in jsonschema.Draft202012Validator(schema).iter_errors(call.body):
            yield f"{call.method} {call.path}: {fault.json_path}: {fault.message}"

    def _without_other_fields(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Return a schema whose objects have no other fields: GitHub ignores those, and a typo is one."""
        closed = {name: value for name, value in schema.items() if name not in _IGNORED}
        if "properties" in closed:
            fields = {name: self._without_other_fields(value) for name, value in closed["properties"].items()}
            closed |= {"properties": fields, "additionalProperties": False}
        if "items" in closed:
            closed["items"] = self._without_other_fields(closed["items"])
        return closed

    def _resolve(self, parameter: Mapping[str, Any]) -> Mapping[str, Any]:
        if "$ref" not in parameter:
            return parameter
        name = parameter["$ref"].rpartition("/")[2]
        found: Mapping[str, Any] = self._document["components"]["parameters"][name]
        return found


def _pattern(template: str) -> re.Pattern[str]:
    """Return the pattern of a path; only the path of a file has slashes."""
    parts = re.split(r"\{(\w+)\}", template)
    names = {"path": ".+"}
    return re.compile("".join(names.get(p, "[^/]+") if n % 2 else re.escape(p) for n, p in enumerate(parts)))


def faults_of(calls: Sequence[Call], description: Description, graphql: Path | None) -> Counter[str]:
    """Count the faults of requests by their text."""
    schema = build_schema(graphql.read_text("utf-8"), assume_valid=True) if graphql else None
    faults: Counter[str] = Counter()
    for call in calls:
        if call.path != "/graphql":
            faults.update(description.faults(call))
        elif schema is not None:
            faults.update(error.message for error in validate(schema, parse(call.body["query"])))
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("openapi", type=Path)
    parser.add_argument("graphql", type=Path, nargs="?")
    options = parser.parse_args()
    description = Description(json.loads(options.openapi.read_bytes()))
    calls = recorded_calls()
    faults = faults_of(calls, description, options.graphql)
    for fault, times in faults.items():
        print(f"{fault} ({times} times)")
    kinds = Counter(f"{call.method} {re.sub(r'[0-9a-f]{40}|[0-9]+', 'N', call.path)}" for call in calls)
    for kind, times in sorted(kinds.items()):
        print(f"{times:4} {kind}")
    print(f"{len(calls)} requests, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
