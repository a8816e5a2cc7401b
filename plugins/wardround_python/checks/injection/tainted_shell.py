"""PY302."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import SinkKind


class TaintedShell(TaintedCheck):
    """Data from the request reaches a shell.

    A semicolon, a pipe or ``$( )`` in the value starts a command of the sender's choice, with the rights of
    this process. Pass the program and its arguments as a list and leave the shell out; where there must be
    one, ``shlex.quote`` every value.
    """

    ID = "PY302"
    NAME = "tainted-shell"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "shell-injection"
    TRIED_ON = (
        "the trees of redash, healthchecks, linkding, Chainlit, aiohttp, flask, apprise, gunicorn, llm and "
        "PySyft: "
        "five, all wrong, in one file of PySyft (a script handed to sh); narrowed, none since; "
        "widened, over twenty-eight trees of 1.3 million lines: none"
    )
    DANGER = SinkKind.SHELL
    MESSAGE = "data from the request reaches a shell"
    WORDS = ("os.system", "popen", "subprocess", "getoutput", "exec_command", "pexpect", "invoke", "system(",
             "fabric", "asyncssh", "os.exec", "os.spawn", "exec_run", "containers.run",
             "posix_spawn", "pty.spawn", "create_subprocess")  # fmt: skip
    VALID: ClassVar[Sequence[str | Valid]] = [
        "import subprocess\ndef ping(request):\n"
        '    subprocess.run(["ping", "-c", "1", request.GET["host"]], check=True)\n',
        "import shlex, subprocess\ndef ping(request):\n    host = shlex.quote(request.GET['host'])\n"
        '    subprocess.run(f"ping -c 1 {host} | tail -1", shell=True, check=True)\n',
        "import re, os\ndef ping(request):\n    host = request.GET['host']\n"
        "    if not re.fullmatch(r'[a-z0-9.-]+', host):\n        raise ValueError\n"
        "    os.system('ping ' + host)\n",
        "import subprocess\ndef mount(request):\n"
        "    subprocess.run(['sh', 'mount.sh', request.GET['name']], check=True)\n",
        "import subprocess\nACTIONS = {'restart': 'systemctl restart web'}\ndef act(request):\n"
        "    subprocess.run(ACTIONS[request.POST['action']], shell=True, check=True)\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "import subprocess, sys\ndef count(request):\n    words = []\n"
            "    if sys.platform == 'win32':\n        words.append('cmd')\n        words.append('/c')\n"
            "    else:\n        words.append('sh')\n        words.append('-c')\n"
            "    words.append('wc ' + request.GET['name'])\n    subprocess.run(words, check=True)\n",
            line=11,
            column=20,
        ),
        Invalid(
            "import subprocess\ndef count(request):\n"
            "    words = ['sh', '-c', f'wc {request.GET[\"name\"]}']\n"
            "    subprocess.run(words, check=True)\n",
            line=4,
            column=20,
        ),
        Invalid(
            "from fabric import Connection\ndef deploy(request):\n    with Connection('web') as there:\n"
            "        there.run('git checkout ' + request.POST['branch'])\n",
            line=4,
            column=19,
        ),
        Invalid(
            "import subprocess\ndef show(request):\n"
            "    subprocess.run([request.GET['tool'], '--version'], check=True)\n",
            line=3,
            column=21,
        ),
        Invalid(
            "import subprocess\nfrom openai import OpenAI\ndef go(client, task):\n"
            "    answer = client.chat.completions.create(model='m', messages=task)\n"
            "    subprocess.run(answer.choices[0].message.content, shell=True, check=True)\n",
            line=5,
            column=20,
        ),
        Invalid(
            "import os\nfrom flask import request\n\ndef ping():\n"
            "    os.system('ping -c 1 ' + request.args['host'])\n",
            line=5,
            column=15,
        ),
        Invalid(
            "import subprocess\nfrom pydantic import BaseModel\n\nclass Ping(BaseModel):\n    host: str\n"
            "    count: int = 1\n\n@router.post('/ping')\ndef ping(body: Ping):\n"
            "    command = 'ping -c %d %s' % (body.count, body.host)\n"
            "    return subprocess.run(command, shell=True, check=True)\n\nfrom fastapi import APIRouter\n",
            line=11,
            column=27,
        ),
        Invalid(
            "import subprocess\n\ndef convert(path, size):\n"
            "    subprocess.run(['bash', '-c', f'convert {path} -resize {size} out.png'], check=True)\n\n"
            "def thumb(request):\n    convert('in.png', request.POST.get('size'))\n",
            line=4,
            column=35,
        ),
    ]
