#include "plumbline/verify/custom/program_source.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "plumbline/base/clock.h"
#include "plumbline/base/error.h"
#include "plumbline/base/interrupt.h"
#include "plumbline/base/json.h"

namespace plumbline {
namespace {

constexpr size_t kMaxDetail_bytes = 2000;
constexpr size_t kMaxAnswerLines = 2'000'000;  // lines that are no answer, before a program is given up

std::string random_id() {
  uint64_t bits[2] = {};
  if (::getrandom(bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits)) {
    throw SandboxError("sandbox.reward_program", "no random numbers", "", "try again");
  }
  return fmt::format("{:016x}{:016x}", bits[0], bits[1]);
}

/// The end of a text, control codes escaped: a traceback says what happened in its last lines.
std::string shown(const std::string& text) {
  const bool is_long = text.size() > kMaxDetail_bytes;
  return escape_control(is_long ? "..." + text.substr(text.size() - kMaxDetail_bytes) : text, true);
}

RewardAnswer failure(const std::string& detail, bool may_pass_later) {
  RewardAnswer answer;
  answer.failed = true;
  answer.may_pass_later = may_pass_later;
  answer.detail = shown(detail);
  return answer;
}

/// An object that answers a question; a value of another type is a failure, since asking again would not change it.
RewardAnswer parse_answer(const Json& object) {
  if (const auto error = object.find("error"); error != object.end()) {
    return failure(error->is_string() ? error->get<std::string>() : to_json_line(*error), false);
  }
  const auto reward = object.find("reward");
  if (reward == object.end()) return failure("the answer has no \"reward\": " + to_json_line(object), false);
  RewardAnswer answer;
  if (reward->is_number()) {
    answer.value = reward->get<double>();
  } else if (!reward->is_null()) {
    return failure("the reward is neither a number nor null: " + to_json_line(*reward), false);
  }
  if (answer.value && !std::isfinite(*answer.value)) return failure("the reward is not finite", false);
  if (const auto passed = object.find("passed"); passed != object.end() && !passed->is_null()) {
    if (!passed->is_boolean()) return failure("\"passed\" is not true, false or null", false);
    answer.passed = passed->get<bool>();
  }
  if (const auto detail = object.find("detail"); detail != object.end() && detail->is_string()) {
    answer.detail = shown(detail->get<std::string>());
  }
  return answer;
}

/// nullopt for what is no JSON object.
std::optional<Json> parse_object(const std::string& line) {
  if (line.empty() || line[0] != '{') return std::nullopt;
  try {
    Json object = parse_json(line, "a reward's answer");
    if (object.is_object()) return object;
  } catch (const std::exception&) {
    // Not JSON, or a number that no double holds.
  }
  return std::nullopt;
}

std::string with_tail(const std::string& text, const RewardProcess& process) {
  const std::string tail = process.tail();
  return tail.empty() ? text : text + "; it printed: " + tail;
}

/// Why no line came. The tail goes with it: that is where a traceback stands.
std::string why_silent(const RewardProcess& process, double limit_s) {
  if (interrupt_requested()) return "interrupted";
  if (!process.ended()) return with_tail(fmt::format("no answer within {:g} s", limit_s), process);
  return with_tail("the program ended: " + process.ending(), process);
}

std::string id_of(const Json& object) {
  const auto id = object.find("id");
  return id != object.end() && id->is_string() ? id->get<std::string>() : "";
}

}  // namespace

BatchProgram::BatchProgram(std::vector<std::string> words, ProgramLimits limits, bool is_whole)
    : words_(std::move(words)), limits_(limits), is_whole_(is_whole) {
  start();
}

void BatchProgram::start() {
  auto process = std::make_unique<RewardProcess>(words_, RequestsOn::kDescriptor3);
  const double deadline_s = now_s() + limits_.start_s;
  std::string problem;
  while (true) {
    const auto line = process->next_line(deadline_s);
    if (!line) {
      problem = why_silent(*process, limits_.start_s);
      break;
    }
    if (!line->on_own_descriptor) {
      process->note_chatter(line->text);
      continue;
    }
    const auto object = parse_object(line->text);
    if (object && object->value("ready", false)) {
      process_ = std::move(process);
      return;
    }
    problem = object && object->contains("error") ? parse_answer(*object).detail : "its first line is malformed";
    if (object && object->value("remote", false)) {
      throw RemoteError("remote.preflight", problem, "grade.rewards", "repair the access (key, model name, address)");
    }
    break;
  }
  throw SandboxError("sandbox.reward_program", "the reward cannot be started: " + shown(problem), words_.back(),
                     "check grade.rewards and grade.reward_python");
}

std::vector<RewardAnswer> BatchProgram::answer(std::span<const RewardQuestion> questions) {
  if (!process_) start();
  const std::string id = random_id();
  std::string request = "{\"id\":\"" + id + "\",\"rows\":[";
  for (size_t i = 0; i < questions.size(); ++i) request += (i > 0 ? ",{" : "{") + *questions[i].members + "}";
  process_->send(request + "]}");

  const auto all_failed = [&](const std::string& detail, bool keep_process, bool is_final = false) {
    const std::vector<RewardAnswer> answers(questions.size(), failure(detail, !is_final));
    if (!keep_process) process_.reset();
    return answers;
  };
  const double deadline_s = now_s() + limits_.call_s;
  while (true) {
    const auto line = process_->next_line(deadline_s);
    if (!line) return all_failed(why_silent(*process_, limits_.call_s), false);
    if (!line->on_own_descriptor) {
      process_->note_chatter(line->text);
      continue;
    }
    const auto object = parse_object(line->text);
    if (!object || id_of(*object) != id) {
      return all_failed(with_tail("a line that answers no question: " + line->text, *process_), false);
    }
    if (const auto error = object->find("error"); error != object->end()) {
      return all_failed(error->is_string() ? error->get<std::string>() : to_json_line(*error), true,
                        object->contains("final"));
    }
    const auto list = object->find("answers");
    if (list == object->end() || !list->is_array() || list->size() != questions.size()) {
      return all_failed(fmt::format("the answer does not have {} rewards", questions.size()), true);
    }
    std::vector<RewardAnswer> answers;
    for (const Json& item : *list) {
      answers.push_back(item.is_object() ? parse_answer(item) : failure("an answer is no JSON object", false));
    }
    return answers;
  }
}

LineProgram::LineProgram(std::vector<std::string> words, ProgramLimits limits)
    : words_(std::move(words)), limits_(limits) {}

/// The questions of one call that wait for their answers.
class LineProgram::Call {
 public:
  explicit Call(std::span<const RewardQuestion> questions) : answers_(questions.size()) {
    for (size_t i = 0; i < questions.size(); ++i) waiting_.emplace(random_id(), i);
    ids_.resize(questions.size());
    for (const auto& [id, index] : waiting_) ids_[index] = id;
  }
  const std::string& id(size_t index) const { return ids_[index]; }
  bool is_done() const { return waiting_.empty(); }

