#include "plumbline/eval/served_model.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "plumbline/base/check.h"
#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/interrupt.h"
#include "plumbline/base/json.h"

namespace plumbline {
namespace {

constexpr double kMaxFailedShare = 0.02;
constexpr double kForever_s = std::numeric_limits<double>::infinity();  // attempts and waits end in the process

/// The next line of the protocol; what else the process prints is kept for why_gone().
Json next_message(RewardProcess& process, const std::string& spec) {
  while (true) {
    const auto line = process.next_line(kForever_s);
    if (!line) break;
    if (line->on_own_descriptor) return parse_json(line->text, "the process that asks " + spec);
    process.note_chatter(line->text);
  }
  if (interrupt_requested()) throw Interrupted("the evaluation is stopped");
  throw SandboxError("sandbox.served_model",
                     fmt::format("the process that asks the candidate ended ({}) {}", process.ending(),
                                 escape_control(process.tail())),
                     spec, "run it again: it goes on with what is missing");
}

std::string request_line(size_t id, const ServedQuestion& question) {
  Json messages = Json::array();
  for (const Message& message : question.messages) {
    messages.push_back({{"role", message.role}, {"content", message.content}});
  }
  return to_json_line({{"id", id}, {"messages", std::move(messages)}, {"draw", question.draw}});
}

ServedAnswer parse_answer(const Json& message, const std::string& where) {
  ServedAnswer answer;
  if (message.contains("error")) {
    answer.error = message["error"].get<std::string>();
    return answer;
  }
  answer.completion = require_member(message, "content", where).get<std::string>();
  answer.finish_reason = require_member(message, "finish_reason", where).get<std::string>();
  answer.num_tokens = require_member(message, "num_tokens", where).get<int64_t>();
  return answer;
}

}  // namespace

ServedModel::ServedModel(const std::string& spec, int64_t max_new_tokens, double temperature) : spec_(spec) {
  process_ = std::make_unique<RewardProcess>(
      std::vector<std::string>{executable_folder() + "/plumbline", kServedCandidateWord, spec,
                               fmt::format("{}", max_new_tokens), fmt::format("{}", temperature)},
      RequestsOn::kDescriptor3);
  const Json first = next_message(*process_, spec_);
  if (!first.contains("error")) return;
  const std::string problem = first["error"].get<std::string>();
  if (!first.value("remote", false)) {
    throw ConfigError("config.served", problem, "eval.served", "write provider:model or local:MODEL@URL");
  }
  throw RemoteError("remote.preflight", problem, "eval.served",
                    "repair the access (key, model name, address); no completion was made");
}

void ServedModel::ask(std::span<const ServedQuestion> questions,
                      const std::function<void(size_t, const ServedAnswer&)>& on_answer) {
  for (size_t i = 0; i < questions.size(); ++i) process_->send(request_line(i, questions[i]));
  size_t num_failed = 0;
  for (size_t num_done = 0; num_done < questions.size(); ++num_done) {
    const Json message = next_message(*process_, spec_);
    const auto index = require_member(message, "id", spec_).get<size_t>();
    PL_CHECK(index < questions.size(), "an answer to no question");
    const ServedAnswer answer = parse_answer(message, spec_);
    if (!answer.error.empty() &&
        static_cast<double>(++num_failed) > kMaxFailedShare * static_cast<double>(questions.size())) {
      throw RemoteError("remote.candidate",
                        fmt::format("{} of {} calls failed: {}", num_failed, num_done + 1, answer.error), spec_,
                        "repair the access, then go on with plumbline eval --resume");
    }
    on_answer(index, answer);
  }
}

}  // namespace plumbline
