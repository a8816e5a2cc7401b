"""Prefilter for changes that may remove an export, by keywords only."""

from __future__ import annotations

from wardround.checks.registry import BeforeAfter
from wardround.lazy import LazyPattern

_EXPORTED = LazyPattern(
    r"\bexport\s+(?:declare\s+|abstract\s+|async\s+|const\s+(?=enum))*"
    r"(?:function\s*\*?|class|interface|type(?!\s*\{)|enum|namespace|module)\s+(\w+)"
    r"|\bexport\s+(?:declare\s+)?(?:const|let|var)\s+([\s\S]*?)(?=\n\S|\n\n|\Z)"
    r"|\bexport\s*(?:type\s*)?(\{[^}]{0,4000}\})"
    r"|\bexport\s+(default)\b"
    r"|\bexport\s*(\*[^\n]*)"
)
_WORD = LazyPattern(r"[\w$]+")


def removes_an_export_or_imports(file: BeforeAfter) -> bool:
    """Return True if the module is removed or moved, loses an exported word, or adds a line to a file with
    imports.
    """
    base, text = file.base_text or "", file.text
    if text is None or _is_moved(file):
        return True
    if base == text:
        return False
    if "import" in text or " from " in text:
        return True
    return "export" in base and bool(_words(base) - _words(text))


def _is_moved(file: BeforeAfter) -> bool:
    return bool(file.base_text) and getattr(file, "base_path", file.path) != file.path


def _words(text: str) -> set[str]:
    found = (match.group(match.lastindex or 0) for match in _EXPORTED.finditer(text))
    return {word for part in found for word in _WORD.findall(part)}
