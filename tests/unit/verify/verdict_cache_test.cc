#include "plumbline/verify/verdict_cache.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "plumbline/base/error.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

Verdict passed(int64_t num_tests) {
  Verdict verdict;
  verdict.outcome = Outcome::kPass;
  verdict.tests_passed = verdict.tests_total = num_tests;
  return verdict;
}

TEST(VerdictCache, AnotherReaderOfTheFileSeesWhatIsWrittenAfterItWasOpened) {
  const test::TemporaryFolder folder;
  VerdictCache one(folder.file("c.jsonl")), other(folder.file("c.jsonl"));
  EXPECT_FALSE(other.find("a"));
  one.put("a", passed(3));
  ASSERT_TRUE(other.find("a"));
  EXPECT_EQ(other.find("a")->tests_total, 3);
  other.put("b", passed(4));
  EXPECT_EQ(one.find("b")->tests_total, 4);
}

TEST(VerdictCache, WhatMayComeOutOtherwiseIsNotKept) {
  const test::TemporaryFolder folder;
  VerdictCache cache(folder.file("c.jsonl"));
  Verdict verdict;
  for (const Outcome outcome : {Outcome::kTimeout, Outcome::kMemory, Outcome::kInfra}) {
    verdict.outcome = outcome;
    cache.put("a", verdict);
    EXPECT_FALSE(cache.find("a"));
  }
}

TEST(VerdictCache, ProcessesThatWriteAndOpenAtOnceLoseNothing) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("c.jsonl");
  constexpr int kWriters = 4, kRows = 200;
  for (int writer = 0; writer < kWriters; ++writer) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int row = 0; row < kRows; ++row) {
        // Opened anew each time: repairing the end must never take a row that another process is writing.
        VerdictCache(path).put(std::to_string(writer) + "." + std::to_string(row), passed(row + 1));
      }
      ::_exit(0);
    }
  }
  for (int writer = 0; writer < kWriters; ++writer) {
    int status = -1;
    ASSERT_GT(::wait(&status), 0);
    EXPECT_EQ(status, 0);
  }
  VerdictCache cache(path);
  for (int writer = 0; writer < kWriters; ++writer) {
    for (int row = 0; row < kRows; ++row) {
      const auto found = cache.find(std::to_string(writer) + "." + std::to_string(row));
      ASSERT_TRUE(found) << writer << " " << row;
      EXPECT_EQ(found->tests_total, row + 1);
    }
  }
}

TEST(VerdictCache, LineOfAKilledRunIsRemovedAndADamagedOneIsAnErrorWithItsPlace) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("c.jsonl");
  VerdictCache(path).put("a", passed(1));
  std::ofstream(path, std::ios::app) << "{\"key\":\"b\",\"verd";
  VerdictCache(path).put("c", passed(2));
  EXPECT_TRUE(VerdictCache(path).find("a"));
  EXPECT_TRUE(VerdictCache(path).find("c"));
  std::ofstream(path, std::ios::app) << "{\"key\":\"b\"}\n";
  try {
    VerdictCache cache(path);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_NE(error.line().find("c.jsonl:3"), std::string::npos) << error.line();
  }
}

}  // namespace
}  // namespace plumbline
