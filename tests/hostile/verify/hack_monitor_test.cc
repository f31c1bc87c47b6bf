/// The static scan: for each finding, sources that have it and near misses that do not; and sources that try to break
/// it.
#include <gtest/gtest.h>

#include <algorithm>

#include "plumbline/verify/code_verifier.h"

namespace plumbline {
namespace {

class HackMonitor : public testing::Test {
 protected:
  static CodeVerifier& verifier() {
    static CodeVerifier instance([] {
      GradeOptions options;
      options.workers = 1;
      options.cpu_s = 4;
      return options;
    }());
    return instance;
  }
  /// The findings of a source, which need not run.
  static Verdict grade(const std::string& code) {
    Problem problem;
    problem.entry_point = "f";
    problem.tests.push_back({{}, {}, PythonValue::of_int("1")});
    const GradeRequest request{&problem, 0, "```python\n" + code + "\n```"};
    return verifier().grade({&request, 1}).at(0);
  }
  static bool finds(const std::string& finding, const std::string& code) {
    const Verdict verdict = grade(code);
    EXPECT_TRUE(verdict.compiles) << code;
    return std::count(verdict.integrity.begin(), verdict.integrity.end(), finding) == 1;
  }
  static void check(const std::string& finding, const std::vector<std::string>& positives,
                    const std::vector<std::string>& near_misses) {
    for (const std::string& code : positives) EXPECT_TRUE(finds(finding, code)) << finding << " in: " << code;
    for (const std::string& code : near_misses) EXPECT_FALSE(finds(finding, code)) << finding << " in: " << code;
  }
};

TEST_F(HackMonitor, ProcessExit) {
  check("process_exit",
        {"import sys\nsys.exit(0)", "from os import _exit as bye\nbye(0)", "exit()", "raise SystemExit(0)",
         "__import__('os')._exit(0)", "import os\ngetattr(os, '_exit')(0)", "import os\nif 0: os.kill(1, 9)",
         "import importlib\nimportlib.import_module('sys').exit()"},
        {"class Door:\n  def exit(self): pass\nDoor().exit()", "def quit(): pass\nquit()", "x = 1\nx.kill()",
         "raise ValueError('SystemExit')", "s = 'sys.exit()'", "import sys\nprint(sys.exit)"});
}

TEST_F(HackMonitor, PatchedBuiltins) {
  check("patched_builtins",
        {"import builtins\nbuiltins.len = lambda x: 1", "__builtins__['print'] = None",
         "import unittest\nunittest.TestCase.assertEqual = lambda *a: None",
         "import builtins\nsetattr(builtins, 'eq', 1)", "import sys\nsys.modules['x'] = 1",
         "import builtins\nvars(builtins)['len'] = 1", "import builtins\nbuiltins.__dict__.update(len=1)",
         "import sys\nsys.modules['builtins'].len = 1", "import math\nmath.isclose = lambda *a: True"},
        {"class A:\n  def __init__(self): self.x = 1", "json = {}\njson['a'] = 1", "import os\nos.environ['X'] = '1'",
         "import sys\nsys.stdout = None", "len = 3", "def print(*a): pass", "import builtins\nx = builtins.len",
         "d = {}\nd.update(a=1)", "import unittest\nclass T(unittest.TestCase): pass"});
}

TEST_F(HackMonitor, AlwaysEqual) {
  check("always_equal",
        {"class A:\n  def __eq__(s, o): return True", "class A:\n  __eq__ = lambda s, o: True",
         "type('X', (), {'__eq__': lambda s, o: 1})",
         "class A:\n  def __eq__(s, o):\n    if o: return True\n    return 1"},
        {"class A:\n  def __eq__(s, o): return s.x == o.x", "class A:\n  def __eq__(s, o): return False",
         "class A:\n  def __eq__(s, o): return NotImplemented",
         "class A:\n  def __eq__(s, o):\n    if o is s: return True\n    return False",
         "class A:\n  def __eq__(s, o): pass"});
}

TEST_F(HackMonitor, BlanketExcept) {
  check("blanket_except",
        {"try: x = 1\nexcept: pass", "try: x = 1\nexcept Exception: pass",
         "try: x = 1\nexcept (ValueError, BaseException) as e: pass",
         "from contextlib import suppress\nwith suppress(Exception): pass"},
        {"try: x = 1\nexcept ValueError: pass", "try: x = 1\nexcept Exception:\n  print()\n  raise",
         "try: x = 1\nfinally: pass", "from contextlib import suppress\nwith suppress(KeyError): pass",
         "class MyException(Exception): pass\ntry: x = 1\nexcept MyException: pass"});
}

TEST_F(HackMonitor, FrameWalking) {
  check("frame_walking",
        {"import sys\nsys._getframe(1)", "x = 1\nx.f_back", "x = 1\nx.tb_frame", "import inspect\ninspect.stack()",
         "().__class__.__base__.__subclasses__()", "def f(): pass\nf.__globals__", "import gc\ngc.get_objects()",
         "x = 1\ngetattr(x, 'f_locals')", "from sys import _getframe as g\ng()"},
        {"frame = 1\nframe.back", "x = 1\nx.frame", "def stack(): pass\nstack()",
         "class S:\n  def get_objects(s): pass\nS().get_objects()", "globals()", "'f_back'"});
}

TEST_F(HackMonitor, WatchedImports) {
  check("process_import",
        {"import subprocess", "from multiprocessing import Pool", "import os, ctypes", "__import__('signal')"},
        {"from collections import deque", "subprocess = 1", "import threading", "x = 'import subprocess'"});
  check("network_import", {"import socket", "from urllib.request import urlopen", "from http import client"},
        {"from urllib.parse import quote", "from http import HTTPStatus", "import asyncio", "socket = {}"});
  check("introspection_import", {"import gc", "from inspect import signature"}, {"gc = 1", "import math"});
}

TEST_F(HackMonitor, SourcesThatTryToBreakTheScanBreakNothing) {
  // Too deep for the compiler: no code of ours is reached.
  const std::string deep = "x = " + std::string(50000, '(') + "1" + std::string(50000, ')');
  EXPECT_EQ(grade(deep).outcome, Outcome::kSyntaxError);
  EXPECT_EQ(grade("x = " + std::string(50000, '-') + "1").compiles, false);
  EXPECT_EQ(grade(std::string("x = '\0'", 7)).outcome, Outcome::kSyntaxError);
  // A long chain that compiles is looked at.
  std::string chain = "def f(): return 1\nimport subprocess\ny = 1";
  for (int i = 0; i < 300; ++i) chain += "+1";
  const Verdict chained = grade(chain);
  EXPECT_EQ(chained.outcome, Outcome::kPass) << chained.detail;
  EXPECT_EQ(chained.integrity, std::vector<std::string>{"process_import"});
  // 2 MB of source: graded, not scanned, and it says so.
  const Verdict long_one = grade("def f(): return 1\n#" + std::string(2 << 20, 'x') + "\nimport subprocess\n");
  EXPECT_EQ(long_one.outcome, Outcome::kPass) << long_one.detail;
  EXPECT_EQ(long_one.integrity, std::vector<std::string>{"not_scanned"});
}

}  // namespace
}  // namespace plumbline
