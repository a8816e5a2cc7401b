"""The contributions of wardround itself, through the hooks of plugins, besides its specialists."""

from __future__ import annotations

from collections.abc import Mapping

from wardround.hookspecs import hookimpl
from wardround.own_command import COMMANDS

FORMATS = (
    "text", "json", "sarif", "github", "gitlab", "rdjson", "rdjsonl", "checkstyle", "junit", "warnings-ng",
    "markdown", "html",
)  # fmt: skip


@hookimpl
def wardround_commands() -> Mapping[str, str]:
    """Return the commands, each in a module of its own."""
    return {name: f"wardround.cli.{name.replace('-', '_')}:command" for name in COMMANDS}


@hookimpl
def wardround_formats() -> Mapping[str, str]:
    """Return the report formats, each in a module of its own."""
    return {name: f"wardround.reports.{name.replace('-', '_')}:render" for name in FORMATS}


@hookimpl
def wardround_authors() -> Mapping[str, str]:
    """Return the patch authors."""
    module = "wardround.authoring.contributions"
    names = ("edits", "endpoint", "endpoint_with_probe", "samples", "fix_with_tests", "fix_and_tests")
    authors = {name.replace("_", "-"): f"{module}:{name}" for name in names}
    return {**authors, "rounds": "wardround_lab.experiments.stages.rounds:rounds"}


@hookimpl
def wardround_localizations() -> Mapping[str, str]:
    """Return the localizations."""
    module = "wardround.authoring.contributions"
    names = ("words", "embeddings", "fusion", "hierarchical")
    return {
        "context": f"{module}:context_of_task",
        "executed": f"{module}:executed_code",
        **{name: f"{module}:{name}" for name in names},
    }


@hookimpl
def wardround_selections() -> Mapping[str, str]:
    """Return the selections."""
    module = "wardround.authoring.contributions"
    return {
        "first": f"{module}:first_patch",
        "vote": f"{module}:majority_vote",
        "score": f"{module}:score",
        "ranking": f"{module}:ranking",
    }


@hookimpl
def wardround_posters() -> Mapping[str, str]:
    """Return the posters."""
    return {"github": "wardround.delivery.github_step:GithubStep"}


@hookimpl
def wardround_code_hosts() -> Mapping[str, str]:
    """Return the code hosts."""
    module = "wardround.delivery.code_hosts"
    return {
        "github": f"{module}.github.host:open_github",
        "gitlab": f"{module}.gitlab.host:open_gitlab",
    }


@hookimpl
def wardround_analyses() -> Mapping[str, str]:
    """Return the analyses in the order in which reports show their notes, each from its own module."""
    return {
        "repetitions": "wardround.analyses.repetitions:Repetitions",
        "surface": "wardround.analyses.surfaces:Surfaces",
        "supply_chain": "wardround.analyses.supply_chain:SupplyChain",
        "boundaries": "wardround.analyses.boundaries:TrustBoundaries",
        "cost": "wardround.analyses.cost:Cost",
        "intent": "wardround.analyses.intent:Intent",
        "task_kinds": "wardround.analyses.task_kinds:TaskKinds",
        "criteria": "wardround.analyses.criteria:AcceptanceCriteria",
        "tests": "wardround.analyses.change_tests:ChangedSourceTests",
    }


@hookimpl
def wardround_experiments() -> Mapping[str, str]:
    """Return the experiments of the lab."""
    module = "wardround_lab.experiments.built_in"
    return {
        "hybrid-localization": f"{module}.hybrid_localization:HybridLocalization",
        "fix-and-tests": f"{module}.fix_and_tests:FixAndTests",
        "vote-or-ranking": f"{module}.vote_or_ranking:VoteOrRanking",
    }


@hookimpl
def wardround_sequence_storages() -> Mapping[str, str]:
    """Return the storages of sequences, by the scheme of their URL."""
    return {"firestore": "wardround_lab.experiments.storage.firestore:open_firestore"}
