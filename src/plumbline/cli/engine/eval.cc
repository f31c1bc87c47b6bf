/// eval PRESET: base against candidate, item by item; eval --resume DIR goes on where one stopped.
#include "plumbline/cli/engine/preset_verb.h"
#include "plumbline/cli/engine/verbs.h"
#include "plumbline/run/evaluation.h"

namespace plumbline {

int eval_main(const std::vector<std::string>& words) {
  EvaluationFiles files;
  return run_resumable_verb(
      "eval", "base against candidate on the same items, into reports for compare", words,
      [&](const Preset& preset, const std::string& out) { return evaluate(preset, out, files); },
      [&](const Preset& preset, const std::string& folder) { return resume_evaluation(preset, folder, files); },
      [&](Arguments& arguments) {
        arguments.option("--pin", &files.pin, "a report that this run must be comparable with, or it does not start")
            .option("--plan", &files.plan, "a plan of compare, whose hash goes into the reports");
      },
      [&](const Preset& preset) { check_evaluation(preset, files); });
}

}  // namespace plumbline
