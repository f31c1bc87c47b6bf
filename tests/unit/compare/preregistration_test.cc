/// The plan's commit must come before the results', in a real repository.
#include "plumbline/compare/preregistration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "plumbline/compare/git_history.h"
#include "tests/support/made_reports.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

using testing::HasSubstr;

class PreregistrationTest : public testing::Test {
 protected:
  void SetUp() override {
    if (git({"init", "-q"}).exit_code != 0) GTEST_SKIP() << "needs git";
    before_ = commit("code.txt", "first\n");
    folder_.write("plan.toml", "[tasks]\nheadline = ['code']\nseeds = [0]\n");
    plan_commit_ = commit("plan.toml", "[tasks]\nheadline = ['code']\nseeds = [0]\n");
    after_ = commit("code.txt", "second\n");
  }

  test::ProcessResult git(std::vector<std::string> words) {
    words.insert(words.begin(), {"/usr/bin/env", "git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c",
                                 "commit.gpgsign=false"});
    return test::run_process(words, "", {}, folder_.path());
  }
  std::string commit(const std::string& name, const std::string& content) {
    folder_.write(name, content);
    git({"add", name});
    git({"commit", "-q", "-m", "a change"});
    std::string hash = git({"rev-parse", "HEAD"}).out;
    hash.pop_back();
    return hash;
  }
  Gate gate_for(
      const std::string& result_commit, const std::function<void(Json&)>& change = [](Json&) {}) {
    Json report = test::made_report({});
    report["pin"]["commit"] = result_commit;
    change(report);
    const std::vector<EvalReport> reports = {read_eval_report(folder_.write("r.json", report.dump()))};
    return preregistered_gate(read_plan(folder_.file("plan.toml")), reports);
  }

  test::TemporaryFolder folder_;
  std::string before_, plan_commit_, after_;
};

TEST_F(PreregistrationTest, HoldsForResultsFromThePlanOn) {
  EXPECT_EQ(gate_for(after_).state, GateState::kPass) << gate_for(after_).words;
  EXPECT_EQ(gate_for(plan_commit_).state, GateState::kPass);
}

TEST_F(PreregistrationTest, FailsForResultsFromBefore) {
  EXPECT_EQ(gate_for(before_).state, GateState::kFail);
  EXPECT_THAT(gate_for(before_).words, HasSubstr("does not descend"));
}

TEST_F(PreregistrationTest, FailsForAChangedPlan) {
  folder_.write("plan.toml", "[tasks]\nheadline = ['code']\nseeds = [0]\n[gates]\nmin_effect = 0.01\n");
  EXPECT_THAT(gate_for(after_).words, HasSubstr("was changed since"));
  commit("plan.toml", "[tasks]\nheadline = ['code']\nseeds = [0]\n[gates]\nmin_effect = 0.01\n");
  EXPECT_THAT(gate_for(after_).words, HasSubstr("does not descend"));
}

TEST_F(PreregistrationTest, FailsForAChangedPlanThatGitWasToldToOverlook) {
  for (const char* mark : {"--assume-unchanged", "--skip-worktree"}) {
    git({"update-index", mark, "plan.toml"});
    folder_.write("plan.toml", "[tasks]\nheadline = ['code']\nseeds = [0]\n[gates]\nmin_effect = 0.0\n");
    EXPECT_THAT(gate_for(after_).words, HasSubstr("was changed since")) << mark;
    git({"update-index", "--no-assume-unchanged", "plan.toml"});
    git({"update-index", "--no-skip-worktree", "plan.toml"});
    git({"checkout", "-q", "--", "plan.toml"});
  }
  EXPECT_EQ(gate_for(after_).state, GateState::kPass);
}

