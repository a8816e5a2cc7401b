"""Prefilter for changes that may remove an export, by words alone."""

from __future__ import annotations

from wardround.checks.lazy import LazyPattern
from wardround.checks.registry import BeforeAfter

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
    """Return True if the module is removed or moved, loses an exported word, or adds a line to a text with
    imports.
    """
    base, text = file.base_text or "", file.text
    if text is None or (base and getattr(file, "base_path", file.path) != file.path):
        return True
    is_removed = "export" in base and bool(_words(base) - _words(text))
    return base != text and (is_removed or "import" in text or " from " in text)


def _words(text: str) -> set[str]:
    found = (match.group(match.lastindex or 0) for match in _EXPORTED.finditer(text))
    return {word for part in found for word in _WORD.findall(part)}
