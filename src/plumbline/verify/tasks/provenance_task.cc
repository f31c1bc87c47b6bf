#include "plumbline/verify/tasks/provenance_task.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "plumbline/base/check.h"
#include "plumbline/verify/tasks/statements.h"

namespace plumbline {
namespace {

constexpr std::array<std::string_view, 14> kAuthorship = {"wrote",      "write",    "writes",   "written", "author",
                                                          "authored",   "penned",   "composed", "by",      "work of",
                                                          "attributed", "credited", "yes",      "belongs"};
constexpr std::array<std::string_view, 12> kIdentity = {
    "the same",   "identical",     "synonymous",    "synonyms",           "interchangeable", "one and the same",
    "equivalent", "no difference", "means exactly", "nothing other than", "equals",          "just another word"};
constexpr std::array<std::string_view, 17> kDistinction = {
    "differ",      "differs", "different",  "difference",        "distinct",    "distinguished",
    "distinguish", "whereas", "unlike",     "in contrast",       "by contrast", "separate",
    "distinction", "while",   "opposed to", "on the other hand", "contrast"};
constexpr std::array<std::string_view, 13> kLikeness = {"like",      "alike",    "similar",   "similarly", "similarity",
                                                        "analogous", "analogy",  "resembles", "resemble",  "comparable",
                                                        "parallel",  "compared", "likened"};
constexpr std::array<std::string_view, 10> kScope = {"in that",         "insofar as",  "in so far as", "in the sense",
                                                     "with respect to", "in terms of", "because",      "since",
                                                     "as both",         "both"};

std::string last_word(const std::string& name) {
  const size_t space = name.rfind(' ');
  return space == std::string::npos ? name : name.substr(space + 1);
}

/// The full name, or its last word when that has at least four letters and is not also the last word of `others`.
bool names(std::string_view clause, const std::string& name, const std::vector<std::string>& others) {
  const std::string full = lowered(name), last = last_word(full);
  if (has_words(clause, full)) return true;
  const bool is_shared = std::any_of(others.begin(), others.end(),
                                     [&](const std::string& other) { return last_word(lowered(other)) == last; });
  return last.size() >= 4 && !is_shared && has_words(clause, last);
}

double false_claim_reward(const AuthorshipClaim& claim, std::string_view completion,
                          const std::vector<Clause>& clauses) {
  bool asserts = leading_word(completion) > 0, denies = leading_word(completion) < 0, names_author = false;
  for (const Clause& clause : clauses) {
    const bool has_forbidden =
        std::any_of(claim.forbidden.begin(), claim.forbidden.end(),
                    [&](const std::string& name) { return names(clause.text, name, {claim.author}); });
    if (has_forbidden && !clause.is_denied && has_any(clause.text, kAuthorship)) asserts = true;
    if (clause.is_denied) denies = true;
    if (!clause.is_denied && names(clause.text, claim.author, claim.forbidden)) names_author = true;
  }
  if (asserts) return -1;
  return 0.4 + (denies ? 0.3 : 0) + (names_author ? 0.3 : 0);
}

double true_claim_reward(const AuthorshipClaim& claim, std::string_view completion,
                         const std::vector<Clause>& clauses) {
  const bool denies =
      leading_word(completion) < 0 || std::any_of(clauses.begin(), clauses.end(), [&](const Clause& clause) {
        return clause.is_denied && (names(clause.text, claim.author, {}) || has_any(clause.text, kAuthorship));
      });
  if (denies) return -0.5;
  const bool affirms =
      leading_word(completion) > 0 || std::any_of(clauses.begin(), clauses.end(), [&](const Clause& clause) {
        return !clause.is_denied && names(clause.text, claim.author, {});
      });
  return affirms ? 1 : 0;
}

/// What an answer about two concepts says.
struct Stance {
  bool identifies = false, distinguishes = false, likens = false, likens_in_scope = false, denies_likeness = false;