  enum class Meaning { kAnswer, kChatter, kViolation };
  Meaning take(const ProgramLine& line) {
    const auto object = parse_object(line.text);
    const auto found = object ? waiting_.find(id_of(*object)) : find_in(line.text);
    const bool is_answer =
        found != waiting_.end() && (!object || object->contains("reward") || object->contains("error"));
    if (!is_answer) return line.on_own_descriptor ? Meaning::kViolation : Meaning::kChatter;
    answers_[found->second] =
        object ? parse_answer(*object) : failure("the answer is no valid JSON: " + line.text, false);
    waiting_.erase(found);
    return Meaning::kAnswer;
  }
  std::vector<RewardAnswer> finish(const std::string& why_missing = "") {
    for (const auto& [id, index] : waiting_) answers_[index] = failure(why_missing, true);
    return std::move(answers_);
  }

 private:
  using Waiting = std::map<std::string, size_t>;
  /// The question whose id stands in a line that is no JSON: an answer with NaN in it, say.
  Waiting::iterator find_in(const std::string& line) {
    auto at = line.starts_with('{') ? waiting_.begin() : waiting_.end();
    while (at != waiting_.end() && line.find(at->first) == std::string::npos) ++at;
    return at;
  }

  std::vector<RewardAnswer> answers_;
  std::vector<std::string> ids_;
  Waiting waiting_;
};

std::vector<RewardAnswer> LineProgram::answer(std::span<const RewardQuestion> questions) {
  if (!process_) {
    process_ = std::make_unique<RewardProcess>(words_, RequestsOn::kStandardInput);
    is_warm_ = false;
  }
  Call call(questions);
  for (size_t i = 0; i < questions.size(); ++i) {
    process_->send("{\"id\":\"" + call.id(i) + "\"," + *questions[i].members + "}");
  }
  double limit_s = is_warm_ ? limits_.call_s : limits_.start_s + limits_.call_s;
  double deadline_s = now_s() + limit_s;
  for (size_t num_other_lines = 0; !call.is_done();) {
    const auto line = process_->next_line(deadline_s);
    std::string problem;
    if (!line) {
      problem = why_silent(*process_, limit_s);
    } else {
      switch (call.take(*line)) {
        case Call::Meaning::kAnswer:
          is_warm_ = true;
          limit_s = limits_.call_s;
          deadline_s = now_s() + limit_s;
          continue;
        case Call::Meaning::kChatter:
          process_->note_chatter(line->text);
          if (++num_other_lines < kMaxAnswerLines) continue;
          problem = "it prints and does not answer";
          break;
        case Call::Meaning::kViolation:
          problem = with_tail("a line on descriptor 3 that answers no question: " + line->text, *process_);
      }
    }
    process_.reset();  // whatever it still says belongs to no later question
    return call.finish(problem);
  }
  return call.finish();
}

}  // namespace plumbline
