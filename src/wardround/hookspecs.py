"""The complete contract between wardround and a plugin.

A plugin is an importable module named by an entry point of the group ``wardround``::

    [project.entry-points.wardround]
    acme = "wardround_acme"

The module holds functions marked with ``hookimpl``, at least one; wardround's own contributions register in
the same way (``wardround.builtin``, ``wardround_python`` and so on).
Keep the module light and import the specialist inside the function: every ``wardround`` command that reviews
imports every plugin. A plugin that cannot be loaded stops the run, since a missing reviewer must never look
like a clean review.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pluggy

from wardround.plugin_discovery import GROUP
from wardround.specialists import Specialist

if TYPE_CHECKING:
    from wardround.training_tasks import AnyTask

hookspec = pluggy.HookspecMarker(GROUP)
hookimpl = pluggy.HookimplMarker(GROUP)


@hookspec
def wardround_specialists() -> Sequence[Specialist]:
    """Return the specialists of this plugin.

    Called once per run. Names must differ from those of all other plugins. The host then runs the
    specialists itself, in the order of their names, so the order of installation never matters.
    """
    raise NotImplementedError


@hookspec
def wardround_tasks() -> Sequence[AnyTask]:
    """Return the tasks that this plugin's models can be trained for.

    Called by ``wardround data`` and ``wardround adapters`` only, never by a review. Names must differ from
    those of all other plugins.
    """
    raise NotImplementedError


@hookspec
def wardround_commands() -> Mapping[str, str]:
    """Return the commands of this plugin: name -> ``module:attribute`` of a ``click.Command``.

    Called when a command is not one of wardround, and for ``wardround --help``; the module is imported when
    the command is invoked. Names must differ from those of all other plugins.
    """
    raise NotImplementedError


@hookspec
def wardround_formats() -> Mapping[str, str]:
    """Return the report formats of this plugin: name -> ``module:attribute`` of a ``reports.Renderer``.

    A renderer takes a ``ReviewResult`` and returns text. ``--format NAME`` uses it. Names must differ from
    those of all other plugins.
    """
    raise NotImplementedError


@hookspec
def wardround_authors() -> Mapping[str, str]:
    """Return the patch authors of this plugin: name -> ``module:attribute`` of a coroutine function.

    It takes an ``authoring.run_inputs.RunInputs`` and returns an ``authoring.stages.PatchGeneration``.
    ``wardround solve --author NAME`` uses it. Names must differ from those of all other plugins.
    """
    raise NotImplementedError


@hookspec
def wardround_localizations() -> Mapping[str, str]:
    """Return the localizations of this plugin, in the form of authors: ``solve --localization NAME``."""
    raise NotImplementedError


@hookspec
def wardround_selections() -> Mapping[str, str]:
    """Return the selections of this plugin, in the form of authors: ``solve --selection NAME``."""
    raise NotImplementedError


@hookspec
def wardround_experiments() -> Mapping[str, str]:
    """Return the experiments of this plugin: name -> ``module:attribute`` of a callable.

    It takes a ``wardround_lab.experiments.lab_inputs.LabInputs`` and returns an ``experiment.Experiment``.
    ``wardround lab run NAME`` runs it. Names must differ from those of all other plugins.
    """
    raise NotImplementedError


@hookspec
def wardround_sequence_storages() -> Mapping[str, str]:
    """Return the storages of sequences of this plugin: scheme of a URL -> ``module:attribute`` of a callable.

    It takes the URL and returns a ``wardround_lab.experiments.storage.sequence_storage.SequenceStorage``.
    """
    raise NotImplementedError


@hookspec
def wardround_posters() -> Mapping[str, str]:
    """Return the posters of this plugin: name -> ``module:attribute`` of a ``delivery.posting.Poster``.

    Called by ``wardround ci`` after the reports are written. Names must differ from those of all other
    plugins.
    """
    raise NotImplementedError


@hookspec
def wardround_code_hosts() -> Mapping[str, str]:
    """Return the code hosts of this plugin: name -> ``module:attribute`` of an ``OpenCodeHost``.

    That is the protocol in ``wardround.delivery.code_hosts.opening``.
    ``wardround post`` and ``wardround act`` use the one that their reference names. Names must differ from
    those of all other plugins.
    """
    raise NotImplementedError


@hookspec
def wardround_analyses() -> Mapping[str, str]:
    """Return the analyses of this plugin: name -> ``module:attribute`` of an ``analyses.analysis.Analysis``.

    Called when a verdict is derived, a policy is checked, or a record is read; a commit hook does none of
    these. Notes are recorded under the name of their analysis, which must differ from those of all other
    plugins.
    """
    raise NotImplementedError