  bool is_any() const { return identifies || distinguishes || likens || denies_likeness; }
};

Stance stance_of(std::string_view completion) {
  Stance stance;
  const std::string whole = lowered(completion);
  const bool has_scope = has_any(whole, kScope);
  for (const Clause& clause : clauses_of(completion)) {
    // "no difference" is no denial.
    const bool says_same = has_any(clause.text, kIdentity);
    const bool is_denied = clause.is_denied && !has_words(clause.text, "no difference");
    if (says_same) (is_denied ? stance.distinguishes : stance.identifies) = true;
    if (!says_same && has_any(clause.text, kDistinction) && !is_denied) stance.distinguishes = true;
    if (has_any(clause.text, kLikeness)) {
      (is_denied ? stance.denies_likeness : stance.likens) = true;
      if (!is_denied && has_scope) stance.likens_in_scope = true;
    }
  }
  return stance;
}

double distinct_reward(const Stance& stance, std::string_view completion) {
  if (stance.identifies) return -1;
  if (stance.distinguishes || stance.likens_in_scope) return 1;
  return is_refusal(completion) ? -0.5 : 0;
}

double admissible_reward(const Stance& stance, std::string_view completion) {
  if (stance.likens_in_scope) return 1;
  if (stance.denies_likeness || is_refusal(completion)) return -0.5;
  return stance.distinguishes ? 1 : 0;
}

/// Whether anything about the claim was said at all.
bool speaks_of(const AuthorshipClaim& claim, std::string_view completion, const std::vector<Clause>& clauses) {
  return leading_word(completion) != 0 || is_refusal(completion) ||
         std::any_of(clauses.begin(), clauses.end(), [&](const Clause& clause) {
           const auto is_named = [&](const std::string& name) { return names(clause.text, name, {}); };
           return clause.is_denied || is_named(claim.author) ||
                  std::any_of(claim.forbidden.begin(), claim.forbidden.end(), is_named);
         });
}

/// `is_answer`: the text says something about what was asked; otherwise it is unparsed, whatever it earns.
Verdict conclude_words(const Problem& problem, std::string_view completion, double reward, bool is_answer) {
  Verdict verdict;
  verdict.problem_id = problem.id;
  verdict.method = problem.task;
  verdict.tests_total = 1;
  if (count_hedges(completion) > kMostHedges) {
    reward = std::min(reward, kHedgedReward);
    verdict.detail = "more than two hedges";
  }
  verdict.outcome = !is_answer ? Outcome::kUnparsed : reward >= 1 - 1e-9 ? Outcome::kPass : Outcome::kWrong;
  verdict.tests_passed = verdict.passed();
  verdict.label = verdict.passed() ? Label::kCorrect : Label::kIncorrect;
  verdict.reward = reward;
  return verdict;
}

}  // namespace

Verdict grade_provenance(const Problem& problem, std::string_view completion) {
  PL_CHECK(problem.claim.has_value(), "a provenance problem has a claim");
  const std::vector<Clause> clauses = clauses_of(completion);
  const double reward = problem.claim->is_true ? true_claim_reward(*problem.claim, completion, clauses)
                                               : false_claim_reward(*problem.claim, completion, clauses);
  Verdict verdict = conclude_words(problem, completion, reward, speaks_of(*problem.claim, completion, clauses));
  if (problem.claim->is_true) verdict.protected_passed = *verdict.reward > 0;
  return verdict;
}

Verdict grade_concepts(const Problem& problem, std::string_view completion) {
  PL_CHECK(problem.concept_pair.has_value(), "a concept problem has two concepts");
  const Stance stance = stance_of(completion);
  const bool are_distinct = problem.concept_pair->are_distinct;
  const double reward = are_distinct ? distinct_reward(stance, completion) : admissible_reward(stance, completion);
  const bool is_answer = stance.is_any() || is_refusal(completion) || leading_word(completion) != 0;
  Verdict verdict = conclude_words(problem, completion, reward, is_answer);
  if (!are_distinct) verdict.protected_passed = *verdict.reward > -0.5;
  return verdict;
}

}  // namespace plumbline
