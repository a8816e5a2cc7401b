"""Values that reach a sink, and values that certainly do not."""

from __future__ import annotations

import textwrap

import pytest
from wardround_python.dataflow.module_analysis import hits

from wardround.languages.python.module import PythonModule

_BEFORE = """\
import base64, configparser, io, queue
from dataclasses import dataclass
from urllib.parse import parse_qs, quote, unquote
from flask import request, g

class Wrapped:
    def __init__(self, req):
        self.req = req

    def value(self, name):
        return self.req.args.get(name)

    def fixed(self, name):
        return "fixed"

def read(source, name):
    return source.form.get(name)

def same(value):
    return value

def fixed(value):
    return "fixed"

def pick(flag, value):
    if flag:
        return value
    return "fixed"

def chosen(number, value):
    match number:
        case 1:
            return value
        case _:
            return "fixed"

def both(value):
    return "x", value

def named(value):
    return {"a": "x", "b": value}

def rest(*values):
    return values[0]

def taken(sent, name):
    return sent.args.get(name)

@dataclass
class Pair:
    left: str
    right: str

def runs(function, value):
    return function(value)

LIMIT = 86
SWITCH = False

class Box:
    def __init__(self, first="a", second="b"):
        self.first = first
        self.second = second
        self.fields = {}

    def put(self, key, value):
        self.fields[key] = value
        return self

    def get(self, key):
        return self.fields.get(key, "")

    def swap(self):
        self.first, self.second = self.second, self.first
        return self

    def maybe(self, flag):
        if flag:
            return
        self.first = "a"

    class Inner:
        def __init__(self, value):
            self.value = value

        def text(self):
            return self.value

def route(db, flag):
    p = request.args["p"]
"""
_AFTER = '    db.execute("select " + bar)\n'

