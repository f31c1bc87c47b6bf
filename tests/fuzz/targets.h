/// Every parser of what others wrote, as a function of bytes. A libFuzzer binary and the replay test run the same ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumbline::test {

/// Parses `bytes` and uses what came out. Returns for a value and for every error that users may see; anything else
/// (a signal, another exception, an InternalError) leaves the function and is a finding.
using FuzzRun = void (*)(std::string_view bytes);

void fuzz_tokenizer_json(std::string_view bytes);
void fuzz_gguf(std::string_view bytes);
void fuzz_safetensors(std::string_view bytes);
void fuzz_chat_template(std::string_view bytes);
void fuzz_preset(std::string_view bytes);
void fuzz_problems(std::string_view bytes);
void fuzz_completions(std::string_view bytes);
void fuzz_python_literal(std::string_view bytes);
void fuzz_doctor(std::string_view bytes);
void fuzz_math(std::string_view bytes);
void fuzz_eval_report(std::string_view bytes);

struct FuzzTarget {
  const char* name;  ///< names the folders corpus/<name> and kept/<name> too
  FuzzRun run;
};

inline const std::vector<FuzzTarget> kFuzzTargets = {
    {"tokenizer_json", fuzz_tokenizer_json},
    {"gguf", fuzz_gguf},
    {"safetensors", fuzz_safetensors},
    {"chat_template", fuzz_chat_template},
    {"preset", fuzz_preset},
    {"problems", fuzz_problems},
    {"completions", fuzz_completions},
    {"python_literal", fuzz_python_literal},
    {"doctor", fuzz_doctor},
    {"math", fuzz_math},
    {"eval_report", fuzz_eval_report},
};

}  // namespace plumbline::test