TEST_F(PreregistrationTest, FailsForALinkToAPlanElsewhere) {
  const test::TemporaryFolder elsewhere;
  elsewhere.write("late.toml", "[tasks]\nheadline = ['code']\nseeds = [0]\n[gates]\nmin_effect = 0.0\n");
  std::filesystem::remove(folder_.file("plan.toml"));
  std::filesystem::create_symlink(elsewhere.file("late.toml"), folder_.file("plan.toml"));
  git({"add", "plan.toml"});
  git({"commit", "-q", "-m", "a link"});
  std::string head = git({"rev-parse", "HEAD"}).out;
  head.pop_back();
  EXPECT_EQ(gate_for(head).state, GateState::kFail);
}

/// A run that was begun under the plan: what counts is the commit of the plan's repository then.
TEST_F(PreregistrationTest, RunBegunUnderThePlanRecordsItsRepository) {
  const Preregistration record = record_plan(read_plan(folder_.file("plan.toml")));
  EXPECT_EQ(record.commit, after_);
  const auto begun = [&](const Json& commit) {
    return gate_for("0123456789abcdef", [&](Json& report) {
      report["preregistration"] = {{"sha256", record.sha256}, {"commit", commit}};
    });
  };
  EXPECT_EQ(begun(*record.commit).state, GateState::kPass) << begun(*record.commit).words;
  EXPECT_THAT(begun(before_).words, HasSubstr("does not descend"));
  EXPECT_THAT(begun(nullptr).words, HasSubstr("not committed then"));
  folder_.write("plan.toml", "[tasks]\nheadline = ['code']\n");
  EXPECT_EQ(record_plan(read_plan(folder_.file("plan.toml"))).commit, std::nullopt);
}

TEST_F(PreregistrationTest, ProgramWithUncommittedChangesProvesNoCommit) {
  EXPECT_THAT(gate_for(after_, [](Json& report) { report["pin"]["dirty"] = true; }).words,
              HasSubstr("uncommitted changes"));
}

TEST_F(PreregistrationTest, FailsWithoutAPlanOrACommit) {
  EXPECT_EQ(preregistered_gate(Plan(), {}).state, GateState::kFail);
  folder_.write("other.toml", "");
  const std::vector<EvalReport> reports;
  EXPECT_THAT(preregistered_gate(read_plan(folder_.file("other.toml")), reports).words, HasSubstr("not committed"));
  EXPECT_THAT(gate_for(after_, [](Json& report) { report["pin"].erase("commit"); }).words,
              HasSubstr("records no commit"));
  EXPECT_EQ(gate_for("--upload-pack=touch").state, GateState::kFail);
}

TEST_F(PreregistrationTest, FailsForAnotherPlansHashAndOtherSeeds) {
  EXPECT_THAT(gate_for(after_,
                       [](Json& report) {
                         report["preregistration"] = {{"sha256", "aa"}};
                       })
                  .words,
              HasSubstr("another plan"));
  const Gate other = gate_for(after_, [](Json& report) { report["split"]["seed"] = 7; });
  EXPECT_THAT(other.words, HasSubstr("planned 0; reported 7"));
  EXPECT_THAT(other.to_pass, HasSubstr("all planned seeds"));
}

TEST_F(PreregistrationTest, SaysWhoseCommitAndWhatToDo) {
  const Gate before = gate_for(before_);
  EXPECT_THAT(before.words,
              HasSubstr("records no plan, and the commit of plumbline itself that made it, \"" + before_));
  EXPECT_THAT(before.to_pass, HasSubstr("plumbline eval --plan " + folder_.file("plan.toml")));
  folder_.write("other.toml", "");
  const Gate uncommitted = preregistered_gate(read_plan(folder_.file("other.toml")), {});
  EXPECT_THAT(uncommitted.to_pass, HasSubstr("git commit, before the evaluation"));
  EXPECT_EQ(gate_for(after_).to_pass, "");
}

TEST(GitHistoryTest, TakesHashesOnly) {
  EXPECT_TRUE(is_commit_hash("0285285240b5"));
  EXPECT_FALSE(is_commit_hash("HEAD~1x"));
  EXPECT_FALSE(is_commit_hash("abc"));
  EXPECT_FALSE(GitHistory("/").is_ancestor("--version", "0285285240b5"));
}

}  // namespace
}  // namespace plumbline
