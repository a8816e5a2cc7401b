"""Fake tools of a few lines: they pass the self-test, and then behave as a test requires."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from wardround.tools.process import find_program

_VERSION = "if '--version' in sys.argv: print('1.0.0'); sys.exit()"
_IN_PROBE = "'/probe-' in os.getcwd()"
_LINE_OF = "line = next(n for n, text in enumerate(open({file!r}), 1) if {word!r} in text)"
_BIOME = {
    "summary": {"changed": 0, "unchanged": 1, "errors": 1},
    "diagnostics": [
        {
            "severity": "error",
            "message": "This is an unexpected use of the debugger statement.",
            "category": "lint/suspicious/noDebugger",
            "location": {
                "path": "probe.js",
                "start": {"line": 0, "column": 1},
                "end": {"line": 0, "column": 9},
            },
            "advices": [],  # codespell:ignore advices
        }
    ],
}
_ESLINT = [
    {
        "filePath": "HERE/probe.js",
        "messages": [
            {
                "ruleId": "no-debugger", "severity": 2, "message": "Unexpected 'debugger' statement.",
                "line": 0, "column": 1, "endLine": 0, "endColumn": 10,
            }
        ],
    }
]  # fmt: skip
_CHECKOV = {
    "results": {
        "failed_checks": [
            {
                "check_id": "CKV_K8S_16", "check_name": "Container should not be privileged",
                "file_abs_path": "HERE/probe.yml", "file_line_range": [0, 0], "resource": "Pod.default.probe",
            }
        ]
    }
}  # fmt: skip
_NUMBERED = '("line": |"endLine": |_range": \\[|, )0'


def _printing(file: str, word: str, answer: object) -> str:
    """Print an output of the tool, about the line of a file that contains a word."""
    text = json.dumps(answer)
    return (
        f"    {_LINE_OF.format(file=file, word=word)}\n"
        f"    text = {text!r}.replace('HERE', os.getcwd())\n"
        f"    print(re.sub({_NUMBERED!r}, lambda match: match[1] + str(line), text)); sys.exit(1)"
    )


_REPORTING = {
    "biome": _printing("probe.js", "debugger", _BIOME),
    "eslint": _printing("probe.js", "debugger", _ESLINT),
    "checkov": _printing("probe.yml", "privileged", _CHECKOV),
    "tsc": (
        f"    {_LINE_OF.format(file='probe.ts', word='number')}\n"
        "    print(f\"probe.ts({line},14): error TS2322: Type 'string' is not assignable.\")\n"
        "    print('/lib/lib.d.ts', 'probe.ts', sep='\\n'); sys.exit(2)"
    ),
}


def stand_in(file: Path, tool: str, code: str, *, interpreter: str = sys.executable) -> Path:
    """Write a program that passes the self-test of a tool, by running the real tool if it is installed here.

    Args:
        code: Python that runs otherwise; ``json``, ``os``, ``re``, ``signal`` and ``sys`` are imported.
    """
    real = find_program(tool)
    proof = _REPORTING.get(tool) or f"    os.execv({str(real)!r}, [{str(real)!r}, *sys.argv[1:]])"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        f"#!{interpreter}\nimport json, os, re, signal, sys\n{_VERSION}\nif {_IN_PROBE}:\n{proof}\n{code}\n",
        encoding="utf-8",
    )
    file.chmod(0o755)
    return file
