from __future__ import annotations

import ast

from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity
from wardround.languages.python.module import FunctionNode, names_in
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck

_UPLOAD = LazyPattern(r"request\.files|request\.FILES|UploadFile|\.filename\b")
_WRITES = frozenset({"save", "write_bytes", "copyfileobj", "copyfile", "move", "open"})
# Accepted types are listed: a set of extensions or of types, or the content is inspected.
_ALLOWED = LazyPattern(
    r"(?i)allow|permit|whitelist|accept|(?<!un)supported|content_type|mimetype|imghdr|magic|Image\.open|verify|"
    r"validat|is_valid|KINDS|TYPES|EXTENSIONS\b(?<!DENIED_EXTENSIONS)(?<!BLOCKED_EXTENSIONS)|"
    r"(suffix|ext|extension|ending|kind)\w*\)?(\.lower\(\))? (not )?in |(suffix|ext|extension)\w* [!=]= "
)
_DENIED = LazyPattern(r"(?i)den(y|ied)|block|forbid|bad_|banned|black_?list|disallow|dangerous|prohibit")
_SERVED = LazyPattern(r"(?i)static|public|htdocs|www|webroot|media_root|MEDIA_ROOT")
_NAME = LazyPattern(r"\.filename\b|secure_filename")


_SAID_KIND = LazyPattern(r"\.(content_type|mimetype)\b|(?i:headers)(\.get\(|\[)['\"](?i:content-type)")
_LOOKED_INTO = LazyPattern(
    r"(?i)magic|imghdr|filetype|sniff|Image\.open|verify\(|signature|suffix|splitext|extension|rsplit\('\.'|endswith"
)


class UnsafeUpload(PythonCheck):
    """An upload is stored under the client's file name and type, where the site serves it.

    An uploaded HTML page or SVG runs scripts in the origin of the site; a list of rejected types is always
    incomplete. List the accepted types, and generate the file name.
    """

    ID = "PY338"
    NAME = "unsafe-upload"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "unsafe-upload"
    WORDS = ("request.files", "request.FILES", "UploadFile", ".filename")
    VALID = [
        code("""
            def add():
                sent = request.files['f']
                name = secure_filename(sent.filename)
                if name.rsplit('.')[-1] not in ALLOWED:
                    abort(422)
                sent.save(os.path.join(app.static_folder, name))
        """),
        code("""
            def add():
                sent = request.files['f']
                sent.save(Path(app.static_folder) / (token_hex(8) + '.bin'))
        """),
    ]
    INVALID = [
        code("""
            async def add(sent: UploadFile):
                if «not sent.content_type.startswith('image/')»:
                    raise HTTPException(422)
                (MEDIA / token_hex(8)).write_bytes(await sent.read())
        """),
        code("""
            def add():
                sent = request.files['f']
                name = secure_filename(sent.filename)
                «sent.save(os.path.join(app.static_folder, name))»
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        is_kept = _NAME.search(source.text) or _SAID_KIND.search(source.text)
        return super().wants(source) and is_kept is not None

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._check(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._check(node)

    def _check(self, function: FunctionNode) -> None:
        text = unparse(function)
        self._check_kind(function, text)
        if not _UPLOAD.search(text) or not _NAME.search(text):
            return
        denies = _DENIED.search(text) is not None
        if not denies and _ALLOWED.search(text):
            return
        for node in walk(function):
            if isinstance(node, ast.Call) and self._stores_unsafely(node, function, denies):
                message = (
                    "the upload is stored under the name and type the client chose; "
                    "list the types and generate the name"
                )
                self.report(self.module.span(node), message)
                return

    def _stores_unsafely(self, node: ast.Call, function: FunctionNode, denies: bool) -> bool:
        """Return True if an upload keeps its name, and is served or limited by denied types alone."""
        if not self._stores_upload(node, function):
            return False
        path = self._expand_source(node, function)
        return _NAME.search(path) is not None and (denies or _SERVED.search(path) is not None)

    def _check_kind(self, function: FunctionNode, text: str) -> None:
        """Report a stored file whose type is determined only by the client."""
        if not _UPLOAD.search(text) or _LOOKED_INTO.search(text):
            return
        if not any(
            isinstance(inner, ast.Call) and self._stores_upload(inner, function) for inner in walk(function)
        ):
            return
        for node in walk(function):
            if isinstance(node, ast.If) and _SAID_KIND.search(unparse(node.test)):
                message = (
                    "the client declares this type, and nothing inspects the content; detect the type from it"
                )
                self.report(self.module.span(node.test), message, None, Severity.INFO)
                return

    def _stores_upload(self, node: ast.Call, function: FunctionNode) -> bool:
        last = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if last not in _WRITES or (last == "save" and not node.args):
            return False
        if last == "open":
            return any(
                isinstance(argument, ast.Constant) and "w" in str(argument.value) for argument in node.args
            )
        return True

    def _expand_source(self, node: ast.Call, function: FunctionNode) -> str:
        """Return the call as text, with the values of its names and the results of functions defined here."""
        parts, names = [unparse(node)], names_in(node)
        assignments = [inner for inner in walk(function) if isinstance(inner, ast.Assign)]
        for _ in range(3):
            values = [assignment.value for assignment in assignments if _target_names(assignment) & names]
            parts += map(unparse, values)
            names = names.union(*map(names_in, values))
        parts += [
            unparse(statement)
            for statement in self.module.tree.body
            if isinstance(statement, (ast.FunctionDef, ast.Assign)) and _defined_names(statement) & names
        ]
        return " ".join(parts)


def _target_names(assignment: ast.Assign) -> set[str]:
    names: set[str] = set()
    return names.union(*map(names_in, assignment.targets))


def _defined_names(node: ast.FunctionDef | ast.Assign) -> set[str]:
    return (
        {node.name} if isinstance(node, ast.FunctionDef) else {n for t in node.targets for n in names_in(t)}
    )
