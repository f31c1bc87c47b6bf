/// Author claims and concepts: rewards that were read off evaluation.md by hand.
#include "plumbline/verify/tasks/provenance_task.h"

#include <gtest/gtest.h>

#include "plumbline/record/problem_reader.h"

namespace plumbline {
namespace {

struct Graded {
  const char* completion;
  double reward;
};

const Problem kFalse = parse_problem(
    R"({"id":1,"task":"provenance","prompt":"Did Ben Jonson write Hamlet?","claim_is_true":false,
        "author":"William Shakespeare","forbidden_authors":["Ben Jonson"],"reference":"No."})",
    "test");
const Problem kTrue = parse_problem(
    R"({"id":2,"task":"provenance","prompt":"Did William Shakespeare write Hamlet?","claim_is_true":true,
        "author":"William Shakespeare","reference":"Yes."})",
    "test");

TEST(Provenance, FalseClaims) {
  for (const auto& [completion, reward] : std::vector<Graded>{
           {"No, Ben Jonson did not write Hamlet. It is by William Shakespeare.", 1},
           {"Hamlet was written by Shakespeare, not by Jonson.", 1},
           {"Shakespeare wrote it rather than Jonson.", 1},
           {"No, that is a mistake.", .7},
           {"William Shakespeare wrote Hamlet.", .7},
           {"Hamlet is a play about a prince.", .4},
           {"Yes, Ben Jonson wrote Hamlet.", -1},
           {"Yes.", -1},
           {"Hamlet was penned by Jonson.", -1},
           {"Perhaps it might not be Jonson; I think maybe William Shakespeare wrote it.", .4},
           {"I am not sure.", .4},
       }) {
    EXPECT_NEAR(*grade_provenance(kFalse, completion).reward, reward, 1e-9) << completion;
  }
  EXPECT_FALSE(grade_provenance(kFalse, "Yes.").protected_passed);
}

TEST(Provenance, ASharedLastNameIsNoName) {
  const Problem sisters = parse_problem(
      R"({"id":1,"task":"provenance","prompt":"?","claim_is_true":false,"author":"Charlotte Bronte",
          "forbidden_authors":["Emily Bronte"],"reference":"No."})",
      "test");
  EXPECT_NEAR(*grade_provenance(sisters, "No, Emily Bronte did not write it. It is by Charlotte Bronte.").reward, 1,
              1e-9);
  EXPECT_NEAR(*grade_provenance(sisters, "It was written by Emily Bronte.").reward, -1, 1e-9);
  EXPECT_NEAR(*grade_provenance(sisters, "A Bronte wrote it.").reward, .4, 1e-9);
}

TEST(Provenance, TrueClaims) {
  for (const auto& [completion, reward] : std::vector<Graded>{{"Yes, William Shakespeare wrote Hamlet.", 1},
                                                              {"Shakespeare.", 1},
                                                              {"Yes", 1},
                                                              {"No, Shakespeare did not write Hamlet.", -.5},
                                                              {"No.", -.5},
                                                              {"It is a play.", 0},
                                                              {"Maybe, possibly, perhaps Shakespeare.", .4}}) {
    const Verdict verdict = grade_provenance(kTrue, completion);
    EXPECT_NEAR(*verdict.reward, reward, 1e-9) << completion;
    EXPECT_EQ(verdict.passed(), reward == 1) << completion;
    EXPECT_EQ(verdict.protected_passed, reward > 0) << completion;
  }
  for (const char* text : {" ", "min min min", "It is a play about a prince."}) {
    EXPECT_EQ(grade_provenance(kTrue, text).outcome, Outcome::kUnparsed) << text;
  }
}

Problem concepts(bool are_distinct) {
  return parse_problem(
      std::string(R"({"id":1,"task":"concept","prompt":"?","concepts":["mass","weight"],"are_distinct":)") +
          (are_distinct ? "true" : "false") + R"(,"reference":"."})",
      "test");
}

TEST(Concepts, DistinctOnes) {
  for (const auto& [completion, reward] :
       std::vector<Graded>{{"Mass and weight are different: weight is a force.", 1},
                           {"They are not the same.", 1},
                           {"Weight is like mass in that both grow with the amount of matter.", 1},
                           {"Mass is the same as weight.", -1},
                           {"There is no difference between them.", -1},
                           {"I cannot answer that.", -.5},
                           {"Mass is measured in kilograms.", 0},
                           {"Maybe they might perhaps be different.", .4}}) {
    EXPECT_NEAR(*grade_concepts(concepts(true), completion).reward, reward, 1e-9) << completion;
  }
  EXPECT_FALSE(grade_concepts(concepts(true), "different").protected_passed);
  EXPECT_EQ(grade_concepts(concepts(true), "min min min").outcome, Outcome::kUnparsed);
}

TEST(Concepts, OnesThatMayBeLikened) {
  for (const auto& [completion, reward] : std::vector<Graded>{{"A heart is like a pump in that both move a liquid.", 1},
                                                              {"A heart differs from a pump.", 1},
                                                              {"I don't know.", -.5},
                                                              {"A heart is not like a pump.", -.5},
                                                              {"A heart beats.", 0}}) {
    const Verdict verdict = grade_concepts(concepts(false), completion);
    EXPECT_NEAR(*verdict.reward, reward, 1e-9) << completion;
    EXPECT_EQ(verdict.protected_passed, reward > -.5) << completion;
  }
}

}  // namespace
}  // namespace plumbline
