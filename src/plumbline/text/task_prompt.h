/// How the prompt of a task is put to a model: the one place that decides it, for training and evaluation alike.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plumbline/record/problem.h"

namespace plumbline {

/// Asked of the model in front of every problem of the task "step".
extern const std::string_view kStepInstruction;

/// Whether answers to the task have a structure that a chat model gives only when it is asked as a chat: code,
/// invention, and custom (whose grader is the user's). Raw text does for the others.
bool needs_structured_output(std::string_view task);

/// The problem's messages; for "step" with kStepInstruction in front of the first one of the user.
std::vector<Message> task_messages(const Problem& problem);

}  // namespace plumbline
