"""The guard in front of the pages: other hosts, other sites, passwords, paths and headers."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest

from tests.installed import require_installed

require_installed("gradio", "httpx")

import httpx  # noqa: E402
from starlette.applications import Starlette  # noqa: E402
from starlette.requests import Request  # noqa: E402
from starlette.responses import HTMLResponse, PlainTextResponse, Response  # noqa: E402
from starlette.routing import Route  # noqa: E402

from wardround_lab.dashboard.guard import Guard  # noqa: E402

_META = '<meta property="og:title" content="Gradio" />'
PAGE = f'<head>{_META}</head><script>1</script><script src="/a.js"></script>'


def page(request: Request) -> Response:
    return HTMLResponse(PAGE + str(request.query_params))


def other(request: Request) -> Response:
    return PlainTextResponse("served")


class Client:
    """A browser at one address."""

    def __init__(self, password: str, base_url: str) -> None:
        routes = [Route("/", page), Route("/{path:path}", other, methods=["GET", "POST"])]
        self.guard = Guard(Starlette(routes=routes), password)
        self.base_url = base_url

    def get(self, path: str, **options: Any) -> httpx.Response:
        return asyncio.run(self._request("GET", path, **options))

    def post(self, path: str, **options: Any) -> httpx.Response:
        return asyncio.run(self._request("POST", path, **options))

    async def _request(self, method: str, path: str, **options: Any) -> httpx.Response:
        transport = httpx.ASGITransport(self.guard)
        async with httpx.AsyncClient(transport=transport, base_url=self.base_url) as opened:
            return await opened.request(method, path, **options)


def client(password: str = "", base_url: str = "http://127.0.0.1:7860") -> Client:
    return Client(password, base_url)


def basic(password: str) -> dict[str, str]:
    return {"authorization": f"Basic {base64.b64encode(f'ada:{password}'.encode()).decode()}"}


@pytest.mark.parametrize("host", ["127.0.0.1:7860", "localhost:9000", "[::1]:7860"])
def test_a_page_of_this_machine_is_served(host: str) -> None:
    assert client(base_url=f"http://{host}").get("/config").text == "served"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "[bad"])
def test_another_host_name_is_refused_so_that_a_name_cannot_be_rebound_to_this_machine(host: str) -> None:
    answer = client().get("/config", headers={"host": host})
    assert (answer.status_code, answer.text) == (
        403, "wardround: this dashboard is open on 127.0.0.1 and localhost only; use that address\n",
    )  # fmt: skip


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site", "sec-fetch-mode": "navigate"},
    ],
)
def test_a_request_that_another_site_sends_is_refused(headers: dict[str, str]) -> None:
    for answer in (
        client().post("/gradio_api/run/predict", headers=headers),
        client().get("/config", headers=headers),
    ):
        assert (answer.status_code, "other web sites" in answer.text) == (403, True)
        assert "access-control-allow-origin" not in answer.headers


def test_requests_of_the_page_itself_and_links_to_the_page_are_served() -> None:
    own = {"origin": "http://127.0.0.1:7860", "sec-fetch-site": "same-origin"}
    assert client().post("/gradio_api/run/predict", headers=own).text == "served"
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert client().get("/", headers=link).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/gradio_api/file=/etc/passwd",
        "/gradio_api/file=http://evil.example/",
        "/gradio_api/proxy=http://evil.example/",
        "/gradio_api/upload",
        "/gradio_api/vibe-edit",
        "/monitoring",
        "/docs",
        "/login",
    ],
)
def test_paths_that_read_files_or_call_other_hosts_do_not_exist(path: str) -> None:
    assert client().get(path).text == "wardround: the dashboard has no such page; open /\n"


def test_a_password_is_required_for_every_path_and_by_any_host_name() -> None:
    served = client("s3cret", "http://team.example:7860")
    for path in ("/", "/config", "/assets/a.js", "/wardround/icon.svg"):
        missing = served.get(path)
        assert (missing.status_code, missing.headers["www-authenticate"]) == (401, 'Basic realm="wardround"')
        assert "needs a password: that of WARDROUND_DASHBOARD_PASSWORD" in missing.text
        wrong = served.get(path, headers=basic("s3cre"))
        assert (wrong.status_code, "wrong password" in wrong.text) == (401, True)
        assert served.get(path, headers=basic("s3cret")).status_code == 200


@pytest.mark.parametrize("value", ["Basic", "Basic !", "Bearer s3cret", "Basic c2VjcmV0"])
def test_a_malformed_authorization_is_no_password(value: str) -> None:
    assert client("s3cret").get("/", headers={"authorization": value}).status_code == 401


def test_the_page_gets_a_nonce_for_its_own_scripts_and_no_metadata_of_gradio() -> None:
    answer = client().get("/")
    policy = answer.headers["content-security-policy"]
    nonce = policy.partition("'nonce-")[2].partition("'")[0]
    assert answer.text.count(f'<script nonce="{nonce}"') == answer.text.count("<script") == 3
    assert "Gradio" not in answer.text
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert client().get("/").headers["content-security-policy"] != policy


def test_pages_load_nothing_from_other_hosts_and_stand_in_no_frame() -> None:
    answer = client().get("/nowhere")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "http" not in policy.replace("http-", "")
    assert "'unsafe-inline'" not in policy.partition("style-src")[0]
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_parameters_that_gradio_takes_for_its_own_do_not_reach_it() -> None:
    assert client().get("/?tab=rules&page=2&deep_link=x").text.endswith("tab=rules")
