/// Templates and messages that want to hang, crash or fill the memory.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <nlohmann/json.hpp>
#include <random>

#include "plumbline/base/clock.h"
#include "plumbline/base/error.h"
#include "plumbline/text/chat_template.h"

namespace plumbline {
namespace {

/// The id of the error, "ok" without one.
std::string outcome(const std::string& source, const Json& variables = Json::object()) {
  try {
    ChatTemplate(source, "hostile").render(variables);
    return "ok";
  } catch (const DataError& error) {
    EXPECT_FALSE(error.where().empty());
    return error.id();
  }
}

std::string repeated(const std::string& text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

TEST(HostileTemplate, LoopsWithoutEndAreStopped) {
  const double start = now_s();
  for (const char* source : {
           "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
           "{% for i in range(100000) %}{% for j in range(100000) %}x{% endfor %}{% endfor %}",
           "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
           "{% macro m(x) %}{{ m([x]) }}{% endmacro %}{{ m(1) }}",
           "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}",
           "{% macro m() %}{% call m() %}{% endcall %}{{ caller() }}{% endmacro %}{% call m() %}{% endcall %}",
       }) {
    EXPECT_EQ(outcome(source), "data.template_limit") << source;
  }
  EXPECT_LT(now_s() - start, 60.0);
}

TEST(HostileTemplate, GrowthIsStopped) {
  for (const char* source : {
           "{% set ns = namespace(x='aaaaaaaa') %}{% for i in range(99) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
           "{% set ns = namespace(x='aaaaaaaa') %}{% for i in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
           "{% set ns = namespace(x=[1]) %}{% for i in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
           "{% set ns = namespace(x=[1]) %}{% for i in range(99) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}",
           "{{ 'a' * 1000000000000 }}",
           "{{ [1] * 1000000000000 }}",
           "{% set a = 'a' * 100000 %}{{ a.replace('', a) }}",
           "{% set a = 'a' * 100000 %}{{ a|replace('a', a) }}",
           "{% set a = 'a\n' * 1000000 %}{{ a|indent(100000) }}",
           "{{ 'x'|indent(1000000000000) }}",
           "{{ [1]|tojson(indent=1000000000000) }}",
           "{% set a = 'a' * 10000 %}{{ range(100000)|join(a) }}",
           "{% set a = 'a' * 10000 %}{% for i in range(100000) %}{{ a }}{% endfor %}",
       }) {
    EXPECT_EQ(outcome(source), "data.template_limit") << source;
  }
}

/// Peak memory of this process in KiB.
long peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(HostileTemplate, GrowthOfManySmallValuesStaysSmall) {
  const double start = now_s();
  for (const char* source : {
           "{% set ns = namespace(x=[]) %}{% for i in range(100000) %}{% set ns.x = ns.x + [i] %}{% endfor %}",
           "{% set ns = namespace(x='') %}{% for i in range(100000) %}{% set ns.x = ns.x ~ i %}{% endfor %}",
           "{% set ns = namespace(x={}) %}{% for i in range(100000) %}{% set ns.x = dict(ns.x, **{i|string: i}) %}"
           "{% endfor %}",
           "{% for i in range(100000) %}{% set x = range(100000)|list %}{% endfor %}",
           "{% for i in range(100000) %}{{ range(100000)|map('string')|join }}{% endfor %}",
           "{% for i in range(100000) %}{% for c in 'abc' * 100000 %}{% endfor %}{% endfor %}",
           "{% set ns = namespace(n=0) %}{% for i in range(100000) if range(1000)|list|length < 0 %}{% endfor %}",
           "{% macro m(n) %}{{ m(n ~ n) }}{% endmacro %}{{ m('abcdefgh') }}",
           "{% for x in ['ab'] recursive %}{{ loop([x ~ x]) }}{% endfor %}",
       }) {
    EXPECT_EQ(outcome(source), "data.template_limit") << source;
  }
  EXPECT_LT(now_s() - start, 60.0);
  EXPECT_LT(peak_kib(), 3L << 20);
}

TEST(HostileTemplate, ManyNamesInOneBlockAreStopped) {
  std::string sets, late = "{% for i in range(1000) %}";
  for (int i = 0; i < 100000; ++i) sets += "{% set a" + std::to_string(i) + " = 1 %}";
  for (int i = 0; i < 100000; ++i) late += "{% set b" + std::to_string(i) + " = 1 %}{% break %}";
  const double start = now_s();
  EXPECT_EQ(outcome(sets), "data.template_limit");
  EXPECT_EQ(outcome(late + "{% endfor %}"), "ok");
  EXPECT_LT(now_s() - start, 30.0);
}

TEST(HostileTemplate, TestOfALoopThatAsksForItsOwnLoop) {
  EXPECT_EQ(outcome("{% set ns = namespace(m=none) %}{% for i in [1, 2, 3] if ns.m is none or ns.m() %}"
                    "{% macro m() %}{{ loop.last }}{% endmacro %}{% set ns.m = m %}{% endfor %}"),
            "data.template_error");
}

TEST(HostileTemplate, DeepValuesNeitherCrashNorLeak) {
  const std::string nest =
      "{% set ns = namespace(x=[]) %}{% for i in range(50000) %}{% set ns.x = [ns.x] %}{% endfor %}";
  EXPECT_EQ(outcome(nest), "ok");
  EXPECT_EQ(outcome(nest + "{{ ns.x }}"), "data.template_limit");
  EXPECT_EQ(outcome(nest + "{{ ns.x|tojson }}"), "data.template_limit");
  EXPECT_EQ(outcome(nest + "{% set a = ns.x %}{% set ns.x = [] %}" + nest + "{{ a == ns.x }}"), "data.template_limit");
  EXPECT_EQ(outcome("{% set ns = namespace() %}{% set ns.self = ns %}{{ ns.self.self is defined }}"), "ok");
}

TEST(HostileTemplate, DeepSourceIsRefused) {
  for (const std::string& source :
       {"{{ " + repeated("(", 100000) + "1" + repeated(")", 100000) + " }}", "{{ " + repeated("[", 100000),
        "{{ " + repeated("not ", 100000) + "1 }}", "{{ " + repeated("- ", 100000) + "1 }}",
        "{{ 1" + repeated(" + 1", 100000) + " }}", "{{ x" + repeated(".a", 100000) + " }}",
        "{{ x" + repeated("|trim", 100000) + " }}", repeated("{% if 1 %}", 100000),
        repeated("{% for x in y %}", 100000), "{{ 1" + repeated(" if 1 else 1", 100000) + " }}",
        "{{ {" + repeated("'a': {", 100000)}) {
    EXPECT_EQ(outcome(source), "data.template_syntax") << source.substr(0, 30);
  }
}

TEST(HostileTemplate, BigNumbersAreRefusedNotWrapped) {
  for (const char* source :
       {"{{ 9223372036854775807 + 1 }}", "{{ 2 ** 64 }}", "{{ 9223372036854775807 * 2 }}",
        "{{ -9223372036854775807 - 2 }}", "{{ 1e300|int }}", "{{ '99999999999999999999'|int }}",
        "{{ range(1000000000) }}",
        "{{ range(-9223372036854775807, 9223372036854775807, 9223372036854775807)|list|length }}{{ 1 + 'a' }}"}) {
    EXPECT_EQ(outcome(source), "data.template_error") << source;
  }
  EXPECT_EQ(outcome("{{ 99999999999999999999 }}"), "data.template_syntax");
  EXPECT_EQ(outcome("{{ 'abc'[-9223372036854775807:9223372036854775807:9223372036854775807] }}"), "ok");
  EXPECT_EQ(outcome("{{ 'abc'[::-9223372036854775807] }}"), "ok");
}

TEST(HostileTemplate, MalformedSourceNamesLineAndColumn) {
  try {
    ChatTemplate("a\n  {% if x %}\n {{ 1 + }}{% endif %}", "t.jinja");
    FAIL() << "parsed";
  } catch (const DataError& error) {
    EXPECT_EQ(error.id(), "data.template_syntax");
    EXPECT_EQ(error.where(), "t.jinja, line 3, column 9");
  }
  for (const char* source : {"{{",
                             "{%",
                             "{#",
                             "{{ 'a",
                             "{{ 1 ]",
                             "{% if %}",
                             "{% if 1 %}",
                             "{% endif %}",
                             "{% for %}",
                             "{% set = 1 %}",
                             "{% do x %}",
                             "{% include 'x' %}",
                             "{% extends 'x' %}",
                             "{% import 'x' as y %}",
                             "{{ x|nofilter }}",
                             "{{ x is notest }}",
                             "{{ '\\ud800' }}",
                             "{{ '\\x1' }}",
                             "{% break %}",
                             "{% macro m(a=1, b) %}{% endmacro %}",
                             "{{ a b }}",
                             "{% raw %}",
                             "\xff\xfe",
                             "{{ \x01 }}",
                             "{{ f(a=1, 2) }}",
                             "{% set true = 1 %}"}) {
    EXPECT_EQ(outcome(source), "data.template_syntax") << source;
  }
}

/// Random edits of a template that uses most of the language: any outcome is fine but a crash or a foreign exception.
TEST(HostileTemplate, MutatedSourcesNeverCrash) {
  const std::string seed =
      "{%- set ns = namespace(found=false) -%}{% macro m(a, b=2) %}{{ a|tojson }}{{ caller() if caller }}{% endmacro %}"
      "{% for m1 in messages if m1.role != 'x' %}{% if loop.first and m1['content'] is string %}{{ "
      "m1.content[1:-1].split('a')|join(', ') }}"
      "{% elif m1.tool_calls %}{{- raise_exception('no') -}}{% else %}{% set ns.found = true %}{% endif %}{% "
      "endfor %}"
      "{# note #}{{ messages|map(attribute='role')|list }}{% call m({'k': [1, 2.5]}) %}x{% endcall %}{{ 7 // 2 ** 3 ~ "
      "'z' }}";
  const Json variables = {
      {"messages", {{{"role", "user"}, {"content", "banana"}}, {{"role", "tool"}, {"content", nullptr}}}}};
  std::mt19937 random(20261);
  const std::string alphabet = "{}%#-+|.()[]'\"\\ \nabx019=,:~*/<>!\xC3\xA9_";
  int num_rendered = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string source = seed;
    const int num_edits = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < num_edits; ++i) {
      const size_t at = random() % source.size();
      if (random() % 3 == 0) {
        source.erase(at, 1 + random() % 8);
      } else if (random() % 2) {
        source.insert(at, 1, alphabet[random() % alphabet.size()]);
      } else {
        source.insert(at, source.substr(random() % source.size(), random() % 30));
      }
      if (source.empty()) source = "x";
    }
    num_rendered += outcome(source, variables) == "ok";
  }
  EXPECT_GT(num_rendered, 100);
}

}  // namespace
}  // namespace plumbline
