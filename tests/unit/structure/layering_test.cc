/// Scans every include of src/ and fails on an arrow that src/plumbline/CMakeLists.txt does not declare.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "plumbline/base/file_system.h"
#include "tests/support/shared_files.h"

namespace plumbline {
namespace {

using Arrows = std::map<std::string, std::set<std::string>>;

/// plumbline_library(folder ... DEPENDS a b c [LINK ...]) lines of the CMake file.
Arrows declared_arrows() {
  const std::string cmake = read_file(test::source_path("src/plumbline/CMakeLists.txt"));
  const std::regex call(R"(plumbline_library\(([^)]*)\))");
  Arrows arrows;
  for (std::sregex_iterator it(cmake.begin(), cmake.end(), call), end; it != end; ++it) {
    std::istringstream words((*it)[1].str());
    std::string folder, word;
    words >> folder;
    bool in_depends = false;
    arrows[folder];
    while (words >> word) {
      if (word == "DEPENDS" || word == "LINK" || word == "TORCH") {
        in_depends = word == "DEPENDS";
      } else if (in_depends) {
        arrows[folder].insert(word);
      }
    }
  }
  return arrows;
}

struct Include {
  std::string file, target;
};

std::vector<Include> includes_of(const std::string& folder) {
  const std::regex include(R"re(#include "plumbline/([a-z_]+)/)re");
  std::vector<Include> found;
  if (!std::filesystem::exists(test::source_path("src/plumbline/" + folder))) return found;  // declared, still empty
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(test::source_path("src/plumbline/" + folder))) {
    if (!entry.is_regular_file()) continue;
    const std::string text = read_file(entry.path().string());
    for (std::sregex_iterator it(text.begin(), text.end(), include), end; it != end; ++it) {
      found.push_back({entry.path().string(), (*it)[1].str()});
    }
  }
  return found;
}

TEST(Layering, EveryIncludeFollowsADeclaredArrow) {
  const Arrows arrows = declared_arrows();
  ASSERT_GT(arrows.size(), 10u);
  int num_includes = 0;
  for (const auto& [folder, allowed] : arrows) {
    for (const Include& include : includes_of(folder)) {
      ++num_includes;
      EXPECT_TRUE(include.target == folder || allowed.count(include.target))
          << include.file << " includes " << include.target << "/, which " << folder << "/ may not";
    }
  }
  EXPECT_GT(num_includes, 20);
}

TEST(Layering, TrainAndSteerNeverIncludeEachOther) {
  const Arrows arrows = declared_arrows();
  EXPECT_FALSE(arrows.at("train").count("steer"));
  EXPECT_FALSE(arrows.at("steer").count("train"));
}

TEST(Layering, TorchFreeFoldersNeverIncludeTorch) {
  for (const char* folder : {"base", "record", "stats", "files", "text", "sandbox", "preset", "verify", "report"}) {
    if (!std::filesystem::exists(test::source_path(std::string("src/plumbline/") + folder))) continue;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(test::source_path(std::string("src/plumbline/") + folder))) {
      if (!entry.is_regular_file()) continue;
      EXPECT_EQ(read_file(entry.path().string()).find("#include <torch/"), std::string::npos) << entry.path();
    }
  }
}

}  // namespace
}  // namespace plumbline
