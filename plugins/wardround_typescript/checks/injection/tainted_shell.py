"""TS302."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_typescript.dataflow.check import TaintedCheck


class TaintedShell(TaintedCheck):
    """Data from the request reaches a shell.

    A semicolon, a pipe or a backtick in the value starts a second command with the rights of the server. Call
    execFile or spawn with a list of arguments, without the shell option. Words of the command line that reach
    a shell are a note: whoever starts the program chose them.
    """

    ID = "TS302"
    NAME = "tainted-shell"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "shell-injection"
    DANGER = ("SHELL",)
    MESSAGE = "data from the request reaches a shell"
    ARGUMENTS_MESSAGE = "a word of the command line reaches a shell"
    WORDS = ("child_process", "execa", "shelljs", "cross-spawn", "Deno.", "Bun.spawn")
    TRIED_ON = (
        "the trees of NodeBB, supabase/storage, hoppscotch, documenso, formbricks and langfuse "
        "without their tests (5,800 files), and node-express-boilerplate: one hit, a note, right (a "
        "word of the command line)"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "const cp = require('child_process');\n"
            "exports.handler = async (event) => {\n"
            "  cp.execFile('tar', ['-tf', '--', event.archive]);\n"
            "  cp.exec(`report ${event.region}`);\n"
            "};\n",
            path="case.js",
        ),
        Valid(
            "import { execFile } from 'node:child_process';\n"
            "app.post('/ping', (req, res) => {\n"
            "  execFile('ping', ['-c', '1', '--', req.body.host], () => res.end());\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "import { exec } from 'child_process';\n"
            "app.post('/clean', (req, res) => {\n"
            "  exec(`find /tmp/cache -mtime +${parseInt(req.body.days)} -delete`, () => res.end());\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "import { spawn } from 'child_process';\n"
            "const TASKS = { lint: 'eslint . | tee log' };\n"
            "app.post('/run', (req, res) => {\n"
            "  if (!Object.hasOwn(TASKS, req.body.task)) return res.sendStatus(400);\n"
            "  spawn(TASKS[req.body.task], { shell: true });\n"
            "});\n",
            path="case.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "const cp = require('child_process');\n"
            "exports.handler = async (event) => {\n"
            "  cp.exec(`tar -tf ${event.archive}`);\n"
            "};\n",
            line=3,
            column=11,
            path="case.js",
        ),
        Invalid(
            "import * as cp from 'child_process';\n"
            "export const handler = async (event: APIGatewayProxyEvent) => {\n"
            "  cp.exec('ls ' + event.path);\n"
            "};\n",
            line=3,
            column=11,
            path="case.ts",
        ),
        Invalid(
            "Deno.serve(async (request) => {\n"
            "  const host = new URL(request.url).searchParams.get('host');\n"
            "  const ping = new Deno.Command('sh', { args: ['-c', `ping ${host}`] });\n"
            "  return new Response((await ping.output()).stdout);\n"
            "});\n",
            line=3,
            column=54,
            path="case.ts",
        ),
        Invalid(
            "import { exec } from 'node:child_process';\n"
            "import { promisify } from 'node:util';\n"
            "const run = promisify(exec);\n"
            "\n"
            "app.get('/log', async (req, res) => {\n"
            "  const { stdout } = await run(['git', 'log', String(req.query.ref)].join(' '));\n"
            "  res.send({ stdout });\n"
            "});\n",
            line=6,
            column=32,
            path="case.ts",
        ),
        Invalid(
            "const cp = require('child_process');\n"
            "app.post('/ping', (req, res) => {\n"
            "  cp.spawn('sh', ['-c', `ping -c 1 ${req.body.host}`]);\n"
            "});\n",
            line=3,
            column=25,
            path="case.ts",
        ),
        Invalid(
            "const { spawn } = require('child_process');\n"
            "exports.handler = async (event) => {\n"
            "  const { file } = JSON.parse(event.body);\n"
            "  spawn('convert', [file, 'out.png'], { shell: true });\n"
            "};\n",
            line=4,
            column=20,
            path="case.ts",
        ),
    ]
