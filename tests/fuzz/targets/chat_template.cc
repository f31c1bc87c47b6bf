#include "plumbline/text/chat_template.h"

#include <nlohmann/json.hpp>

#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/targets.h"

namespace plumbline::test {

void fuzz_chat_template(std::string_view bytes) {
  static const Json variables = parse_json(R"({
      "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hi"},
                   {"role": "assistant", "content": null, "tool_calls": [{"name": "f", "arguments": {"a": [1, 2.5]}}]},
                   {"role": "tool", "content": "4"}],
      "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}], "documents": null,
      "add_generation_prompt": true, "bos_token": "<s>", "eos_token": "</s>", "enable_thinking": false})",
                                           "variables");
  expect_value_or_error([&] {
    const ChatTemplate chat_template(std::string(bytes), "fuzz");
    chat_template.render(variables, "2026-01-31T12:00:00");
  });
}

}  // namespace plumbline::test
