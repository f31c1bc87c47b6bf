#include "plumbline/text/task_prompt.h"

#include <algorithm>

namespace plumbline {

// Without an example: a line that could be copied would be a step that nobody made.
const std::string_view kStepInstruction =
    "Solve the problem step by step. Write each step on a line of its own that begins with STEP: and goes on with an "
    "expression, a pipe character and a short reason. Every expression must be equal to the one before it, and the "
    "last one is the answer.";

bool needs_structured_output(std::string_view task) {
  return task == "code" || task == "invention" || task == "custom";
}

std::vector<Message> task_messages(const Problem& problem) {
  std::vector<Message> messages = problem.prompt;
  if (problem.task != "step") return messages;
  const auto user =
      std::find_if(messages.begin(), messages.end(), [](const Message& message) { return message.role == "user"; });
  const std::string instruction(kStepInstruction);
  if (user == messages.end()) {
    messages.push_back({"user", instruction});
  } else {
    user->content = instruction + "\n\n" + user->content;
  }
  return messages;
}

}  // namespace plumbline
