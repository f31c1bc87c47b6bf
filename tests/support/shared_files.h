/// Golden numbers and cases live outside the repository. Tests that need them skip with a clear line when absent;
/// .ci/run fails if any skipped there.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace plumbline::test {

/// Path below the shared folder ("golden/models/qwen3").
std::string shared_path(const std::string& relative);
bool shared_exists(const std::string& relative);
/// Path below the source tree.
std::string source_path(const std::string& relative);
/// Path below the build tree ("plumbline", "plumbline-engine").
std::string binary_path(const std::string& relative);
/// SmolLM2 in the user's cache folder; empty when `make model` has not run.
std::string smollm2_path();

}  // namespace plumbline::test

/// Skips the running test unless the shared file or folder is there.
#define PL_NEED_SHARED(relative)                 \
  if (!plumbline::test::shared_exists(relative)) \
  GTEST_SKIP() << "needs ../shared/" << (relative) << ", which is not beside this checkout"
/// Skips unless SmolLM2 has been fetched.
#define PL_NEED_SMOLLM2() \
  if (plumbline::test::smollm2_path().empty()) GTEST_SKIP() << "needs SmolLM2; run make model"
