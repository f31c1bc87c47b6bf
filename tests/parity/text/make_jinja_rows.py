"""Writes jinja_rows.json: what jinja2 itself renders, with the environment that transformers sets up."""
import json, jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.ext import loopcontrols
def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
def raise_exception(m): raise jinja2.exceptions.TemplateError(m)
env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
env.filters["tojson"]=tojson; env.globals["raise_exception"]=raise_exception
V={"d":{"a":1,"b":[1,2.5,None,True],"c":{"x":"é\n\"q\""}},"l":[3,1,2],"s":"Hello, Wörld","n":None,"t":True,"f":0.1,"big":1e22,"msgs":[{"role":"user","content":"hi"},{"role":"assistant","content":"yo","tool":1},{"role":"user","content":"bye"}]}
T=r'''
{{ 1 + 2 * 3 - 4 / 2 }} {{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 2 ** 10 }} {{ 2 ** -1 }} {{ 7.5 // 2 }} {{ -7.5 % 2 }}
{{ 'a' ~ 1 ~ none ~ true ~ 1.0 ~ [1,'x',none] ~ {'k': 'v', 2: (1,)} }}
{{ 'ab' * 3 }} {{ [1] * 2 + [3] }} {{ (1, 2) + (3,) }}
{{ 1 == 1.0 }} {{ true == 1 }} {{ '1' == 1 }} {{ [1, 2] == [1.0, 2] }} {{ {'a': 1} == {'a': 1} }} {{ 1 < 2 < 3 }} {{ 3 > 2 > 2 }} {{ 'a' < 'b' }} {{ [1,2] < [1,3] }}
{{ 'ell' in s }} {{ 'a' in d }} {{ 3 in l }} {{ 9 not in l }} {{ not 'x' in d }}
{{ n is none }} {{ t is true }} {{ 1 is true }} {{ missing is defined }} {{ missing is undefined }} {{ s is string }} {{ d is mapping }} {{ l is sequence }} {{ s is sequence }} {{ d is iterable }} {{ 1 is number }} {{ true is number }} {{ true is integer }} {{ 1.5 is float }} {{ 4 is even }} {{ 3 is odd }} {{ 9 is divisibleby 3 }} {{ 2 is sameas 2 }} {{ 2 is eq 2 }} {{ 'a' is in ['a'] }} {{ true is boolean }}
{{ l[0] }} {{ l[-1] }} {{ l[5] is defined }} {{ s[1] }} {{ s[-4] }} {{ s[1:4] }} {{ s[::-1] }} {{ l[1:] }} {{ l[:-1] }} {{ l[::2] }} {{ s[100:] }}| {{ s[-100:3] }}
{{ d.a }} {{ d['a'] }} {{ d.c.x }} {{ d.missing }}| {{ d.b }} {{ d }}
{{ d.items is defined }} {{ d['items'] is defined }} {{ d.get('zz') }} {{ d.get('zz', 3) }} {{ d.keys()|list }} {{ d.values()|list }}
{{ l|sort }} {{ l|sort(reverse=true) }} {{ ['b','A','c']|sort }} {{ ['b','A','c']|sort(case_sensitive=true) }} {{ l|sum }} {{ l|max }} {{ l|min }} {{ l|first }} {{ l|last }} {{ l|length }} {{ s|length }} {{ d|length }}
{{ msgs|map(attribute='role')|join(', ') }} {{ msgs|selectattr('role', 'equalto', 'user')|map(attribute='content')|list }} {{ msgs|rejectattr('role', 'eq', 'user')|list|length }} {{ msgs|selectattr('tool')|list }} {{ l|select('odd')|list }} {{ l|reject('>', 1)|list }} {{ ['a','b']|map('upper')|list }} {{ msgs|sort(attribute='content')|map(attribute='content')|list }}
{{ d|tojson }} {{ d|tojson(indent=2) }} {{ [1, 'é', '<&>']|tojson }} {{ 'é😀'|tojson(ensure_ascii=true) }} {{ {'b':1,'a':2}|tojson(sort_keys=true, separators=(',', ':')) }} {{ []|tojson(indent=2) }} {{ f|tojson }} {{ big|tojson }}
{{ '  x y  '|trim }}| {{ 'xxyxx'|trim('x') }} {{ s|upper }} {{ s|lower }} {{ 'hello wORLD foo-bar'|title }} {{ 'hELLO'|capitalize }} {{ 'a-b-a'|replace('a', 'z') }} {{ 'a-b-a'|replace('a', 'z', 1) }} {{ 'a\nb\n\nc'|indent }} {{ 'a\nb'|indent(2, true) }} {{ 'abc'|reverse }} {{ 'abc'|list }}
{{ missing|default('q') }} {{ ''|default('q') }}| {{ ''|default('q', true) }} {{ n|default('q') }} {{ '12'|int }} {{ 'x'|int(5) }} {{ ' 3.7 '|int }} {{ 3.9|int }} {{ '2.5'|float }} {{ 2.567|round(2) }} {{ 2.5|round }} {{ 7|round }} {{ 2.1|round(0, 'ceil') }} {{ -3|abs }}
{{ s.upper() }} {{ s.split(', ') }} {{ ' a  b '.split() }} {{ 'a,b,c'.split(',', 1) }} {{ 'a,b,c'.rsplit(',', 1) }} {{ 'xax'.strip('x') }} {{ 'xax'.lstrip('x') }} {{ s.startswith('He') }} {{ s.endswith(('x', 'ld')) }} {{ s.find('l') }} {{ s.replace('l', 'L') }} {{ '-'.join(['a', 'b']) }} {{ 'a\nb\r\nc'.splitlines() }} {{ 'ab'.title() }} {{ 'prefix-x'.removeprefix('prefix-') }} {{ s.count('l') }}
{{ 'yes' if t else 'no' }} {{ 'yes' if n }}| {{ 1 if n else 2 if n else 3 }} {{ n or 'x' }} {{ t and 'y' }} {{ not n }}
{{ 1.0 }} {{ 0.1 + 0.2 }} {{ 1e16 }} {{ 1e15 }} {{ 1e-5 }} {{ 0.0001 }} {{ 100 / 3 }} {{ -0.0 }} {{ 1_000 }}
{{ "it's" }} {{ ["it's", 'q"q', 'b\\s', 'tab\t', '\x00', 'é', '\u200b'] }} {{ 'a' 'b' }}
{% for x in l %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.previtem }}{{ loop.nextitem }}{{ loop.cycle('a', 'b') }}{{ loop.changed(x) }};{% endfor %}
{% for x in [] %}a{% else %}empty{% endfor %} {% for k, v in d.items() if k != 'b' %}{{ k }}={{ v }},{% endfor %} {% for x in range(10) %}{% if x == 3 %}{% continue %}{% endif %}{% if x == 6 %}{% break %}{% endif %}{{ x }}{% endfor %}
{% set x = 1 %}{% for i in l %}{% set x = x + i %}{{ x }},{% endfor %}{{ x }} {% set ns = namespace(x=1) %}{% for i in l %}{% set ns.x = ns.x + i %}{% endfor %}{{ ns.x }}
{% macro m(a, b=2) %}[{{ a }}|{{ b }}|{{ varargs }}|{{ kwargs }}]{% endmacro %}{{ m(1) }}{{ m(1, 3, 4, z=5) }}{{ m(b=1, a=0) }}
{% macro fact(k) %}{{ 1 if k < 2 else k * fact(k - 1)|int }}{% endmacro %}{{ fact(6) }} {% macro w() %}<{{ caller() }}>{% endmacro %}{% call w() %}in{% endcall %} {% macro w2() %}{{ caller(7) }}{% endmacro %}{% call(q) w2() %}q={{ q }}{% endcall %}
{% set z %}  blk {{ 1 }} {% endset %}[{{ z }}] {% filter upper %}abc{{ s }}{% endfilter %} {% with a = 1, b = 2 %}{{ a + b }}{% endwith %} {% set a, b = (1, 2) %}{{ a }}{{ b }} {% set p | upper %}pq{% endset %}{{ p }}
{% for a in [[1, [2]], [3]] recursive %}{% if a is number %}{{ a }}{% else %}({{ loop(a) }}){% endif %}{% endfor %}
{% raw %}{{ not }} {% this %}{% endraw %} {# gone #}x{#- y -#} z
{{ [1,2,3]|join }} {{ [1,none,missing,'x']|join('-') }} {{ {'a':1}|items|list }} {{ {'b':2,'a':1}|dictsort }} {{ [1,1,2,'a','A']|unique|list }} {{ '<a href="x">\'&'|e }} {{ 'x'|safe ~ '<' }} {{ ('<'|safe) + '<' }}
{{ dict(a=1, **{'b': 2}) }} {{ range(3)|list }} {{ range(5, 0, -2)|list }} {{ namespace(a=1).a }} {{ (1, 2)[1] }} {{ {'a': {'b': [0, {'c': 5}]}}.a.b[1].c }} {{ l.0 }}
'''.strip('\n').split('\n')
EXTRA=["  {% if true %}\n  a\n  {%- endif %}\n b","{{ 1 }}\n\n","a\n  {# c #}\n b","a\n  {%+ if true %}x{% endif %}","a {%- if true -%} x {%- endif -%} b","{% if true +%}\nx{% endif %}","\n  {{- 1 -}}  \n x","{% raw -%}  a  {%- endraw %}\nb","a\r\nb\rc\r\n","{{ '}}' }}{{ {'a': {'b': 1}} }}","{%- set x = 3 -%}\n\n{{ x }}","x{% if 1 %}  \n  {% endif %}\n  {% if 1 %}y{% endif %}\n"]
E_=["{{ 'a' + 1 }}","{{ 1 + 'a' }}","{{ [1] + 'a' }}","{{ missing + 1 }}","{{ missing.x }}","{{ d.zz.y }}","{{ n.x.y }}","{{ l.append(4) }}","{{ l.x.y }}","{{ l[9].x }}","{{ 1 < 'a' }}","{{ n|length }}","{{ 5|list }}","{{ range(10**9) }}","{{ 1 // 0 }}","{{ raise_exception('boom ' ~ 1) }}","{{ s() }}","{{ missing() }}","{{ s.__class__.x }}","{% set s.x = 1 %}","{% macro q(a) %}{% endmacro %}{{ q(1, 2) }}","{% macro q(a) %}{{ a.b }}{% endmacro %}{{ q() }}","{% for a, b in [[1]] %}{% endfor %}","{{ missing|tojson }}","{{ 1 in 'a' }}","{{ {[1]: 2} }}","{% if t %}{{ 1|nofilter }}{% endif %}","{{ (1 if n).x }}","{{ -s }}", "{{ [1,'a']|sort }}","{{ ''.join([1]) }}"]
rows=[]
for t in T+EXTRA: rows.append((t, env.from_string(t).render(**V)))
errs=[]
for t in E_:
    try: errs.append((t,'NO ERROR '+env.from_string(t).render(**V)))
    except Exception as e: errs.append((t,f"{type(e).__name__}: {e}"))
json.dump({"variables":V,"rows":rows,"errors":errs},open('rows.json','w'),ensure_ascii=False,indent=0)


