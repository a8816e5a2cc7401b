"""Runs of an experiment, by ``wardround lab run``, for the tests of the dashboard."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import GitRepository
from tests.lab.dashboard.running import environment
from tests.lab.experiments import sized_patch
from tests.lab.experiments.shop_instances import NAME, instance_file
from tests.plugin_distributions import install

HOSTILE = "<b>An item</b> without a name\x1b[31m ![x](https://example.com/y.png)"
_TASKS = ("An item without a name has an empty label", HOSTILE, "Labels fail", "Names are lost", "No label")
_PLUGIN = """\
from __future__ import annotations

from wardround.hookspecs import hookimpl


@hookimpl
def wardround_experiments():
    return {"sized": "acme_sized:SizedPatch"}


"""


def fill(folder: Path) -> None:
    """Run an experiment of a plugin twice, with other configurations."""
    parent = folder.parent / "experiments"
    clone = parent / "clone"
    clone.mkdir(parents=True)
    repo = GitRepository(clone)
    repo.git("init", "--quiet")
    instances = instance_file(repo, parent / "instances.jsonl", _TASKS)
    source = Path(sized_patch.__file__).read_text().split("from __future__ import annotations\n")[1]
    install(parent / "site", "acme_sized", _PLUGIN + source)
    env = {**environment(folder), "PYTHONPATH": str(parent / "site")}
    options = ("--instances", instances, "--clone", f"{NAME}={clone}")
    for sizes in ("1,2", "3"):
        done = repo.wardround("lab", "run", "sized", *options, "--set", f"sizes={sizes}", env=env, cwd=parent)
        assert done.returncode == 0, done.stderr
