"""The names that the documentation of a project mentions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from wardround.context.surface.sides import Side
from wardround.lazy import LazyPattern

_DOCUMENTATION = LazyPattern(
    r"(?i)(?:^|/)(?:docs?|documentation)/.*\.(?:md|mdx|rst|txt)$|(?:^|/)readme[\w.-]*$"
)
_MODULE = LazyPattern(r"(?m)(?:automodule|autoclass|autofunction|module|:::)\W{1,4}([\w.]+)")
_QUOTED = LazyPattern(r"`+([^`\n]{1,80})`")
_CALLED = LazyPattern(r"(?<!\w)(\w{2,60})\(")
_WORD = LazyPattern(r"\w+")
_MOST_FILES = 800


@dataclass
class Documentation:
    """The documentation at base or head, read on first use."""

    side: Side

    def has(self, path: str) -> bool:
        """Return True if a page names an object, or documents its module.

        Args:
            path: dotted, with the package.
        """
        parts = path.split(".")
        owners = {".".join(parts[:count]) for count in range(2, len(parts) + 1)}
        return bool(owners & self._modules) or parts[-1] in self._names

    def mentions(self, name: str) -> bool:
        """Return True if a page documents an object or a module of this name, or has it as code."""
        return name in self._names or name in self._last_parts

    def mentions_module(self, path: str) -> bool:
        """Return True if a page documents a module or an object in it, or has its dotted path."""
        return any(f"{owner}.".startswith(f"{path}.") for owner in self._modules) or path in self._text

    @property
    def has_pages(self) -> bool:
        """True if there is more than a page at the root, such as the README."""
        return any("/" in path for path in self._paths)

    @cached_property
    def _paths(self) -> list[str]:
        return [path for path in self.side.paths if _DOCUMENTATION.search(path)][:_MOST_FILES]

    @cached_property
    def _last_parts(self) -> frozenset[str]:
        return frozenset(module.rpartition(".")[2] for module in self._modules)

    @cached_property
    def _text(self) -> str:
        self.side.fetch(self._paths)
        return "\n".join(self.side.read(path) or "" for path in self._paths)

    @cached_property
    def _modules(self) -> frozenset[str]:
        return frozenset(match[1] for match in _MODULE.finditer(self._text))

    @cached_property
    def _names(self) -> frozenset[str]:
        """The names that are written as code."""
        text = self._text
        quoted = " ".join(match[1] for match in _QUOTED.finditer(text))
        called = (match[1] for match in _CALLED.finditer(text))
        return frozenset((*_WORD.findall(quoted), *called))
