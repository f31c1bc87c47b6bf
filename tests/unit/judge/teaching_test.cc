/// A teacher's completions and a grader that fails: asked once, graded again.
#include "plumbline/judge/teaching.h"

#include <gtest/gtest.h>

#include <atomic>

#include "plumbline/base/file_system.h"
#include "tests/support/fake_provider.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

/// Passes what holds "right"; fails to grade while it is broken.
class FakeVerifier : public Verifier {
 public:
  void submit(GradeRequest request, OnAnswer on_answer) override {
    Verdict verdict;
    verdict.problem_id = request.problem->id;
    const bool right = request.completion.find("right") != std::string::npos;
    verdict.outcome = is_broken ? Outcome::kInfra : right ? Outcome::kPass : Outcome::kWrong;
    verdict.label = right ? Label::kCorrect : Label::kIncorrect;
    on_answer({verdict, nullptr});
  }
  std::atomic<bool> is_broken = false;
};

TEST(Teaching, ACompletionThatCouldNotBeGradedIsGradedAgainAndNotAskedForAgain) {
  const test::TemporaryFolder folder;
  std::vector<Problem> problems(3);
  for (size_t i = 0; i < problems.size(); ++i) {
    problems[i].id = {"p" + std::to_string(i), false};
    problems[i].prompt = {{"user", "Question " + std::to_string(i)}};
  }
  const test::FakeProvider provider([](const test::AskedQuestion& question) -> std::optional<test::ServedAnswer> {
    const bool wrong = question.user == "Question 1";
    return test::FakeProvider::says(question, wrong ? "w" : "right");
  });
  TeachOptions options;
  options.teachers = {provider.spec()};
  FakeVerifier verifier;
  verifier.is_broken = true;
  const TeachRun broken = teach_problems(options, problems, verifier, {}, folder.file("out"));
  EXPECT_EQ(broken.num_infra, 3);
  EXPECT_EQ(broken.teachers[0].calls_ok, 3);
  EXPECT_EQ(broken.teachers[0].graded, 0);
  EXPECT_FALSE(broken.teachers[0].keep_rate());
  EXPECT_EQ(read_file(folder.file("out/pool.jsonl")), "");
  EXPECT_EQ(provider.num_requests(), 4);

  verifier.is_broken = false;
  const TeachRun whole = teach_problems(options, problems, verifier, {}, folder.file("out"));
  EXPECT_EQ(provider.num_requests(), 4);
  EXPECT_EQ(whole.num_infra, 0);
  EXPECT_EQ(whole.num_kept, 2);
  EXPECT_NEAR(whole.teachers[0].keep_rate().value(), 2.0 / 3, 1e-12);
  EXPECT_TRUE(whole.failure.empty());
}

}  // namespace
}  // namespace plumbline
