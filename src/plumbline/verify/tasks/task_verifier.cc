#include "plumbline/verify/tasks/task_verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "plumbline/base/check.h"
#include "plumbline/base/clock.h"
#include "plumbline/verify/tasks/math_task.h"
#include "plumbline/verify/tasks/provenance_task.h"
#include "plumbline/verify/tasks/step_task.h"

namespace plumbline {
namespace {

struct TextGrader {
  Verdict (*grade)(const Problem&, std::string_view) = nullptr;
  int version = 0;
};

const std::map<std::string, TextGrader, std::less<>>& text_graders() {
  static const std::map<std::string, TextGrader, std::less<>> graders = {
      {"math", {grade_math, kMathGraderVersion}},
      {"physics", {grade_physics, kPhysicsGraderVersion}},
      {"step", {grade_steps, kStepGraderVersion}},
      {"provenance", {grade_provenance, kProvenanceGraderVersion}},
      {"concept", {grade_concepts, kConceptGraderVersion}}};
  return graders;
}

}  // namespace

bool is_graded_as_text(std::string_view task) {
  return text_graders().find(task) != text_graders().end();
}

std::string text_grader_name(std::string_view task) {
  return fmt::format("{} {}", task, text_graders().find(task)->second.version);
}

TaskVerifier::TaskVerifier(std::unique_ptr<Verifier> code) : code_(std::move(code)) {
  if (code_) invention_ = std::make_unique<InventionVerifier>(*code_);
}

void TaskVerifier::submit(GradeRequest request, OnAnswer on_answer) {
  const std::string& task = request.problem->task;
  const auto grader = text_graders().find(task);
  if (grader == text_graders().end()) {
    PL_CHECK(code_, "there is no grader for code");
    if (task == "invention") return invention_->submit(std::move(request), std::move(on_answer));
    return code_->submit(std::move(request), std::move(on_answer));
  }
  GradeAnswer answer;
  try {
    const double start_s = now_s();
    const std::string_view text = request.completion;
    answer.verdict =
        grader->second.grade(*request.problem, text.substr(text.size() - std::min(text.size(), kMostText_bytes)));
    answer.verdict.sample = request.sample;
    answer.verdict.wall_ms = 1000 * (now_s() - start_s);
  } catch (...) {
    answer.error = std::current_exception();
  }
  on_answer(std::move(answer));
}

void TaskVerifier::flush() {
  if (code_) code_->flush();
}

size_t TaskVerifier::capacity() const {
  return code_ ? code_->capacity() : 1;
}

}  // namespace plumbline
