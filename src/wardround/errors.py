"""What can go wrong, by whose fault it is; only ``wardround.cli`` turns these into text and a status."""

from __future__ import annotations

PLUGIN_EXCEPTIONS = (Exception, SystemExit, GeneratorExit)
"""What code of a plugin may raise: none of it ends the run, and none of it makes a file clean."""


class WardroundError(Exception):
    """Anything wardround raises on purpose. The text is one sentence: what, where, what to do."""


class UsageError(WardroundError):
    """The caller asked for something that cannot be done: exit status 2."""


class ConfigError(UsageError):
    """A configuration file is wrong: exit status 2."""


class GitError(UsageError):
    """Git refused: not a repository, unknown revision, damaged object."""


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
    """A plugin said something under a code that no rule of it has, so the run stops."""

    def __init__(self, plugin: str, code: str) -> None:
        super().__init__(
            f"plugin {plugin!r} reported {code!r}, which is no rule of it; "
            f"give it a check with this ID or a tool map, or uninstall it"
        )


class ToolFailed(WardroundError):
    """A static tool did not do its work, so its files count as unreviewed."""


class ToolMissing(ToolFailed):
    """The program of a static tool is not installed."""


class ToolOutputError(ToolFailed):
    """A static tool ended as if it had run, but what it printed cannot be read."""


class OverBudget(WardroundError):
    """The checks of a file took longer than they may, so the file counts as unreviewed."""


class CannotReview(WardroundError):
    """Checks of a specialist cannot read a file, so for them it counts as unreviewed; the text is why."""


class FixRejected(WardroundError):
    """A fix was not applied, because applying it would lose or break something."""


class ModelError(UsageError):
    """A model file is missing, damaged, or not what its metadata says, so it is not used."""


class RuntimeMissing(ModelError):
    """What models are run with is not installed, so this installation was not made for models."""


class TrainingError(UsageError):
    """A recipe, a corpus or the files of a training are wrong; nothing was promoted."""
