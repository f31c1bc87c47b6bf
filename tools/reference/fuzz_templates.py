"""Compares `plumbline inspect render` with jinja2, as transformers configures it, on random templates.

    python tools/reference/fuzz_templates.py --plumbline build/release/plumbline --count 5000 --seed 1
    python tools/reference/fuzz_templates.py --count 400 --seed 9 --write tests/parity/text/template_rows.jsonl.gz

Each template is rendered with several contexts; text must be equal, and so must be whether it fails. What plumbline says
it does not support is counted apart. --write stores templates with what jinja2 says, for the tests. Needs: pip install
jinja2.
"""
import argparse
import gzip
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import warnings

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment


class Generation(Extension):
    """transformers' {% generation %}: its body, for us."""
    tags = {"generation"}

    def parse(self, parser):
        lineno = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(lineno)

    def _body(self, caller):
        return caller()


def environment():
    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])

    def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    def raise_exception(message):
        raise jinja2.exceptions.TemplateError(message)
    env.last_source = env.last_template = None  # the one that says() compiled last
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = lambda form: __import__("datetime").datetime(2026, 1, 31, 12, 5, 9).strftime(form)
    return env


TOOLS = [{"type": "function", "function": {"name": "get_weather", "description": "d'x \"q\"", "parameters": {
    "type": "object", "properties": {"city": {"type": "string", "enum": ["a", "b"]}, "n": {"type": ["integer", "null"]}}, "required": ["city"]}}}]
COMMON = {"bos_token": "<s>", "eos_token": "</s>", "x": 3, "y": -2.5, "s": "A b  C,d", "l": [3, 1, 2], "d": {"k": "v", "a": [1, {"b": 2}]}, "n": None, "t": True, "v": "va l", "i": 4,
          "m": {"role": "user", "content": "mm"}, "message": {"role": "assistant", "content": "Hi\n"}}
