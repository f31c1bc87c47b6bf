#include "plumbline/cli/engine/inspect_prompt.h"

#include "plumbline/preset/data_path.h"
#include "plumbline/record/hint.h"
#include "plumbline/record/problem_reader.h"

namespace plumbline {

RenderedPrompt first_prompt(const Preset& preset, const ModelText& text) {
  std::vector<Problem> problems = read_problems(resolve_data_path(preset.data.problems), {.split = preset.data.split});
  Problem& problem = problems.front();  // a split without problems was refused by the reader
  apply_hint(problem, preset.data.hint, preset.data.tester_name);
  return text.render(problem);
}

}  // namespace plumbline
