"""Names that a change removes while other files use them, in real repositories, by the real command."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import GitRepository

SEND = "def send(to):\n    return to\n"
POST = SEND.replace("send", "post")
PACKAGE = {"mail/__init__.py": "", "mail/box.py": SEND, "mail/old.py": "SIZE = 1\n"}
USER = {"app.py": "from mail.box import send\nfrom mail.old import SIZE\n\nprint(send(SIZE))\n"}


def _found(repo: GitRepository, rule: str = "python/PY084") -> list[dict[str, Any]]:
    report = repo.report("--staged")
    return [found for found in report["findings"] if found["rule"] == rule]


def test_a_renamed_function_that_an_unchanged_file_imports_blocks(repo: GitRepository) -> None:
    repo.commit({**PACKAGE, **USER})
    repo.stage({"mail/box.py": POST})
    done = repo.wardround("review", "--staged")
    assert done.returncode == 1
    assert '"send" is removed but still used at app.py:1' in " ".join(done.stdout.split())
    (found,) = _found(repo)
    assert (found["file"], found["line"], found["severity"]) == ("mail/box.py", 1, "error")


def test_a_deleted_module_is_reported_at_its_old_path(repo: GitRepository) -> None:
    repo.commit({**PACKAGE, **USER})
    repo.git("rm", "--quiet", "mail/old.py")
    (found,) = _found(repo)
    assert (found["file"], found["line"], found["status"]) == ("mail/old.py", 1, "caused")
    assert found["message"].startswith('module "mail.old" is removed but still used at app.py:2')


def test_a_moved_module_is_reported_at_its_new_path(repo: GitRepository) -> None:
    repo.commit({**PACKAGE, **USER})
    repo.git("mv", "mail/box.py", "mail/desk.py")
    (found,) = _found(repo)
    assert found["file"] == "mail/desk.py"
    assert 'module "mail.box" is moved to mail/desk.py but still used at app.py:1' in found["message"]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"mail/box.py": f"{POST}send = post\n"}, id="alias"),
        pytest.param({"mail/box.py": POST, "app.py": "from mail.box import post\n"}, id="user-changed-too"),
        pytest.param({"mail/box.py": "from .new import *\n", "mail/new.py": SEND}, id="star"),
        pytest.param({"mail/box.py": f"def __getattr__(name):\n    return name\n\n\n{POST}"}, id="getattr"),
        pytest.param({"mail/box.py": "try:\n    import fast as send\nexcept ImportError:\n    send = 1\n"},
                     id="conditional"),
    ],
)  # fmt: skip
def test_a_name_that_is_still_provided_is_not_removed(repo: GitRepository, change: dict[str, str]) -> None:
    repo.commit({**PACKAGE, **USER})
    repo.stage(change)
    assert _found(repo) == []


@pytest.mark.parametrize(
    "user",
    [
        pytest.param("try:\n    from mail.box import send\nexcept ImportError:\n    send = None\n", id="try"),
        pytest.param(
            "import mail.box\n\nif hasattr(mail.box, 'send'):\n    mail.box.send(1)\n", id="hasattr"
        ),
        pytest.param(
            "import sys\n\nif sys.version_info < (3, 9):\n    from mail.box import send\n", id="version"
        ),
        pytest.param("from mail.box import send  # type: ignore\n", id="type-ignore"),
        pytest.param("from other.box import send\n", id="other-package"),
    ],
)
def test_an_import_that_may_fail_or_refer_to_another_module_is_not_a_use(
    repo: GitRepository, user: str
) -> None:
    repo.commit({**PACKAGE, "app.py": user, "other/__init__.py": "", "other/box.py": SEND})
    repo.stage({"mail/box.py": POST})
    assert _found(repo) == []


@pytest.mark.parametrize(
    ("user", "line", "message"),
    [
        pytest.param("from mail.box import sent\n", 1, '"sent" is not defined in mail/box.py', id="name"),
        pytest.param("from mail import box\n\nbox.sent(1)\n", 3, '"sent" is not defined in', id="attribute"),
        pytest.param(
            "import os\nfrom mail.bocks import send\n", 2, 'module "mail.bocks" does not exist', id="module"
        ),
    ],
)
def test_an_added_import_of_what_does_not_exist_blocks(
    repo: GitRepository, user: str, line: int, message: str
) -> None:
    repo.commit(PACKAGE)
    repo.stage({"app.py": user})
    assert repo.wardround("review", "--staged").returncode == 1
    (found,) = _found(repo)
    assert (found["file"], found["line"], found["severity"]) == ("app.py", line, "error")
    assert found["message"].startswith(message)


def test_a_name_that_the_change_removes_and_imports_is_reported_once(repo: GitRepository) -> None:
    repo.commit(PACKAGE)
    repo.stage({"mail/box.py": POST, **USER})
    (found,) = _found(repo)
    assert found["file"] == "mail/box.py"


@pytest.mark.parametrize(
    ("others", "user"),
    [
        pytest.param({"mail/fast.pyx": ""}, "from mail.fast import send\n", id="extension"),
        pytest.param({".gitignore": "mail/made.py\n"}, "from mail.made import send\n", id="generated"),
        pytest.param(
            {"t.py": "box.sent = 1\n"}, "from mail import box\n\nbox.sent\n", id="assigned-elsewhere"
        ),
        pytest.param(
            {}, "try:\n    from mail.box import sent\nexcept ImportError:\n    sent = None\n", id="try"
        ),
        pytest.param({}, "import mail.box\n\nprint(mail.box.__name__)\n", id="implicit"),
    ],
)
def test_an_added_import_of_what_may_exist_is_not_reported(
    repo: GitRepository, others: dict[str, str], user: str
) -> None:
    repo.commit({**PACKAGE, **others})
    repo.stage({"app.py": user})
    assert _found(repo) == []


def test_an_import_that_was_there_before_is_not_reported(repo: GitRepository) -> None:
    repo.commit({**PACKAGE, "app.py": "from mail.box import sent\n"})
    repo.stage({"app.py": "from mail.box import sent\n\nprint(sent)\n"})
    assert _found(repo) == []


def test_an_import_for_types_alone_is_a_warning(repo: GitRepository) -> None:
    user = "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from mail.box import send\n"
    repo.commit({**PACKAGE, "app.py": user})
    repo.stage({"mail/box.py": POST})
    (found,) = _found(repo)
    assert found["severity"] == "warn"


SCRIPTS = {
    "tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
    "src/mail/box.ts": "export const send = (to: string) => to;\n",
    "src/mail/index.ts": "export * from './box';\n",
}


@pytest.mark.parametrize(
    "user",
    [
        pytest.param("import { send } from './mail/box';\nsend('a');\n", id="relative"),
        pytest.param("import { send } from '@/mail/box';\nsend('a');\n", id="alias"),
        pytest.param("import { send } from './mail';\nsend('a');\n", id="barrel"),
        pytest.param("import * as mail from './mail/box';\nmail.send('a');\n", id="namespace"),
        pytest.param("const { send } = await import('./mail/box');\nsend('a');\n", id="dynamic"),
    ],
)
def test_a_renamed_export_that_an_unchanged_file_imports_blocks(repo: GitRepository, user: str) -> None:
    repo.commit({**SCRIPTS, "src/app.ts": user})
    repo.stage({"src/mail/box.ts": "export const post = (to: string) => to;\n"})
    (found,) = _found(repo, "typescript/TS098")
    assert (found["file"], found["line"], found["severity"]) == ("src/mail/box.ts", 1, "error")
    assert "src/app.ts:1" in found["message"] or "src/app.ts:2" in found["message"]


@pytest.mark.parametrize(
    ("user", "line", "message"),
    [
        pytest.param(
            "import { sent } from './mail';\n", 1, '"sent" is not exported by src/mail/index.ts', id="barrel"
        ),
        pytest.param(
            "import {\n  send,\n  sent,\n} from '@/mail/box';\n", 3, '"sent" is not exported by', id="alias"
        ),
        pytest.param(
            "import { send } from './mail/bocks';\n", 1, 'module "src/mail/bocks" does not exist', id="module"
        ),
    ],
)
def test_an_added_import_of_an_export_that_does_not_exist_blocks(
    repo: GitRepository, user: str, line: int, message: str
) -> None:
    repo.commit(SCRIPTS)
    repo.stage({"src/app.ts": user})
    assert repo.wardround("review", "--staged").returncode == 1
    (found,) = _found(repo, "typescript/TS098")
    assert (found["file"], found["line"], found["severity"]) == ("src/app.ts", line, "error")
    assert found["message"].startswith(message)


@pytest.mark.parametrize(
    "user",
    [
        pytest.param("import './mail/box.css';\n", id="asset"),
        pytest.param("import { sent } from './generated/box';\n", id="generated"),
        pytest.param("import { sent } from '@shop/mail';\n", id="package"),
        pytest.param("// @ts-ignore\nimport { sent } from './mail/box';\n", id="ts-ignore"),
    ],
)
def test_an_added_import_that_may_resolve_is_not_reported(repo: GitRepository, user: str) -> None:
    repo.commit(SCRIPTS)
    repo.stage({"src/app.ts": user})
    assert _found(repo, "typescript/TS098") == []


def test_a_deleted_script_is_reported_at_its_old_path(repo: GitRepository) -> None:
    repo.commit({**SCRIPTS, "src/app.ts": "import { send } from './mail';\nsend('a');\n"})
    repo.git("rm", "--quiet", "src/mail/box.ts")
    (found,) = _found(repo, "typescript/TS098")
    assert (found["file"], found["line"]) == ("src/mail/box.ts", 1)


def test_a_fact_that_a_type_checker_reports_is_found_without_dependencies(repo: GitRepository) -> None:
    repo.stage({"app.py": "import time\n\nimport unknown\n\nprint(time.clock(), unknown.x)\n"})
    (found,) = _found(repo, "ty/missing-attribute")
    assert (found["line"], found["message"]) == (5, "Module `time` has no member `clock`")


def test_a_fact_on_a_line_with_type_ignore_is_suppressed(repo: GitRepository) -> None:
    repo.stage({"app.py": "import time\n\nprint(time.clock())  # type: ignore[attr-defined]\n"})
    (found,) = _found(repo, "ty/missing-attribute")
    assert found["status"] == "suppressed"


MAIL = """\
def find(name: str) -> str:
    return name.upper()


