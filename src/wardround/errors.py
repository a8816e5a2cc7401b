"""The error classes, by who can fix the cause; only ``wardround.cli`` turns them into text and an exit
status.
"""

from __future__ import annotations

PLUGIN_EXCEPTIONS = (Exception, SystemExit, GeneratorExit)
"""The exceptions that plugin code may raise: none of them ends the run, and none of them makes a file clean.
"""


class WardroundError(Exception):
    """Base class of every error that wardround raises. The message is one sentence: what failed, where, what
    to do.
    """


class UsageError(WardroundError):
    """The caller requested something impossible: exit status 2."""


class ConfigError(UsageError):
    """A configuration file is invalid: exit status 2."""


class GitError(UsageError):
    """Git failed: not a repository, an unknown revision, a damaged object."""


class DiffError(UsageError):
    """A diff given as text is malformed."""


class PluginLoadError(WardroundError):
    """A plugin cannot be loaded, so the run stops: a missing reviewer must not look like a clean review."""

    def __init__(self, plugin: str, origin: str, cause: object) -> None:
        super().__init__(
            f"plugin {plugin!r} from {origin} cannot be loaded: {cause}; repair or uninstall {origin}"
        )
        self.plugin = plugin
        self.origin = origin


class UnknownRuleError(UsageError):
    """A plugin reported a code for which it has no rule, so the run stops."""

    def __init__(self, plugin: str, code: str) -> None:
        super().__init__(
            f"plugin {plugin!r} reported {code!r}, for which it has no rule; "
            f"give it a check with this ID or a tool map, or uninstall it"
        )


class ToolFailed(WardroundError):
    """A static tool failed, so its files count as unreviewed."""


class ToolMissing(ToolFailed):
    """The program of a static tool is not installed."""


class ToolOutputError(ToolFailed):
    """A static tool exited as if it had run, but its output cannot be parsed."""


class OverBudget(WardroundError):
    """The checks of a file exceeded their time budget, so the file counts as unreviewed."""


class CannotReview(WardroundError):
    """The checks of a specialist cannot read a file, which is then unreviewed; the message is the reason."""


class GraphNotBuilt(WardroundError):
    """The code graph cannot be used, so the checks that need it did not run; the message is the reason."""


class SandboxError(WardroundError):
    """The isolation of a command cannot be set up, so the command was not run."""


class EnvironmentUnavailable(WardroundError):
    """The code was not run, because an environment for it is missing; the message is the reason."""


class FixRejected(WardroundError):
    """A fix was not applied, because applying it would lose or break something."""


class ModelError(UsageError):
    """A model file is missing, damaged, or different from what its metadata states, so it is not used."""


class RuntimeMissing(ModelError):
    """The runtime for models is not installed."""


class TrainingError(UsageError):
    """The recipe, the corpus or a file of a training run is invalid; nothing was promoted."""
