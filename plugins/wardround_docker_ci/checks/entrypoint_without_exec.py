"""DC107."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.late import LatePattern
from wardround_docker_ci.check import CiCheck
from wardround_docker_ci.kinds import Kind
from wardround_docker_ci.programs import program, subcommand
from wardround_docker_ci.shell import Command, unwrapped

_NAMED = LatePattern(
    r"(?:^|/)(?:[\w.-]*[-_.])?(?:docker-)?(?:entrypoint|entry-point|docker-start|container-start)(?:[-_.]\w+)?$"
)
_SERVERS = frozenset(
    {
        "gunicorn", "uvicorn", "hypercorn", "daphne", "celery", "node", "java", "nginx", "php-fpm", "puma",
        "httpd", "apache2-foreground", "caddy", "traefik", "redis-server", "postgres", "mysqld",
        "waitress-serve",
    }
)  # fmt: skip
_PROGRAM = LatePattern(
    r"(?:^|/)(?:app|main|server|run|wsgi|asgi|bot|worker|api|serve|web|service|daemon|consumer)\.py$"
)
_ENDS_SOON = frozenset({"--version", "-v", "-V", "--help", "-t", "-e", "-p", "--print", "inspect", "--eval"})


class EntrypointWithoutExec(CiCheck):
    """The start script stays process 1 and runs the service as its child, which never hears SIGTERM.

    The container is killed after the time to stop has run out, with requests and writes cut off in the
    middle. Start the last command with `exec`, so that it takes the script's place.
    """

    ID = "DC107"
    NAME = "entrypoint-without-exec"
    DEFECT_CLASS = "shell-form-command"
    TRIED_ON = "trees of 79 repositories: no hit"
    KINDS = frozenset({Kind.SHELL})
    NEEDS = ("#!",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid('#!/bin/sh\nset -e\nexec "$@"\n', path="docker-entrypoint.sh"),
        Valid("#!/bin/sh\nmigrate\nexec gunicorn app\n", path="entrypoint.sh"),
        Valid("#!/bin/sh\nnode server.js &\nwait\n", path="entrypoint.sh"),
        Valid("#!/bin/sh\ntrap stop TERM\nnode server.js\n", path="entrypoint.sh"),
        Valid('#!/bin/sh\n"$@"\n', path="retry.sh"),
        Valid("#!/bin/sh\nnode server.js\necho ended\n", path="entrypoint.sh"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("#!/bin/sh\nset -e\n./migrate\npython app.py\n", 4, 1, path="docker/entrypoint.sh"),
        Invalid('#!/bin/sh\nset -e\npython manage.py migrate\n"$@"\n', 4, 1, path="docker-entrypoint.sh"),
        Invalid("#!/bin/sh\nwait-for db\ngunicorn app:app -b :80\n", 3, 1, path="docker/entrypoint.sh"),
        Invalid("#!/bin/bash\njava $OPTS -jar app.jar\n", 2, 1, path="web-entrypoint.sh"),
        Invalid("#!/bin/sh\npython manage.py runserver 0:80\n", 2, 1, path="entrypoint.dev.sh"),
    ]

    def run(self) -> None:
        name = self.file.path.rpartition("/")[2].removesuffix(".sh").removesuffix(".bash")
        if not _NAMED.search(name):
            return
        commands = [
            command for script in self.file.scripts for command in script.commands if command.depth == 0
        ]
        if not commands or any(one.name in ("trap", "wait") or one.after == "&" for one in commands):
            return
        last = commands[-1]
        texts = [word.text for word in last.words]
        if texts and texts[0] != "exec" and last.before not in ("|", "|&") and _is_service(last):
            self.report_at(last.start, last.end, "without exec, signals end the script and not the service")


def _is_service(command: Command) -> bool:
    words = unwrapped(command)
    texts = [word.text for word in words]
    if not words or _ENDS_SOON.intersection(texts):
        return False
    if words[0].raw in ('"$@"', "$@", '"${@}"', "$*"):
        return True
    name = program(command)
    if name in _SERVERS:
        return True
    task = subcommand(words)
    if name.startswith("python"):
        rest = texts[1:]
        is_own = any(_PROGRAM.search(text) for text in rest[:1])
        return (
            is_own or "runserver" in rest or ("-m" in rest and any(t in _SERVERS | {"flask"} for t in rest))
        )
    return (name, task) in (
        ("npm", "start"),
        ("yarn", "start"),
        ("pnpm", "start"),
        ("flask", "run"),
        ("rails", "server"),
    )
