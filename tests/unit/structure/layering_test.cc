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

/// plumbline_library(folder [NESTED x] DEPENDS a b c [LINK ...]) lines of the CMake file. A folder may be nested
/// ("files/http"): what lies in it belongs to it and not to the one around it.
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
      if (word == "DEPENDS" || word == "LINK" || word == "TORCH" || word == "NESTED") {
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

/// The declared folder that a path below src/plumbline ("files/http/client.h") belongs to: the deepest there is.
std::string owner_of(std::string path, const Arrows& arrows) {
  do {
    path.erase(path.rfind('/'));
  } while (!arrows.count(path) && path.find('/') != std::string::npos);
  return path;
}

std::vector<Include> includes_of(const std::string& folder, const Arrows& arrows) {
  const std::regex include(R"re(#include "plumbline/([a-z_0-9/]+)\.h")re");
  const std::string root = test::source_path("src/plumbline/");
  std::vector<Include> found;
  if (!std::filesystem::exists(root + folder)) return found;  // declared, still empty
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root + folder)) {
    const std::string path = entry.path().string();
    if (!entry.is_regular_file() || owner_of(path.substr(root.size()), arrows) != folder) continue;
    const std::string text = read_file(path);
    for (std::sregex_iterator it(text.begin(), text.end(), include), end; it != end; ++it) {
      found.push_back({path, owner_of((*it)[1].str(), arrows)});
    }
  }
  return found;
}

TEST(Layering, EveryIncludeFollowsADeclaredArrow) {
  const Arrows arrows = declared_arrows();
  ASSERT_GT(arrows.size(), 10u);
  int num_includes = 0;
  for (const auto& [folder, allowed] : arrows) {
    for (const Include& include : includes_of(folder, arrows)) {
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

TEST(Layering, OnlyPlumblineItselfReachesHttp) {
  const Arrows arrows = declared_arrows();
  ASSERT_TRUE(arrows.count("files/http"));
  for (const char* folder : {"files", "tensor", "model", "train", "eval", "run"}) {
    EXPECT_FALSE(arrows.at(folder).count("files/http")) << folder;
    EXPECT_FALSE(arrows.at(folder).count("files/hub")) << folder;
  }
}

TEST(Layering, TorchFreeFoldersNeverIncludeTorch) {
  for (const char* folder :
       {"base", "record", "stats", "files", "text", "sandbox", "preset", "verify", "report", "doctor"}) {
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
