/// One name, one type: two types of one name in one namespace are no error of the compiler's, and whichever destructor
/// the linker keeps then serves both.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <sstream>

#include "plumbline/base/file_system.h"
#include "tests/support/shared_files.h"

namespace plumbline {
namespace {

/// Namespace and name of every type that the headers define at their outermost level -> the headers.
std::map<std::string, std::vector<std::string>> types_in_headers() {
  const std::regex space(R"(namespace ([a-z:_0-9]+) \{)"),
      type(R"((?:struct|class|enum class) ([A-Z]\w*)\b(?!::)[^;]*)");
  std::map<std::string, std::vector<std::string>> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::source_path("src/plumbline"))) {
    if (entry.path().extension() != ".h") continue;
    std::istringstream lines(read_file(entry.path().string()));
    std::string current;
    std::smatch match;
    for (std::string line; std::getline(lines, line);) {
      if (std::regex_match(line, match, space)) current = match[1];
      if (line.find('{') != line.npos && std::regex_match(line, match, type)) {
        found[current + "::" + match[1].str()].push_back(entry.path().filename().string());
      }
    }
  }
  return found;
}

TEST(Names, NoTwoHeadersDefineTheSameType) {
  const auto types = types_in_headers();
  EXPECT_GT(types.size(), 300u) << "the scan finds too little to mean anything";
  for (const auto& [name, headers] : types) {
    EXPECT_EQ(headers.size(), 1u) << name << " in " << headers.front() << " and " << headers.back();
  }
}

}  // namespace
}  // namespace plumbline
