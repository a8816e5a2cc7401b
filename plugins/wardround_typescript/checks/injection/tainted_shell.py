from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.dataflow.tainted_sink import TaintedSink, report_tainted_sink


class TaintedShell(TreeCheck):
    """Request data becomes part of a shell command.

    A semicolon, a pipe or a backtick in the value starts a second command with the rights of the server. Call
    ``execFile`` or ``spawn`` with a list of arguments, without the shell option. Command-line arguments that
    reach a shell are reported as info: the user who starts the program chose them.
    """

    ID = "TS302"
    NAME = "tainted-shell"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "shell-injection"
    SINK = TaintedSink(
        kinds=("SHELL",),
        message="request data becomes part of a shell command; use execFile with a list of arguments",
        arguments_message="command-line argument becomes part of a shell command",
    )
    WORDS = ("child_process", "execa", "shelljs", "cross-spawn", "Deno.", "Bun.spawn")
    VALID = [
        code(
            """
            const cp = require('child_process');
            exports.handler = async (event) => {
              cp.execFile('tar', ['-tf', '--', event.archive]);
              cp.exec(`report ${event.region}`);
            };
            """,
            path="case.js",
        ),
        code("""
            import { execFile } from 'node:child_process';
            app.post('/ping', (req, res) => {
              execFile('ping', ['-c', '1', '--', req.body.host], () => res.end());
            });
        """),
    ]
    INVALID = [
        code(
            """
            const cp = require('child_process');
            exports.handler = async (event) => {
              cp.exec(«`tar -tf ${event.archive}`»);
            };
            """,
            path="case.js",
        ),
        code("""
            import * as cp from 'child_process';
            export const handler = async (event: APIGatewayProxyEvent) => {
              cp.exec(«'ls ' + event.path»);
            };
        """),
    ]

    def check(self) -> None:
        report_tainted_sink(self, self.SINK)