_HARMLESS = {
    "a sum that is always large": "num = 106\nbar = 'x' if 7 * 18 + num > 200 else p",
    "a number of the module": "if 7 * 42 - LIMIT > 200:\n    bar = 'x'\nelse:\n    bar = p",
    "a branch never taken": "bar = 'x'\nif 1 > 2:\n    bar = p",
    "an elif never reached": "n = 3\nif n == 3:\n    bar = 'x'\nelif flag:\n    bar = p\nelse:\n    bar = p",
    "a match on a letter": "s = 'ABC'[1]\nmatch s:\n    case 'A':\n        bar = p\n    case 'B':\n"
    "        bar = 'x'\n    case _:\n        bar = p",
    "an or of cases": "match 'C':\n    case 'A' | 'B':\n        bar = p\n    case _:\n        bar = 'x'",
    "another key": "d = {'a': p, 'b': 'x'}\nbar = d['b']",
    "a key that is given later": "d = {}\nd['a'] = 'x'\nd['b'] = p\nbar = d.get('a')",
    "a key given anew": "d = {'a': p}\nd['a'] = 'x'\nbar = d['a']",
    "an index after append and pop": "v = ['a']\nv.append(p)\nv.append('x')\nv.pop(0)\nbar = v[1]",
    "a last one": "v = [p, 'x']\nbar = v[-1]",
    "the popped one": "v = ['x', p]\nbar = v.pop(0)",
    "a second name for a list": "v = []\nw = v\nw.append('x')\nv.append(p)\nbar = w[0]",
    "a reversed list": "v = [p, 'x']\nv.reverse()\nbar = v[0]",
    "an inserted one": "v = ['x']\nv.insert(0, p)\nbar = v[1]",
    "an updated mapping": "d = dict(a=p)\nd.update({'b': 'x'})\nd.update(c='y')\nbar = d['b'] + d['c']",
    "a copy made before": "v = ['x']\nw = v.copy()\nv.insert(0, p)\nbar = w[0]",
    "taken apart": "a, b = p, 'x'\nbar = b",
    "exchanged": "a, b = p, 'x'\na, b = b, a\nbar = a",
    "another option": "c = configparser.ConfigParser()\nc.add_section('s')\nc.set('s', 'a', 'x')\n"
    "c.set('s', 'b', p)\nbar = c.get('s', 'a')",
    "another option by keys": "c = configparser.ConfigParser()\nc['s'] = {}\nc['s']['a'] = 'x'\n"
    "c['s']['b'] = p\nbar = c['s']['A']",
    "a function that gives a constant": "bar = fixed(p)",
    "a function with a flag": "bar = pick(False, p)",
    "a function that matches": "bar = chosen(2, p)",
    "a function handed in": "bar = runs(fixed, p)",
    "a lambda": "f = lambda one, two: two\nbar = f(p, 'x')",
    "a lambda with a test": "f = lambda one, two: one if 500 / 42 > 100 else two\nbar = f(p, 'x')",
    "a function inside": "def inner(value):\n    return 'x'\nbar = inner(p)",
    "a function inside another": "def a(v):\n    def b(w):\n        return 'x'\n    return b(v)\nbar = a(p)",
    "a table of functions": "bar = {'a': same, 'b': fixed}['b'](p)",
    "another field": "bar = Box(p, 'x').second",
    "another entry of an object": "b = Box().put('a', 'x').put('b', p)\nbar = b.get('a')",
    "exchanged fields": "bar = Box(p, 'x').swap().first",
    "given by a class inside": "bar = Box.Inner('x').text()",
    "a sliced list": "v = ['x', 'y', p]\nbar = ''.join(v[:2])",
    "an or that ends": "bar = 'x' or p",
    "a number of times": "n = 0\nn += 5\nbar = p if n < 5 else 'x'",
    "what stays encoded": "bar = base64.b64encode(p.encode()).decode()",
    "what is filtered": "bar = ''.join(filter(str.isalnum, p))",
    "what a function makes a number": "bar = ','.join(map(str, map(int, p.split(','))))",
    "what a wrapping object gives itself": "bar = Wrapped(request).fixed('p')",
    "a name in a list of some": "if p not in ('a', 'b'):\n    return\nbar = p",
    "another pair": "d = dict(zip(('a', 'b'), ('x', p)))\nbar = d['a']",
    "another row": "d = dict([('a', p), ('b', 'x')])\nbar = d['b']",
    "another entry of a comprehension": "d = {k: v for k, v in (('a', 'x'), ('b', p))}\nbar = d['a']",
    "what covers an entry": "d = {**{'a': p}, 'a': 'x'}\nbar = d['a']",
    "the first of the rest": "a, *b = ['x', p]\nbar = a",
    "the first that is made": "bar = next(one for one in ('x', p))",
    "the first piece": "def each():\n    yield 'x'\n    yield p\nbar = next(each())",
    "the first in a queue": "q = queue.Queue()\nq.put('x')\nq.put(p)\nbar = q.get()",
    "the last on a stack": "q = queue.LifoQueue()\nq.put(p)\nq.put('x')\nbar = q.get()",
    "a stream begun anew": "s = io.StringIO()\ns.write(p)\ns.seek(0)\ns.truncate()\n"
    "s.write('x')\nbar = s.getvalue()",
    "another attribute": "import types\nn = types.SimpleNamespace(a='x', b=p)\nbar = n.a",
    "an attribute that is not there": "import types\nbar = getattr(types.SimpleNamespace(a=p), 'b', 'x')",
    "an attribute given anew": "b = Box(p)\nsetattr(b, 'first', 'x')\nbar = b.first",
    "another of a named tuple": "from collections import namedtuple\nP = namedtuple('P', 'a b')\n"
    "bar = P('x', p).a",
    "another part of a record": "import dataclasses\nbar = dataclasses.replace(Pair('x', p)).left",
    "a part function": "import functools\nf = functools.partial(pick, False)\nbar = f(p)",
    "a getter of another": "import operator\nbar = operator.itemgetter(0)(['x', p])",
    "a field the template leaves out": "bar = '{0}'.format('x', p)",
    "a name the template leaves out": "bar = '%(a)s' % {'a': 'x', 'b': p}",
    "a part of what a function gives": "bar = both(p)[0]",
    "an entry of what a function gives": "bar = named(p)['a']",
    "the first of many arguments": "bar = rest('x', p)",
    "a loop never run": "bar = 'x'\nwhile False:\n    bar = p",
    "a part of what is matched": "match ('x', p):\n    case (a, b):\n        bar = a\n"
    "    case _:\n        bar = 'y'",
    "the end of an and": "bar = p and 'x'",
    "digits that were found": "import re\nbar = re.match(r'([0-9]+)', p).group(1)",
}
_HARMFUL = {
    "a sum that is always small": "num = 6\nbar = 'x' if 7 * 18 + num > 200 else p",
    "a number of the module": "if 7 * 42 - LIMIT > 250:\n    bar = 'x'\nelse:\n    bar = p",
    "a switch of the module": "bar = 'x'\nif SWITCH:\n    bar = p",
    "a test on something else": "bar = p if flag > 3 else 'x'",
    "a match on a letter": "s = 'ABC'[0]\nmatch s:\n    case 'A':\n        bar = p\n    case _:"
    "\n        bar = 'x'",
    "a match on anything": "bar = 'x'\nmatch flag:\n    case 'A':\n        bar = p",
    "the same key": "d = {'a': p, 'b': 'x'}\nbar = d['a']",
    "any key": "d = {'a': p, 'b': 'x'}\nbar = d[flag]",
    "a key given in a branch": "d = {'a': 'x'}\nif flag:\n    d['a'] = p\nbar = d['a']",
    "a key made harmless in a branch": "d = {'a': p}\nif flag:\n    d['a'] = 'x'\nbar = d['a']",
    "an index after append and pop": "v = ['a']\nv.append(p)\nv.append('x')\nv.pop(0)\nbar = v[0]",
    "a list changed in a loop": "v = ['x']\nfor i in flag:\n    v.insert(0, p)\nbar = v[0]",
    "a list emptied in a loop": "v = [p, 'x']\nfor i in flag:\n    v.pop(0)\nbar = v[0]",
    "a list somebody has": "v = ['x']\nflag(v)\nv.insert(0, p)\nbar = v[0]",
    "a list somebody may change": "v = ['x', p]\nflag(v)\nbar = v[0]",
    "a list in a list": "v = ['x', p]\nw = [v]\nflag(w)\nbar = v[0]",
    "a second name for a list": "v = ['x']\nw = v\nw.insert(0, p)\nbar = v[0]",
    "a list changed by a function inside": "v = ['x']\ndef add():\n    v.insert(0, p)\nadd()\nbar = v[0]",
    "a name changed by a function inside": "v = 1\ndef change():\n    nonlocal v\n    v = 2\nchange()\n"
    "bar = p if v == 2 else 'x'",
    "what a function inside reads": "def inner():\n    return p\nbar = inner()",
    "what a lambda reads": "f = lambda: p\nbar = f()",
    "a lambda called at once": "bar = (lambda v: v)(p)",
    "a comprehension that changes": "v = ['x']\n[v.insert(0, one) for one in p]\nbar = v[0]",
    "a count in a loop": "n = 0\nbar = 'x'\nfor i in flag:\n    if n == 5:\n        bar = p\n    n += 1",
    "flags in a loop": "a = b = 0\nbar = 'x'\nwhile flag():\n    if b:\n        bar = p\n"
    "    if a:\n        b = 1\n"
    "    a = 1",
    "a try that fails half way": "n = 1\ntry:\n    n = 2\n    flag()\n"
    "    n = 1\nexcept ValueError:\n    pass\n"
    "bar = p if n == 2 else 'x'",
    "a list changed in a try": "v = [p]\ntry:\n    flag()\n    v[0] = 'x'\n"
    "except ValueError:\n    pass\nbar = v[0]",
    "a loop that ends early": "v = [p]\nwhile True:\n    if flag():\n        break\n"
    "    v[0] = 'x'\n    break\nbar = v[0]",
    "a choice that changes": "v = [p, 'x']\nflag and v.pop(0)\nbar = v[0]",
    "an option": "c = configparser.ConfigParser()\nc.add_section('s')\nc.set('s', 'a', 'x')\n"
    "c.set('s', 'b', p)\nbar = c.get('s', 'b')",
    "an option by keys": "c = configparser.ConfigParser()\nc['s'] = {}\nc['s']['b'] = p\nbar = c['s']['B']",
    "an option that refers": "c = configparser.ConfigParser()\nc.read_dict({'s': {'a': '%(b)s'}})\n"
    "c.set('s', 'b', p)\nbar = c.get('s', 'a')",
    "a function that gives it back": "bar = same(p)",
    "a function with a flag": "bar = pick(True, p)",
    "a function that matches": "bar = chosen(1, p)",
    "a function handed in": "bar = runs(same, p)",
    "a lambda": "f = lambda one, two: one\nbar = f(p, 'x')",
    "a function inside another": "def a(v):\n    def b(w):\n        return w\n    return b(v)\nbar = a(p)",
    "a table of functions": "bar = {'a': same, 'b': fixed}['a'](p)",
    "a field": "bar = Box(p, 'x').first",
    "an entry of an object": "b = Box().put('a', 'x').put('b', p)\nbar = b.get('b')",
    "an entry any key reads": "b = Box().put('a', 'x').put('b', p)\nbar = b.get(flag)",
    "an object somebody has": "b = Box().put('a', 'x')\nflag(b)\nb.put('a', p)\nbar = b.get('a')",
    "exchanged fields": "bar = Box(p, 'x').swap().second",
    "an exchange in a branch": "b = Box(p, 'x')\nif flag:\n    b.swap()\nbar = b.first",
    "a method that leaves early": "b = Box(p, 'x')\nb.maybe(flag)\nbar = b.first",
    "given by a class inside": "bar = Box.Inner(p).text()",
    "a sliced list": "v = ['x', 'y', p]\nbar = ''.join(v[1:])",
    "an or": "bar = flag or p",
    "what was encoded and decoded": "bar = base64.b64decode(base64.b64encode(p.encode())).decode()",
    "what was quoted and unquoted": "bar = unquote(quote(p))",
    "what a query holds": "bar = parse_qs(request.query_string.decode()).get('q', [''])[0]",
    "what a stream holds": "s = io.StringIO()\ns.write(p)\ns.seek(0)\nbar = s.read()",
    "what is made by a function for each": "bar = ''.join(map(lambda c: c.upper(), p))",
    "what is put together backwards": "v = []\nfor c in reversed(p):\n    v.insert(0, c)\nbar = ''.join(v)",
    "what a comprehension gives": "bar = ''.join([c for c in p])",
    "what a template is filled with": "bar = '{name}'.format(name=p)",
    "what a queue hands on": "q = queue.Queue()\nq.put(p)\nbar = q.get()",
    "what an object that wraps the request reads": "bar = Wrapped(request).value('p')",
    "what a header holds": "bar = request.headers.getlist('X')[0]",
    "what a cookie holds": "bar = request.cookies['x']",
    "what the body holds": "bar = request.get_json(force=True)['x']",
    "what all values hold": "bar = request.values.to_dict(flat=False)['x'][0]",
    "what the names of the values are": "for name in request.form.keys():\n    bar = name",
    "what a part of the path is": "bar = request.path.split('/')[-1]",
    "what a global is given": "global SWITCH\nSWITCH = p\nbar = SWITCH",
    "a pair": "d = dict(zip(('a', 'b'), ('x', p)))\nbar = d['b']",
    "an entry of a comprehension": "d = {k: v for k, v in (('a', 'x'), ('b', p))}\nbar = d['b']",
    "an entry that is added": "d = {'a': 'x'}\nd |= {'a': p}\nbar = d['a']",
    "an entry added in a branch": "d = {'a': 'x'}\nif flag:\n    d |= {'a': p}\nbar = d['a']",
    "one of the rest": "a, *b = ['x', p]\nbar = b[0]",
    "the second that is made": "def each():\n    yield 'x'\n    yield p\ns = each()\nnext(s)\nbar = next(s)",
    "the next in a loop": "s = iter(['x', p])\nfor i in flag:\n    bar = next(s)",
    "the second in a queue": "q = queue.Queue()\nq.put('x')\nq.put(p)\nq.get()\nbar = q.get()",
    "a queue read in a loop": "q = queue.Queue()\nq.put('x')\nq.put(p)\nbar = ''\n"
    "for i in flag:\n    bar = q.get()",
    "an attribute given anew": "import types\nn = types.SimpleNamespace(a='x')\nsetattr(n, 'a', p)\n"
    "bar = getattr(n, 'a')",
    "an attribute of a namespace": "import types\nn = types.SimpleNamespace(a='x')\nn.a = p\nbar = n.a",
    "one of a named tuple": "from collections import namedtuple\nP = namedtuple('P', 'a b')\n"
    "bar = P('x', p).b",
    "a part function": "import functools\nf = functools.partial(pick, True)\nbar = f(p)",
    "a getter": "import operator\nbar = operator.itemgetter(1)(['x', p])",
    "a field of the template": "bar = '{1}'.format('x', p)",
    "a part of what a function gives": "bar = both(p)[1]",
    "an entry of what a function gives": "bar = named(p)['b']",
    "one of many arguments": "bar = rest(p, 'x')",
    "a part of what is matched": "match ('x', p):\n    case (a, b):\n        bar = b\n"
    "    case _:\n        bar = 'y'",
    "what is said of a failure": "try:\n    raise ValueError(p)\nexcept ValueError as e:\n    bar = str(e)",
    "anything that was found": "import re\nbar = re.match(r'(.*)x', p).group(1)",
    "the request by another name": "other = request\nbar = other.args['p']",
    "the request handed on": "bar = taken(request, 'p')",
    "what the server says of the request": "bar = request.environ['QUERY_STRING']",
}


def _hits(body: str) -> int:
    text = _BEFORE + textwrap.indent(body, "    ") + "\n" + _AFTER
    return len(hits(PythonModule("a.py", text)))


@pytest.mark.parametrize("name", _HARMLESS)
def test_a_value_that_is_certainly_not_from_the_sender_is_not_reported(name: str) -> None:
    assert _hits(_HARMLESS[name]) == 0


@pytest.mark.parametrize("name", _HARMFUL)
def test_a_value_that_may_be_from_the_sender_is_reported(name: str) -> None:
    assert _hits(_HARMFUL[name]) == 1
