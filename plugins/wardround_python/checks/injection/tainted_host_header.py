from __future__ import annotations

import ast

from wardround.checks.source import SourceFile
from wardround.findings import Plane
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import Hit, SinkKind

_HOST = ("host", "Host", "HOST", "absolute_uri", "url_for", "url_root", "base_url", "full_url")
_SECRET = LazyPattern(
    r"(?i)token|reset|verif|confirm|invit|activat|password|magic|sign_?in|log_?in|unsubscribe|/join|secret|nonce"
)


class TaintedHostHeader(TaintedCheck):
    """The link in a mail uses the Host header of the request.

    The client chooses the Host header. An attacker who requests another user's reset mail with a Host of
    their own receives the secret in the link. Read the address of the site from the settings.
    """

    ID = "PY316"
    NAME = "tainted-host-header"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "host-header-injection"
    SINK = SinkKind.HOST
    MESSAGE = (
        "the link in this mail leads to the Host of the request; read the site's address from the settings"
    )
    WORDS = ("mail", "Mail", "MIMEText", "Message(", "render_to_string", "send_", "invit")
    VALID = [
        code("""
            def start(request, user, token):
                send_mail('Reset', f'{settings.SITE}/reset/{token}', FROM, [user.email])
        """),
        code("""
            def seen(request):
                if request.get_host() != HOST:
                    return None
                send_mail('Reset', 'reset ' + token, FROM, [user.email])
        """),
    ]
    INVALID = [
        code("""
            def start(request, user, token):
                link = f'https://{request.get_host()}/reset/{token}'
                send_mail('Reset', «link», FROM, [user.email])
        """),
        code("""
            from flask import request
            def start(user, token):
                link = request.host_url + 'reset/' + token
                mail.send(Message('Reset', body=«'Go to ' + link», recipients=[user.email]))
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return any(word in source.text for word in _HOST) and super().wants(source)

    def is_reported(self, hit: Hit) -> bool:
        around = self.module.function_of(hit.node)
        lines = (
            self.source.lines[around.lineno - 1 : around.end_lineno]
            if isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef))
            else self.source.lines
        )
        return _SECRET.search("\n".join(lines)) is not None