def send(name: str) -> str:
    return find(name).strip()
"""
MAYBE_NONE = MAIL.replace("-> str:\n    return name", "-> str | None:\n    return name and name", 1)


def test_a_type_error_that_the_change_causes_elsewhere_is_reported(repo: GitRepository) -> None:
    repo.commit({"mail.py": MAIL})
    repo.stage({"mail.py": MAYBE_NONE})
    (found,) = _found(repo, "ty/missing-union-attribute")
    assert (found["line"], found["status"], found["severity"]) == (6, "caused", "info")
    assert "`strip`" in found["message"]
    assert "None" in found["message"]


def test_the_same_type_error_is_not_reported_where_it_was_or_on_added_lines(repo: GitRepository) -> None:
    repo.commit({"mail.py": MAYBE_NONE})
    repo.stage({"mail.py": f"{MAYBE_NONE}\n\ndef post(name: str) -> str:\n    return find(name).strip()\n"})
    report = repo.report("--staged", "--filter-mode", "nofilter")
    assert "ty/missing-union-attribute" not in {found["rule"] for found in report["findings"]}


def test_a_type_error_of_a_selected_code_is_reported_everywhere(repo: GitRepository) -> None:
    settings = '[rules]\n"ty/missing-union-attribute" = "error"\n'
    repo.stage({"mail.py": MAYBE_NONE, ".wardround.toml": settings})
    (found,) = _found(repo, "ty/missing-union-attribute")
    assert (found["line"], found["severity"]) == (6, "error")


def test_an_order_of_bases_that_depends_on_an_unknown_class_is_not_reported(repo: GitRepository) -> None:
    repo.stage(
        {
            "a.py": "from absent import Mixin\n\n\nclass Base(Mixin):\n    pass\n\n\n"
            "class Kind(Mixin, Base):\n    pass\n"
        }
    )
    assert _found(repo, "ty/inconsistent-mro") == []
