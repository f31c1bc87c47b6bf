/// The concrete parts that a preset asks for, built once and shared by the arms of a probe. Only run/ names concrete
/// classes; everything else meets at seams.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plumbline/adapter/adapter.h"
#include "plumbline/adapter/svd_adapter.h"
#include "plumbline/base/json.h"
#include "plumbline/model/decoder.h"
#include "plumbline/preset/options.h"
#include "plumbline/record/completion.h"
#include "plumbline/record/problem.h"
#include "plumbline/text/model_text.h"
#include "plumbline/verify/verifier.h"

namespace plumbline {

/// A loaded checkpoint with its text side and its adapter (zero; null where none was asked for).
struct ModelBench {
  ModelText text;
  std::unique_ptr<Decoder> decoder;
  std::unique_ptr<Adapter> adapter;  // after the decoder: destroyed first, it puts the base weights back
};

/// Sets the thread count, checks and loads. Cheap refusals (missing files, device) come before any weight is read.
/// Throws what load_decoder, ModelText::load and the adapter throw.
ModelBench load_model_bench(const Preset& preset);
/// The bench's adapter where coordinates of singular vectors are needed: directions live in them.
/// Throws ConfigError(config.conflict) for any other kind.
SvdAdapter& svd_adapter_of(const ModelBench& bench);
/// The same without an adapter, and so without the basis.
ModelBench load_plain_bench(const Preset& preset);

/// Problems to train on and the held-out slice (split "eval"), hints applied; data.limit counts training problems, and
/// only their prompts end with data.inoculation.
struct ProblemSets {
  std::vector<Problem> train, held_out;
  std::vector<Completion> completions;  ///< data.completions: answers to `train`, to learn or to mix in
};
ProblemSets load_problem_sets(const Preset& preset);

/// The grader that [grade] asks for, for both sets. Throws as verify/make_verifier.h says.
std::unique_ptr<Verifier> verifier_for(const GradeOptions& options, const ProblemSets& problems);
/// Names of grade.rewards, in their order.
std::vector<std::string> reward_names(const GradeOptions& options);

/// provenance.json: what this run was made from. `extra` is merged in (pairs, direction).
Json provenance_of(const Preset& preset, const ModelBench& bench, const Json& extra);

}  // namespace plumbline