CONTEXTS = [
    {**COMMON, "messages": [{"role": "user", "content": "Hi there"}, {"role": "assistant", "content": "  yo\n"}, {"role": "user", "content": "<b>bye</b> é"}],
     "add_generation_prompt": True, "tools": None, "documents": None, "bos_token": "<s>", "eos_token": "</s>"},
    {**COMMON, "messages": [{"role": "system", "content": "Be\nkind"}, {"role": "user", "content": [{"type": "text", "text": "x"}, {"type": "image"}]},
                  {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": {"a": 1.5, "b": [True, None]}}}]},
                  {"role": "tool", "content": "42", "tool_call_id": "1"}],
     "add_generation_prompt": False, "tools": TOOLS, "documents": [{"title": "T", "text": "ß text"}], "bos_token": "<s>", "eos_token": "</s>"},
    {**COMMON, "messages": [], "add_generation_prompt": True, "tools": [], "documents": None, "x": 3, "y": -2.5, "s": "A b  C,d", "l": [3, 1, 2, "z"], "d": {"k": "v", "a": [1, {"b": 2}]}},
    {"messages": [{"role": "user", "content": "</think>\n\nq"}, {"role": "user", "content": ""}], "add_generation_prompt": True, "tools": None, "documents": None, "x": 0, "y": 7, "s": "", "l": [], "d": {}, "n": None, "t": True},
]
NAMES = ["messages", "tools", "documents", "add_generation_prompt", "bos_token", "x", "y", "s", "l", "d", "n", "t", "missing", "m", "ns", "loop", "i", "v", "namespace", "range"]
ATTRIBUTES = ["role", "content", "tool_calls", "function", "name", "arguments", "k", "a", "b", "index", "index0", "first", "last", "length", "previtem", "nextitem",
              "revindex", "revindex0", "depth", "depth0", "type", "text", "zz", "items", "upper", "count", "x", "y"]
TEXT_METHODS = ["upper()", "lower()", "title()", "capitalize()", "strip()", "lstrip()", "rstrip()", "strip('\\n')", "split()", "split(' ')", "split(',', 1)", "rsplit(' ', 1)",
                "splitlines()", "splitlines(true)", "startswith('H')", "endswith(('y', 'd'))", "replace('e', 'E')", "replace('', '-', 2)", "find('e')", "rfind('b')", "count('b')",
                "join(l)", "join(['p', 'q'])", "removeprefix('<')", "removesuffix('y')", "isspace()", "isalpha()", "isupper()", "islower()", "isdigit()", "isalnum()", "isnumeric()",
                "isdecimal()", "istitle()", "isascii()", "index('b')", "rindex('b')", "partition(' ')", "rpartition(' ')", "swapcase()", "casefold()", "center(9)", "center(9, '*')",
                "ljust(8)", "rjust(8, '.')", "zfill(6)", "expandtabs()", "format(1, a=2)", "encode()", "isidentifier()", "isprintable()", "startswith('b', 3)", "find('b', 2, 9)",
                "split(sep=',')", "split(maxsplit=1)", "strip(none)", "split(none, 1)"]
DICT_METHODS = ["items()", "keys()", "values()", "get('k')", "get('role', 'dflt')", "get('zz', 1)", "copy()", "update({})", "pop('k')"]
LIST_METHODS = ["count(1)", "index(3)", "index('z')", "copy()", "append(1)", "pop()", "sort()"]
FILTERS = ["trim", "upper", "lower", "title", "capitalize", "length", "count", "first", "last", "list", "join", "join(', ')", "join('-', attribute='role')", "tojson", "tojson(indent=2)",
           "tojson(ensure_ascii=true)", "tojson(separators=(',', ':'))", "tojson(sort_keys=true)", "default('D')", "default('D', true)", "d('E')", "int", "int(7)", "float", "abs", "round",
           "round(1)", "round(2, 'floor')", "string", "replace('a', 'b')", "replace('b', 'X', 1)", "reverse", "reverse|list", "sort", "sort(reverse=true)", "sort(attribute='role')",
           "unique|list", "unique|join", "map(attribute='role')|list", "map(attribute='content')|join('|')", "map('upper')|list", "map(attribute='zz', default='q')|list", "map('length')|list",
           "selectattr('role', 'equalto', 'user')|list", "selectattr('content')|list", "rejectattr('role', 'eq', 'user')|list|length", "select('string')|list", "reject('none')|list",
           "select|list", "rejectattr('content', 'none')|list", "selectattr('role', 'in', ['user'])|list", "items|list", "dictsort", "dictsort(by='value')", "sum", "sum(attribute='x')", "max", "min", "indent",
           "indent(2)", "indent(2, true)", "indent(4, first=true, blank=true)", "e", "escape", "safe", "batch(2)|list", "batch(2, 'f')|list", "slice(2)|list", "wordcount", "truncate(5)", "truncate(5, true, '..')",
           "groupby('role')|list|length", "attr('role')", "striptags", "center(9)", "format(1)", "pprint", "random is defined", "wordwrap(4)", "urlencode", "xmlattr", "filesizeformat", "forceescape"]
TESTS = ["defined", "undefined", "none", "string", "number", "integer", "float", "boolean", "true", "false", "mapping", "sequence", "iterable", "callable", "odd", "even", "divisibleby(3)",
         "divisibleby 3", "eq(3)", "equalto 3", "ne 3", "gt 1", "lt(2)", "ge 0", "le 5", "in [1, 2, 3]", "in 'abc'", "sameas none", "sameas true", "lower", "upper", "escaped", "filter", "test", "== 3", "greaterthan 1"]

# Compared before the random ones: whose name a name is, when the test of a loop runs, and where `break` leads.
FIXED = [
    "{% set s %}[{{ s }}]{% endset %}{{ s }}",
    "{% for i in l %}{{ x }}{% endfor %}{% set x = 1 %}{{ x }}",
    "{% for i in l %}{{ m }}{% endfor %}{% macro m() %}{% endmacro %}",
    "{% set ns=namespace(a=true) %}{% for i in l if ns.a %}{{ i }}{% set ns.a=false %}{% endfor %}",
    "{% set ns=namespace(a=true) %}{% for i in l if ns.a %}{{ i }}{{ loop.last }}{% set ns.a=false %}{% endfor %}",
    "{% set ns=namespace(a=true) %}{% for i in l if ns.a %}{{ i }}{{ loop.length }}{% set ns.a=false %}{% endfor %}",
    "{% for i in l %}{% with %}{% if i==2 %}{% break %}{% endif %}{% endwith %}{{ i }}{% endfor %}",
    "{% for i in l %}{% filter upper %}a{% if i==2 %}{% break %}{% endif %}{% endfilter %}{{ i }}{% endfor %}",
    "{% for i in l %}{% set q %}a{% if i==2 %}{% continue %}{% endif %}{% endset %}{{ i }}{% endfor %}",
    "{% for i in l %}{% generation %}a{% if i==2 %}{% break %}{% endif %}{% endgeneration %}{{ i }}{% endfor %}",
    "{% for i in l %}{{ i }}{% for j in [] %}{% else %}{% break %}{% endfor %}{% endfor %}",
    "{% for i in l %}{{ i }}{% for j in [] recursive %}{% else %}{% break %}{% endfor %}{% endfor %}",
    "{% filter replace('a', x|string) %}aa{% set x = 'b' %}{% endfilter %}",
    "{% set q | replace('a', s) %}ab{% endset %}{{ q }}",
    "{{ s }}{% set q | replace('a', s) %}ab{% endset %}{{ q }}",
    "{% set loop = 1 %}{{ loop }}",
    "{% for i in l %}{% set loop = 1 %}{% endfor %}",
    "{% for i in l %}{{ i }}{% with loop=1 %}{{ loop }}{% endwith %}{% endfor %}",
    "{% macro m(v=i, i=1) %}{{ v }}{% endmacro %}{% set i = 9 %}{{ m(i=5) }}{{ m() }}",
    "{% macro a() %}{% macro b() %}{{ caller is defined }}{% endmacro %}{{ b() }}{% endmacro %}{% call a() %}c{% endcall %}",
    "{% macro m(caller) %}{{ caller }}{% endmacro %}{{ m(1) }}",
    "{% macro m(caller=2) %}{{ caller }}{% endmacro %}{{ m(1) }}{{ m() }}{% call m() %}z{% endcall %}",
    "{% macro m() %}{% set caller=1 %}{{ caller }}{% endmacro %}{{ m() }}{% call m() %}z{% endcall %}",
    "{% generation %}{{ kwargs }}{{ varargs }}{{ caller is defined }}{% endgeneration %}",
    "{% for i in l %}{% set q=i %}{% if i==1 %}{% set ns=namespace() %}{% endif %}{{ ns is defined }}{% endfor %}",
    "{% set ns=namespace() %}{% for i in l %}{% macro m() %}{{ i }}{% endmacro %}{% if loop.first %}{% set ns.m=m %}{% endif %}{{ ns.m() }}{% endfor %}",
    "{% set x %}{% set x = 7 %}{{ x }}{% endset %}{{ x }}",
    "{{ loop is defined }}{% for i in l %}{% for j in [1] %}{{ loop.index }}{% else %}{{ loop.index }}{% endfor %}{% endfor %}",
    "{% for i in l %}{% for j in [] %}{{ j }}{% else %}{{ loop.index }}{% endfor %}{% endfor %}",
    "{% for i in l if loop is defined %}{{ loop.index }}{% endfor %}",
    "{% for i in [1] %}{% for j in l if loop.first %}{{ j }}{% endfor %}{% endfor %}",
    "{% for i in [1] %}{{loop.index}}{% for j in l if loop.first %}{{ j }}{% endfor %}{% endfor %}",
]


class Grammar:
    def __init__(self, rng):
        self.rng = rng
        self.loops = 0

    def pick(self, *choices):
        return self.rng.choice(choices)

    def literal(self):
        return self.pick("0", "1", "2", "3", "-1", "10", "2.5", "1e3", "0.1", "true", "false", "none", "True", "None", "'a'", "'b c'", "\"it's\"", "'\\n'", "'é\\u00e9'", "''", "' '", "[]", "{}", "()",
                         "[1, 2]", "(1, 'a')", "['a', none]", "{'k': 1, 'j': 'x'}", "{1: 2}", "'user'", "'system'", "[[1, 2], [3, 4]]", "'%s'", "'a' 'b'", "1_000", "(1,)", "'<b>'")

    def name(self):
        return self.rng.choice(NAMES) if self.rng.random() < .9 else self.pick("cycler", "joiner", "dict", "lipsum", "raise_exception", "strftime_now", "self", "varargs", "kwargs", "caller")

    def atom(self, depth):
        r = self.rng.random()
        if r < .3 or depth > 4:
            return self.literal()
        if r < .75:
            return self.name()
        if r < .82:
            return f"({self.expression(depth + 1)})"
        if r < .86:
            return f"[{self.expression(depth + 1)}, {self.expression(depth + 1)}]"
        if r < .89:
            return "{" + f"'a': {self.expression(depth + 1)}, 'b': {self.expression(depth + 1)}" + "}"
        if r < .93:
            return self.pick("range(3)", "range(1, 4)", "range(5, 0, -2)", "range(x)", "namespace(a=1)", "dict(a=1, b=x)", "strftime_now('%Y-%m-%d %H:%M')", "strftime_now('%d %b %Y')", "raise_exception('boom ' ~ x)", "cycler('a', 'b')", "loop.cycle('o', 'e')", "loop.changed(i)", "m(1)", "m(x, y)", "m()", "m(v=2)", "caller()")
        return self.pick("messages[0]", "messages[-1]", "messages[0]['role']", "messages[0].content", "messages|length", "d.a[1].b", "tools[0].function.name", "loop.index0", "loop.first", "loop.last", "message.content", "ns.x", "m.content")

    def postfix(self, depth):
        out = self.atom(depth)
        while self.rng.random() < .35:
            r = self.rng.random()
            if r < .3:
                out += "." + self.rng.choice(ATTRIBUTES)
            elif r < .42:
                out += f"[{self.pick('0', '-1', '1', quote(self.rng.choice(ATTRIBUTES)), self.expression(depth + 1))}]"
            elif r < .55:
                out += self.pick("[1:]", "[:-1]", "[:2]", "[::-1]", "[::2]", "[1:3]", "[-2:]", "[5:]", "[x:]", "[:y]", "[::0]", "[none:2]")
            elif r < .8:
                out += "." + self.rng.choice(self.pick(TEXT_METHODS, TEXT_METHODS, DICT_METHODS, LIST_METHODS))
            else:
                out = f"({out}|{self.rng.choice(FILTERS)})"
        return out

    def string(self, depth):
        """An expression that is most likely a string."""
        if depth > 3:
            return self.pick("'a'", "s", "'Hi there'", "bos_token", "''", "messages[0].content", "messages[0]['role']")
        out = self.pick("s", "'b c'", "'  x\\ny '", "messages[0].content", "m.content", "message.role", "messages[-1]['role']", "bos_token", "v", f"({self.string(depth + 1)} ~ {self.expression(depth + 1)})",
                        f"({self.string(depth + 1)} + {self.string(depth + 1)})", f"({self.string(depth + 1)} if {self.truth(depth + 1)} else {self.string(depth + 1)})", "d|tojson", "tools|tojson(indent=2)", "messages|map(attribute='role')|join(', ')", f"{self.list(depth + 1)}|join('-')", "'é<b>'")
        for _ in range(self.pick(0, 0, 1, 1, 2)):
            if "|" in out:
                out = f"({out})"
            out += self.pick("." + self.rng.choice(TEXT_METHODS), "|" + self.rng.choice(FILTERS[:8]), "|trim", "[1:]", "[:-1]", "[::-1]", "[0]", "|string", "|default('q')", "|replace('e', '')", "|upper")
        return out

    def number(self, depth):
        if depth > 3:
            return self.pick("0", "1", "3", "2.5")
        return self.pick("x", "y", "1", "2", "7", "2.5", "-3", "loop.index", "loop.index0", "loop.revindex", f"{self.list(depth + 1)}|length", f"{self.string(depth + 1)}|length", "'12'|int", "loop.length",
                         f"({self.number(depth + 1)} {self.pick('+', '-', '*', '//', '%', '/')} {self.number(depth + 1)})", f"{self.string(depth + 1)}.find('e')", "ns.x", f"{self.number(depth + 1)}|round(1)", f"{self.number(depth + 1)}|abs", "[3, 1]|max", "l|count")

    def list(self, depth):
        if depth > 3:
            return self.pick("[1, 2]", "messages", "l", "[]")
        out = self.pick("messages", "messages", "l", "[1, 2, 3]", "['b', 'a', 'B']", "range(4)|list", "d.items()|list", f"[{self.expression(depth + 1)}, {self.expression(depth + 1)}]", "messages|selectattr('role', 'eq', 'user')|list", "messages|map(attribute='role')|list",
                        f"{self.string(depth + 1)}.split()", f"{self.string(depth + 1)}|list", f"({self.list(depth + 1)} + {self.list(depth + 1)})", "d|dictsort", "[[1, 'a'], [2, 'b']]", "tools or []", "(1, 'a')")
        return out + self.pick("", "", "", "[1:]", "[:-1]", "[::-1]", "|reverse|list", "|unique|list", "|batch(2)|list", "|select|list")

    def truth(self, depth):
        if depth > 3:
            return self.pick("true", "x", "loop.first", "messages")
        return self.pick("true", "false", "add_generation_prompt", "loop.first", "loop.last", "messages", "tools", f"{self.name()} is defined", f"{self.name()} is not none", f"{self.expression(depth + 1)} is {self.rng.choice(TESTS[:16])}",
                         f"{self.number(depth + 1)} {self.pick('>', '<', '==', '!=', '>=', '<=')} {self.number(depth + 1)}", f"{self.string(depth + 1)} {self.pick('==', '!=', 'in', 'not in', '<')} {self.string(depth + 1)}",
                         f"{self.string(depth + 1)}.startswith('H')", f"not {self.truth(depth + 1)}", f"{self.truth(depth + 1)} and {self.truth(depth + 1)}", f"({self.truth(depth + 1)} or {self.truth(depth + 1)})", "'user' in message", "message.tool_calls is defined and message.tool_calls", "messages[0].role == 'system'", f"{self.literal()} in {self.list(depth + 1)}")

    def expression(self, depth=0):
        r = self.rng.random()
        if r < .3:
            return self.string(depth)
        if r < .5:
            return self.number(depth)
        if r < .65:
            return self.list(depth)
        if r < .8:
            return self.truth(depth)
        if r < .96:
            return self.literal()
        return self.wild(depth)

    def wild(self, depth=0):
        if depth > 4:
            return self.literal()
        r = self.rng.random()
        if r < .45:
            return self.postfix(depth)
        if r < .58:
            return f"{self.postfix(depth)} {self.pick('+', '-', '*', '/', '//', '%', '**', '~', '~', '+')} {self.postfix(depth + 1)}"
        if r < .68:
            return f"{self.postfix(depth)} {self.pick('==', '!=', '<', '>', '<=', '>=', 'in', 'not in')} {self.postfix(depth + 1)}"
        if r < .76:
            return f"{self.expression(depth + 1)} {self.pick('and', 'or')} {self.expression(depth + 1)}"
        if r < .80:
            return f"not {self.expression(depth + 1)}"
        if r < .90:
            return f"{self.postfix(depth)} is {self.pick('', '', 'not ')}{self.rng.choice(TESTS)}"
        if r < .96:
            other = f" else {self.expression(depth + 1)}" if self.rng.random() < .7 else ""
            return f"{self.postfix(depth)} if {self.expression(depth + 1)}{other}"
        return f"{self.pick('-', '+')}{self.postfix(depth)}"

    def tag(self, inside):
        return "{%" + self.pick("", "", "-", "-", "+") + f" {inside} " + self.pick("", "", "-", "-", "+") + "%}"

    def end(self, inside):
        return "{%" + self.pick("", "-") + f" {inside} " + self.pick("", "-") + "%}"

    def output(self):
        return "{{" + self.pick("", "-") + f" {self.expression()} " + self.pick("", "", "-") + "}}"

    def text(self):
        return self.pick("a", " ", "\n", "  \n", "\n  ", "<|im_start|>", "x y\n", "\t", "", "\n\n", "{ }", "é", "%}"[:1], "{# c #}", "{#- c -#}", "  {# c #}  \n", "{% raw %}{{ x }}{% endraw %}", "{%- raw -%} z {%- endraw -%}", "#}"[:1])

    def body(self, depth):
        leave = self.tag(f"if {self.pick('loop.last', 'x', self.truth(2))}") + self.tag(self.pick("break", "continue")) + "{% endif %}" if self.loops and self.rng.random() < .08 else ""
        return "".join(self.statement(depth + 1) for _ in range(self.rng.randint(0, 3))) + leave

    def statement(self, depth=0):
        r = self.rng.random()
        if r < .35 or depth > 4:
            return self.text() + (self.output() if self.rng.random() < .6 else "")
        if r < .5:
            return self.output()
        if r < .64:
            out = self.tag(f"if {self.truth(0)}") + self.body(depth)
            if self.rng.random() < .3:
                out += self.tag(f"elif {self.expression()}") + self.body(depth)
            if self.rng.random() < .5:
                out += self.tag("else") + self.body(depth)
            return out + self.end("endif")
        if r < .80:
            return self.loop(depth)
        if r < .90:
            return self.assignment(depth)
        if r < .95:
            return self.macro(depth)
        kind = self.pick("with", "filter", "call", "generation", "late", "late", "counted")
        if kind == "late":  # names that a block assigns behind where it, or a block in it, reads them
            name = self.pick("x", "s", "v", "m", "i")
            read = self.pick(f"{{{{ {name} }}}}", f"{{% for i in [1, 2] %}}{{{{ {name} }}}}{{% endfor %}}", f"{{% if t %}}{{{{ {name} }}}}{{% else %}}{{% set {name} = 0 %}}{{% endif %}}", f"{{% with %}}{{{{ {name} }}}}{{% endwith %}}")
            write = self.pick(f"{{% set {name} = 'late' %}}", f"{{% set {name} %}}[{{{{ {name} }}}}]{{% endset %}}", f"{{% if x %}}{{% set {name} = 'maybe' %}}{{% endif %}}", f"{{% macro {name}() %}}{{% endmacro %}}")
            return self.pick(read + write + read, f"{{% for j in [1, 2] %}}{read}{write}{read}{{% endfor %}}", f"{{% macro w(a={name}) %}}{read}{write}{{{{ a }}}}{{% endmacro %}}{{{{ w() }}}}{write}{{{{ w(1) }}}}")
        if kind == "counted":
            return "{% set ns = namespace(x=0) %}" + self.tag(f"for i in {self.list(2)} if ns.x < 2") + "{% set ns.x = ns.x + 1 %}" + self.pick("", "{{ loop.last }}", "{{ loop.length }}", "{{ loop.nextitem }}") + self.body(depth) + self.end("endfor")
        if kind == "with":
            return self.tag(f"with v = {self.expression()}, i = x") + self.body(depth) + self.end("endwith")
        if kind == "filter":
            return self.tag("filter " + self.pick("upper", "trim", "indent(2)", "replace('a', 'b')", "upper|trim")) + self.body(depth) + self.end("endfilter")
        if kind == "call":
            return self.tag(self.pick("call m(1)", "call(i) m(2)", "call m()", "call(i, v=3) m(x)")) + self.body(depth) + self.end("endcall")
        if kind == "generation":
            return self.tag("generation") + self.body(depth) + self.end("endgeneration")
        return ""

    def loop(self, depth):
        target = self.pick("m", "i", "i", "v", "message", "i, v", "message")
        iterable = self.pick(self.list(1), self.list(1), "messages", "messages", "messages[1:]", "range(3)", "range(4)", "l", "d.items()", "d|items", "[1, 2, 3]", "s", "tools", "'abc'", "[[1, 'a'], [2, 'b']]", "messages|selectattr('role', 'eq', 'user')", "missing", "messages", self.expression(3))
        extra = self.pick("", "", "", "", " if i", " if messages", " if not missing", f" if {self.expression(3)}", " recursive")
        self.loops += 1
        out = self.tag(f"for {target} in {iterable}{extra}") + self.body(depth)
        if self.rng.random() < .25:
            out += self.tag(f"if {self.truth(2)}") + self.tag(self.pick("break", "continue")) + self.end("endif") + self.body(depth + 1)
        if "recursive" in extra and self.rng.random() < .7:
            out += self.pick("{{ loop(i) }}", "{{ loop([1]) if loop.depth < 3 }}", "{% if i is sequence and i is not string %}{{ loop(i) }}{% endif %}")
        self.loops -= 1
        if self.rng.random() < .2:
            out += self.tag("else") + self.body(depth)
        return out + self.end("endfor")

    def assignment(self, depth):
        r = self.rng.random()
        if r < .5:
            return self.tag(f"set {self.pick('x', 'y', 'v', 'i', 's', 'm')} = {self.expression()}")
        if r < .65:
            return self.tag(self.pick("set ns = namespace(x=0, y='')", "set ns = namespace(d)", "set ns = namespace()"))
        if r < .8:
            return self.tag(f"set ns.{self.pick('x', 'y', 'z')} = {self.expression()}")
        if r < .88:
            return self.tag(self.pick("set x, y = 1, 2", "set i, v = l", "set (x, y) = (y, x)", "set x, y = [1, 2]"))
        return self.tag(self.pick("set v", "set s | upper", "set x | trim | upper")) + self.body(depth) + self.end("endset")

    def macro(self, depth):
        head = self.pick("m(i)", "m(i, v=1)", "m()", "m(i=none, v='q')", "m(i, v)", "m(i, v=i)")
        body = self.body(depth) + self.pick("", "", "{{ caller() }}", "{{ varargs }}", "{{ kwargs }}", "{{ caller(1) if caller }}", "{{ i }}", "{{ m(i - 1) if i is number and i > 0 }}")
        call = self.pick("", "{{ m(1) }}", "{{ m(1, 2) }}", "{{ m(v=3, i=4) }}", "{{ m() }}", "{{ m(1, 2, 3) }}", "{{ m(z=1) }}", "{{ m(*l) }}", "{{ m(**d) }}", "{{ m(1)|upper }}", "{{ m.name }}")
        return self.tag(f"macro {head}") + body + self.end("endmacro") + call

    def template(self):
        return "".join(self.statement() for _ in range(self.rng.randint(1, 3)))


def quote(text):
    return f"'{text}'"


def says(env, template, context):
    """{"text": ...} or {"error": ...} of jinja2."""
    try:
        if env.last_source != template:
            env.last_source, env.last_template = None, env.from_string(template)
            env.last_source = template
        return {"text": env.last_template.render(**context)}
    except RecursionError:
        return {"error": "RecursionError"}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def is_stable(text):
    """Addresses and Python's own reprs of objects are no contract."""
    return "0x" not in text and "dict[" not in text and " object at " not in text and "<jinja2" not in text and "<bound method" not in text and "<function" not in text


def compare(binary, folder, template, wanted):
    path = pathlib.Path(folder) / "t.jinja"
    path.write_text(template, encoding="utf-8", newline="")
    lines = "".join(json.dumps({"messages": c["messages"], "add_generation_prompt": c["add_generation_prompt"],
                                "extra": {k: v for k, v in c.items() if k not in ("messages", "add_generation_prompt")}}) + "\n" for c in CONTEXTS)
    done = subprocess.run([binary, "inspect", folder, "render", "--template", str(path), "--now", "2026-01-31T12:05:09"], input=lines,
                          capture_output=True, text=True, encoding="utf-8")
    if done.returncode:
        got = [{"error": done.stderr.strip()}] * len(CONTEXTS)
    else:
        values = [json.loads(line) for line in done.stdout.split("\n")[:-1]]
        got = [value if isinstance(value, dict) else {"text": value} for value in values]
    for context, want, have in zip(CONTEXTS, wanted, got, strict=True):
        if "error" in have and "not supported" in have["error"] and want != have:
            return "unsupported", context, want, have
        if ("error" in want) != ("error" in have) or want.get("text") != have.get("text"):
            return "differ", context, want, have
        raised = want.get("error", "")
        if raised.startswith("TemplateError: ") and raised != have["error"]:
            return "differ", context, want, have
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumbline", default="build/release/plumbline")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=40)
    parser.add_argument("--write", help="store templates and jinja2's answers here instead of comparing")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    env = environment()
    equal = differing = skipped = errors = renderings = 0
    unsupported, stored = {}, []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(-len(FIXED), arguments.count):
            template = FIXED[number] if number < 0 else Grammar(random.Random(f"{arguments.seed}.{number}")).template()
            wanted = [says(env, template, context) for context in CONTEXTS]
            if not all(is_stable(want.get("text", "")) for want in wanted) or "random" in template or "lipsum" in template:
                skipped += 1
                continue
            if arguments.write:
                stored.append([template, [want.get("text") if "text" in want else {"error": want["error"]} for want in wanted]])
                continue
            renderings += len(wanted)
            errors += sum("error" in want for want in wanted)
            difference = compare(arguments.plumbline, folder, template, wanted)
            if difference is None:
                equal += 1
                continue
            kind, context, want, have = difference
            if kind == "unsupported":
                unsupported.setdefault(have["error"][:110].replace(folder, ""), []).append(number)
                continue
            differing += 1
            if differing <= arguments.show:
                print(f"{number}: {template!r}\n  context {CONTEXTS.index(context)}\n  want {str(want)[:400]}\n  got  {str(have)[:400]}")
    if arguments.write:
        head = {"made_with": f"jinja2 {jinja2.__version__}", "command": "tools/reference/fuzz_templates.py " + " ".join(sys.argv[1:]), "contexts": CONTEXTS}
        lines = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in [head, *stored])
        pathlib.Path(arguments.write).write_bytes(gzip.compress(lines.encode("ascii"), 9, mtime=0))
        print(f"{len(stored)} templates written")
        return 0
    print(f"jinja2 {jinja2.__version__}: {equal} templates equal in {len(CONTEXTS)} contexts ({renderings} renderings, {errors} of them errors), {differing} differ, "
          f"{sum(map(len, unsupported.values()))} with something unsupported, {skipped} skipped (object reprs)")
    for reason, numbers in sorted(unsupported.items(), key=lambda item: -len(item[1])):
        print(f"  unsupported {len(numbers)}x ({numbers[:3]}): {reason}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
