/// Whole diagnoses: the project's own cases (tests/golden/doctor), those of ../shared, and that every finding has a
/// page.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "plumbline/base/file_system.h"
#include "plumbline/doctor/diagnosis.h"
#include "plumbline/doctor/diagnosis_output.h"
#include "plumbline/doctor/findings/table.h"
#include "plumbline/record/jsonl.h"
#include "tests/support/process.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline::doctor {
namespace {

using test::TemporaryFolder;

std::vector<Json> own_cases() {
  std::vector<Json> cases;
  JsonlReader reader(test::source_path("tests/golden/doctor/cases.jsonl.gz"));
  while (reader.next()) cases.push_back(reader.parse());
  return cases;
}

std::string bytes_of(const std::string& text) {
  if (!text.starts_with("hex:")) return text;
  std::string bytes;
  for (size_t i = 4; i + 1 < text.size(); i += 2) bytes += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
  return bytes;
}

Diagnosis diagnose_case(const Json& test_case) {
  const TemporaryFolder folder;
  for (const auto& [name, text] : test_case["files"].items()) {
    std::filesystem::create_directories(std::filesystem::path(folder.file(name)).parent_path());
    folder.write(name, bytes_of(text.get<std::string>()));
  }
  std::vector<std::string> paths;
  for (const Json& input : test_case["inputs"]) paths.push_back(folder.file(input.get<std::string>()));
  FieldMap map;
  for (const auto& [field, path] : test_case["map"].items()) map[field] = path.get<std::string>();
  return diagnose_paths(paths, map);
}

std::set<std::string> ids_of(const Diagnosis& diagnosis) {
  std::set<std::string> ids;
  for (const Finding& finding : diagnosis.findings) ids.insert(finding.kind->id);
  return ids;
}

TEST(DoctorCases, EveryOwnCaseIsDiagnosedAsLabelled) {
  const std::vector<Json> cases = own_cases();
  ASSERT_GE(cases.size(), 100u);
  for (const Json& test_case : cases) {
    SCOPED_TRACE(test_case["case"].get<std::string>());
    const Diagnosis diagnosis = diagnose_case(test_case);
    const std::set<std::string> found = ids_of(diagnosis);
    const auto must = test_case["must"].get<std::set<std::string>>();
    for (const std::string& id : must) EXPECT_TRUE(found.count(id)) << id << " is missing";
    const Json& forbidden = test_case["must_not"];
    for (const std::string& id : found) {
      const bool is_false =
          forbidden.is_string() ? !must.count(id) : forbidden.get<std::set<std::string>>().count(id) > 0;
      EXPECT_FALSE(is_false) << id << " is a false alarm: " << diagnosis_text(diagnosis);
    }
    EXPECT_TRUE(test_case["verdict"].get<std::set<std::string>>().count(name_of(diagnosis.health())))
        << diagnosis_text(diagnosis);
  }
}

TEST(DoctorCases, EveryFindingHasAPositiveCaseAndAHealthyNearMiss) {
  std::set<std::string> positive, near;
  for (const Json& test_case : own_cases()) {
    for (const Json& id : test_case["must"]) positive.insert(id.get<std::string>());
    if (test_case["near_miss_of"].is_string()) near.insert(test_case["near_miss_of"].get<std::string>());
  }
  for (const FindingKind* kind : kFindingKinds) {
    EXPECT_TRUE(positive.count(kind->id)) << kind->id;
    EXPECT_TRUE(near.count(kind->id)) << kind->id;
  }
}

TEST(DoctorCases, SharedCasesPassTheirChecker) {
  PL_NEED_SHARED("cases/doctor/check_doctor.py");
  const test::ProcessResult result = test::run_process(
      {"python3", test::shared_path("cases/doctor/check_doctor.py"), "--bin", test::binary_path("plumbline")});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

TEST(DoctorPages, EveryFindingHasItsPageAndEveryPageItsFinding) {
  std::set<std::string> pages, kinds;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_path("docs/doctor"))) {
    pages.insert(entry.path().stem().string());
  }
  for (const FindingKind* kind : kFindingKinds) kinds.insert(kind->id);
  EXPECT_EQ(pages, kinds);
  for (const std::string& page : pages) {
    const std::string text = read_file(test::source_path("docs/doctor/" + page + ".md"));
    for (const char* part : {"## Example", "## Cause", "## Fix", "## How to be sure"}) {
      EXPECT_NE(text.find(part), std::string::npos) << page << " lacks " << part;
    }
  }
}

TEST(DoctorFindings, ExplainOnlyFindingsThatExist) {
  std::set<std::string> kinds;
  for (const FindingKind* kind : kFindingKinds) kinds.insert(kind->id);
  for (const FindingKind* kind : kFindingKinds) {
    for (const char* id : kind->explains) EXPECT_TRUE(kinds.count(id)) << kind->id << " explains " << id;
  }
}

}  // namespace
}  // namespace plumbline::doctor
