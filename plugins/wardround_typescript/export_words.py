"""A cheap look at whether a change takes an export away, by words alone."""

from __future__ import annotations

from wardround.late import LatePattern, TwoTexts

_EXPORTED = LatePattern(
    r"\bexport\s+(?:declare\s+|abstract\s+|async\s+|const\s+(?=enum))*"
    r"(?:function\s*\*?|class|interface|type(?!\s*\{)|enum|namespace|module)\s+(\w+)"
    r"|\bexport\s+(?:declare\s+)?(?:const|let|var)\s+([\s\S]*?)(?=\n\S|\n\n|\Z)"
    r"|\bexport\s*(?:type\s*)?(\{[^}]{0,4000}\})"
    r"|\bexport\s+(default)\b"
    r"|\bexport\s*(\*[^\n]*)"
)
_WORD = LatePattern(r"[\w$]+")


def removes_an_export(file: TwoTexts) -> bool:
    """The module is gone or moved, or a word of its exports is in none of them any more."""
    base, text = file.base_text, file.text
    if base is None:
        return False
    if text is None or getattr(file, "base_path", file.path) != file.path:
        return True
    return base != text and "export" in base and bool(_words(base) - _words(text))


def _words(text: str) -> set[str]:
    found = (match.group(match.lastindex or 0) for match in _EXPORTED.finditer(text))
    return {word for part in found for word in _WORD.findall(part)}
