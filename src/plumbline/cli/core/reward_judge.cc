#include "plumbline/cli/core/reward_judge.h"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/cli/core/reward_channel.h"
#include "plumbline/judge/in_flight.h"
#include "plumbline/judge/judge_row.h"
#include "plumbline/judge/preflight.h"

namespace plumbline {
namespace {

/// The prompt of a row: a string, or messages.
std::string prompt_of(const Json& prompt) {
  if (prompt.is_string()) return prompt.get<std::string>();
  std::vector<Message> messages;
  for (const Json& message : prompt) {
    messages.push_back({message.at("role").get<std::string>(), message.at("content").get<std::string>()});
  }
  return text_of_messages(messages);
}

std::string reference_of(const Json& row) {
  const auto found = row.find("reference");
  if (found == row.end() || found->is_null()) return "";
  return found->is_string() ? found->get<std::string>() : to_json_line(*found);
}

Json opinion(const ChatClient& judge, const Question& question, const Json& row) {
  const JudgedTexts texts{prompt_of(row.at("prompt")), reference_of(row.at("row")),
                          row.at("completion").get<std::string>(), ""};
  const JudgeAnswer answer = read_verdict(judge.ask(question.request(texts)), JudgeMode::kSupport);
  if (!is_verdict(answer.outcome)) {
    return {{"error",
             fmt::format("no verdict: {} ({}): {}", outcome_word(answer.outcome, true), answer.kind, answer.reason)}};
  }
  const bool supported = answer.outcome == JudgeOutcome::kSupported;
  return {{"reward", supported ? 1 : 0}, {"passed", supported}, {"detail", answer.reason}};
}

Json opinions(const ChatClient& judge, const Question& question, const Json& rows) {
  std::vector<Json> answers(rows.size());
  size_t next = 0;
  run_in_flight<size_t>(
      RemoteOptions().in_flight,
      [&]() -> std::optional<size_t> { return next < answers.size() ? std::optional(next++) : std::nullopt; },
      [&](size_t i) { answers[i] = opinion(judge, question, rows[i]); });
  return answers;
}

void serve(const ChatClient& judge, const Question& question) {
  RewardRequests requests;
  while (requests.next()) {
    const Json request = requests.parse();
    Json answer = {{"id", request.at("id")}};
    try {
      answer["answers"] = opinions(judge, question, request.at("rows"));
    } catch (const std::exception& error) {
      answer["error"] = error.what();
    }
    if (!say_to_reward_pool(answer)) return;
  }
}

}  // namespace

int reward_judge_main(const std::vector<std::string>& words) {
  enter_reward_program();
  if (words.size() != 3) return static_cast<int>(ExitCode::kConfig);
  try {
    RemoteOptions options;
    options.timeout_s = std::strtod(words[1].c_str(), nullptr);
    const ChatClients judges = make_clients({words[0]}, options, nullptr, "grade.rewards");
    const Question question(JudgeMode::kSupport, words[2]);
    preflight_judges(judges, question);
    if (say_to_reward_pool({{"ready", true}})) serve(*judges[0], question);
  } catch (const Error& error) {
    say_to_reward_pool({{"error", error.message()}, {"remote", error.exit_code() == ExitCode::kRemote}});
  }
  return 0;
}

}  // namespace plumbline
