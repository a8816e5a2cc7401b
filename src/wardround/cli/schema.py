"""``wardround schema``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import click

from wardround.cli.run import emit


def _configuration() -> str:
    from wardround import host
    from wardround.config.json_schema import configuration_schema

    return configuration_schema(host.load().specialists)


def _policy() -> str:
    from wardround.policy.json_schema import policy_schema

    return policy_schema()


def _recipe() -> str:
    from wardround_lab.training.dependencies import require_extra

    require_extra(("numpy",), "wardround[models]")
    from wardround_lab.training.recipe_schema import recipe_schema

    return recipe_schema()


_SCHEMAS: Mapping[str, Callable[[], str]] = {
    "configuration": _configuration,
    "policy": _policy,
    "recipe": _recipe,
}


@click.command("schema")
@click.argument("kind", type=click.Choice(list(_SCHEMAS)))
def command(kind: str) -> None:
    """Print the JSON schema of .wardround.toml, of a policy or of a recipe, for an editor.

    The schema of the configuration has the options of the loaded plugins.
    """
    emit(_SCHEMAS[kind]())
