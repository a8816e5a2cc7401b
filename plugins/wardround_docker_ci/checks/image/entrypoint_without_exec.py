"""DC107: entrypoint without exec."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.languages.shell import Command, unwrapped
from wardround.rules.maturity import Maturity
from wardround.storage.regex_cache import bounded
from wardround_docker_ci.check import CiCheck
from wardround_docker_ci.file_kinds import FileKind
from wardround_docker_ci.libraries.commands import program, subcommand

_NAMED = LazyPattern(
    r"(?:^|/)(?:[\w.-]*[-_.])?(?:docker-)?(?:entrypoint|entry-point|docker-start|container-start)(?:[-_.]\w+)?$"
)
_MAY_START = LazyPattern(
    r"(?:^|[-_.])(?:start\w*|run|boot\w*|launch\w*|serve|server|init|cmd|entry)(?:[-_.]|$)"
)
_INSTALLED = LazyPattern(r"/(?:usr/local/bin|app|opt|srv)/(?:[\w.-]+/)*(?!\w*migrat)[\w-]+$")
"""A program of the project, by its absolute path."""
_SERVERS = frozenset(
    {
        "gunicorn", "uvicorn", "hypercorn", "daphne", "celery", "node", "java", "nginx", "php-fpm", "puma",
        "httpd", "apache2-foreground", "caddy", "traefik", "redis-server", "postgres", "mysqld",
        "waitress-serve",
    }
)  # fmt: skip
_PROGRAM = LazyPattern(
    r"(?:^|/)(?:app|main|server|run|wsgi|asgi|bot|worker|api|serve|web|service|daemon|consumer)\.py$"
)
_ENDS_SOON = frozenset({"--version", "-v", "-V", "--help", "-t", "-e", "-p", "--print", "inspect", "--eval"})


class EntrypointWithoutExec(CiCheck):
    """The start script stays process 1 and runs the service as its child, which never receives SIGTERM.

    The container is killed at the end of the grace period, in the middle of requests and writes. Start the
    last command with `exec`, so that it replaces the script.
    """

    ID = "DC107"
    NAME = "entrypoint-without-exec"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "shell-form-command"
    KINDS = frozenset({FileKind.SHELL})
    NEEDS = ("#!",)
    CASE_PATH = "entrypoint.sh"
    VALID = [
        code(
            """
            #!/bin/sh
            set -e
            exec "$@"
            """,
            path="docker-entrypoint.sh",
        ),
        code("""
            #!/bin/sh
            migrate
            exec gunicorn app
        """),
    ]
    INVALID = [
        code(
            """
            #!/bin/sh
            /app/exporter &
            «$BIN -c $CONFIG» &
            wait
            """,
            path="edge/run.sh",
            others={
                "edge/Dockerfile": """
                FROM a:1
                ENTRYPOINT ["/usr/local/bin/run.sh"]
                """,
            },
        ),
        code(
            r"""
            #!/bin/sh
            «node server.js \
              --port 80»
            """,
            path="docker/start.sh",
            others={
                "Dockerfile": """
                FROM a:1
                CMD /app/start.sh
                """,
            },
        ),
    ]

    def run(self) -> None:
        commands = [one for script in self.file.scripts for one in script.commands if one.depth == 0]
        if not commands or any(one.name == "trap" for one in commands):
            return
        background = [one for one in commands if one.after == "&"]
        if background:
            self._check_background(background[-1], commands[-1])
        else:
            self._check_last(commands[-1])

    def _check_background(self, background: Command, last: Command) -> None:
        if last.name == "wait" and self._starts_a_container():
            message = "the script waits as process 1 and forwards no signals to this process; use exec"
            self.report_at(background.start, background.end, message)

    def _check_last(self, last: Command) -> None:
        texts = [word.text for word in last.words]
        if not texts or texts[0] in ("exec", "wait") or last.before in ("|", "|&"):
            return
        if (_is_service(last) or _INSTALLED.match(texts[0])) and self._starts_a_container(last):
            message = "signals stop the script and not the service; start it with exec"
            self.report_at(last.start, last.end, message)

    def _starts_a_container(self, last: Command | None = None) -> bool:
        """Return True if an image starts the script: by its name, or by a Dockerfile's instruction."""
        name = self.file.path.rpartition("/")[2]
        if _NAMED.search(name.removesuffix(".sh").removesuffix(".bash")):
            return last is None or _is_service(last)
        if not _MAY_START.search(name):
            return False
        images = self.source.project.files_with_word([name], ["*ockerfile*", "*ontainerfile*"])
        started = bounded(
            rf"^\s*(?:ENTRYPOINT|CMD)\b[^\n]*[/\"\s]{re.escape(name)}\b", re.MULTILINE | re.IGNORECASE
        )
        return any(started.search(self.source.project.read(path) or "") for path in images)


def _is_service(command: Command) -> bool:
    words = unwrapped(command)
    texts = [word.text for word in words]
    if not words or _ENDS_SOON.intersection(texts):
        return False
    name = program(command)
    if words[0].raw in ('"$@"', "$@", '"${@}"', "$*") or name in _SERVERS:
        return True
    if name.startswith("python"):
        return _is_python_service(texts[1:])
    return (name, subcommand(words)) in _SERVICE_TASKS


def _is_python_service(arguments: Sequence[str]) -> bool:
    if "runserver" in arguments or any(_PROGRAM.search(text) for text in arguments[:1]):
        return True
    return "-m" in arguments and not (_SERVERS | {"flask"}).isdisjoint(arguments)


_SERVICE_TASKS = frozenset(
    {("npm", "start"), ("yarn", "start"), ("pnpm", "start"), ("flask", "run"), ("rails", "server")}
)
