/// A teacher without one successful call, counted as a keep rate of 0.
#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

constexpr int64_t kLeastFailures = 3;

void check(const Evidence& evidence, FindingSink& out) {
  for (const TeacherCounts& teacher : evidence.teachers) {
    if (teacher.attempted < 1 || teacher.succeeded > 0) continue;
    out.add(teacher.where, {{"teacher", teacher.teacher},
                            {"attempted", teacher.attempted},
                            {"succeeded", teacher.succeeded},
                            {"kept", teacher.kept}});
  }
  for (const TextLog& log : evidence.texts) {
    if (log.teacher_line == 0 || log.num_teacher_failures < kLeastFailures || log.num_teacher_successes > 0) continue;
    out.add(log.where, {{"failed_teacher_calls", log.num_teacher_failures},
                        {"successful_teacher_calls", log.num_teacher_successes},
                        {"line", log.teacher_line},
                        {"text", log.teacher_text}});
  }
}

}  // namespace

const FindingKind kTeacherAllFailed = {
    "teacher_all_failed",
    Severity::kError,
    "No call of the teacher succeeded. A keep rate of 0 over answers that never came says nothing about the teacher or "
    "the problems.",
    "Fix the access to the teacher (model name, key, rate limit), check it with one call, and generate again.",
    {"judge_outage", "config_error_in_log"},
    check};

}  // namespace plumbline::doctor
