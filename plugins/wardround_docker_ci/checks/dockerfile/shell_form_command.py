from __future__ import annotations

import re
from collections.abc import Sequence

from wardround.findings import SuggestedFix
from wardround.languages.dockerfile import Instruction
from wardround.languages.positions import Passage
from wardround.languages.shell import commands
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import DOCKERFILE, CiCheck
from wardround_docker_ci.libraries.commands import SHELLS

_C = LazyPattern(r"-\w*c")
_BUSYBOX = LazyPattern(r"(?i)alpine|busybox")
_INIT = LazyPattern(r"\b(?:tini|dumb-init|catatonit|supervisord|s6-svscan)\b")


class ShellFormCommand(CiCheck):
    """The container's program runs as a child of a shell, which does not forward signals.

    The shell is process 1 and does not forward SIGTERM, so `docker stop` waits ten seconds and then kills
    the program in the middle of its work. Use the exec form, a JSON list, or start the program with `exec`.

    BusyBox's shell, that of images with `alpine` in their name, is not reported: it replaces itself by its
    last command, which then receives the signals. Only a pipeline keeps it running.
    """

    ID = "DC015"
    NAME = "shell-form-command"
    DEFECT_CLASS = "shell-form-command"
    NEEDS = ("CMD", "ENTRYPOINT", "cmd", "entrypoint")
    KINDS = DOCKERFILE
    VALID = [
        code("""
            FROM a:1
            CMD ["node", "app.js"]
        """),
        code("""
            FROM a:1
            CMD exec node app.js $OPTIONS
        """),
    ]
    INVALID = [
        code("""
            FROM a:1
            «CMD ["sh", "-c", "migrate && gunicorn app"]»
        """),
        code("""
            FROM a:1
            «CMD node app.js»
        """),
    ]

    def run(self) -> None:
        for stage in self.file.dockerfile.stages:
            lineage = list(stage.lineage())
            if any(ancestor.all("SHELL") for ancestor in lineage):
                continue
            is_busybox = any(_BUSYBOX.search(ancestor.base.text) for ancestor in lineage)
            for instruction in stage.all("CMD", "ENTRYPOINT"):
                if not is_busybox or "|" in instruction.text.replace("||", ""):
                    self._check(instruction)

    def _check(self, instruction: Instruction) -> None:
        text, keyword = instruction.text, instruction.keyword
        if text and not text.startswith("[") and not re.match(r"exec\s", text):
            message = f"{keyword} in shell form does not receive signals; use a JSON list"
            self.report_at(instruction.start, instruction.end, message, self._exec_form_fix(instruction))
        elif self._needs_shell(instruction):
            message = "the shell runs as PID 1 and forwards no signals; start the last command with exec"
            self.report_at(instruction.start, instruction.end, message)

    def _needs_shell(self, item: Instruction) -> bool:
        """Return True if a shell runs several commands of the list, the last one a server without ``exec``.

        A shell with a single command replaces itself by that command.
        """
        script = _inner_script([word.text for word in item.exec_form or ()])
        inner = commands(Passage(script, 0)) if script else []
        if len(inner) < 2 or _INIT.search(self.file.text):
            return False
        last = inner[-1]
        return last.name not in ("exec", "wait") and last.before in ("&&", ";", "\n") and last.after != "&"

    def _exec_form_fix(self, item: Instruction) -> SuggestedFix | None:
        """Return the fix to exec form, for words that need no shell to interpret them."""
        if not re.fullmatch(r"[\w\s./:=@,+-]+", item.text) or re.match(r"\w+=", item.text):
            return None
        listed = "[" + ", ".join(f'"{word}"' for word in item.text.split()) + "]"
        start = item.body.start + len(item.body.text) - len(item.body.text.lstrip())
        return self.replacing(start, item.end, listed, "write the command as a JSON list", safe=False)


def _inner_script(texts: Sequence[str]) -> str:
    """Return the script of ``sh -c``; empty for other commands."""
    is_shell = len(texts) >= 3 and texts[0].rpartition("/")[2] in SHELLS and _C.fullmatch(texts[1])
    return texts[2] if is_shell else ""
