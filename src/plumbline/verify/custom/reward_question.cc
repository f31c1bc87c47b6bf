#include <nlohmann/json.hpp>

#include "plumbline/base/json.h"
#include "plumbline/record/verdict_json.h"
#include "plumbline/verify/custom/reward_source.h"

namespace plumbline {

RewardQuestion make_question(const GradeRequest& request) {
  const Problem& problem = *request.problem;
  Json members = {{"problem_id", to_json(problem.id)}, {"sample", request.sample}};
  if (problem.prompt_is_text && problem.prompt.size() == 1) {
    members["prompt"] = problem.prompt[0].content;
  } else {
    Json& messages = members["prompt"] = Json::array();
    for (const Message& message : problem.prompt) {
      messages.push_back({{"role", message.role}, {"content", message.content}});
    }
  }
  members["completion"] = request.completion;
  members["token_ids"] = request.token_ids.empty() ? Json(nullptr) : Json(request.token_ids);
  const std::string object = to_json_line(members);
  // The row goes out byte by byte as it came in: numbers of any length stay what they are.
  return {std::make_shared<const std::string>(object.substr(1, object.size() - 2) +
                                              ",\"row\":" + (problem.row.empty() ? "{}" : problem.row))};
}

}  // namespace plumbline
