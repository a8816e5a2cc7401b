"""PY306."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import SinkKind


class TaintedTemplate(TaintedCheck):
    """Data from the request is run as a template.

    A template can call methods of what it is given and so reach the whole process. Keep the template fixed
    and pass the value as a variable of it.
    """

    ID = "PY306"
    NAME = "tainted-template"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "template-injection"
    TRIED_ON = (
        "the trees of redash, healthchecks, linkding, Chainlit, aiohttp, flask, apprise, gunicorn, llm and "
        "PySyft: "
        "three, all wrong (another from_string); narrowed, none since"
    )
    DANGER = SinkKind.TEMPLATE
    MESSAGE = "data from the request is run as a template"
    WORDS = ("render_template_string", "Template(", "from_string", ".format(", ".format_map(")
    VALID: ClassVar[Sequence[str | Valid]] = [
        "from flask import render_template_string, request\ndef hello():\n"
        "    return render_template_string('Hello {{ name }}', name=request.args['name'])\n",
        "def find(request):\n    return UID.from_string(request.GET['uid'])\n",
        "from string import Template\ndef hello(request):\n    return Template(request.GET['text'])\n",
        "from jinja2 import Template\nPAGES = {'a': 'Hello {{ name }}'}\ndef hello(request):\n"
        "    return Template(PAGES[request.GET['page']]).render(name=request.GET['name'])\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "from flask import render_template_string, request\n\ndef hello():\n"
            "    page = 'Hello %s' % request.args.get('name')\n    return render_template_string(page)\n",
            line=5,
            column=35,
        ),
        Invalid(
            "def preview(request, environment):\n"
            "    return environment.from_string(request.POST['template']).render()\n",
            line=2,
            column=36,
        ),
        Invalid(
            "from jinja2 import Template\n\ndef preview(request):\n"
            "    return Template(request.POST['template']).render()\n",
            line=4,
            column=21,
        ),
    ]
