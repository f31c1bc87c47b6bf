/// What a run's model is at deployment, where that differs from what was trained: without the quarantine of its
/// transform, or with an edit of its hidden states.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "plumbline/adapter/gradient_transform.h"
#include "plumbline/run/run_directory.h"
#include "plumbline/run/workbench.h"

namespace plumbline {

/// The edit of arm erase_states, from the run's reading of hidden states; none for other arms.
std::optional<ResidualEdit> deployment_edit(const Preset& preset, ModelBench& bench, const RunDirectory& directory);

/// While it lives, the bench's model is as deployment has it; then it is as it was, merged for (seed, version).
class Deployed {
 public:
  Deployed(ModelBench& bench, const GradientTransform& transform, const std::optional<ResidualEdit>& edit,
           uint64_t seed, int64_t version);
  ~Deployed();
  Deployed(const Deployed&) = delete;
  Deployed& operator=(const Deployed&) = delete;

 private:
  void merge() { bench_.adapter->merge(seed_, version_); }

  ModelBench& bench_;
  std::map<std::string, torch::Tensor> kept_;  ///< what the quarantine was taken off
  const uint64_t seed_;
  const uint32_t version_;
};

}  // namespace plumbline
