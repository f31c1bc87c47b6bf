#include "plumbline/run/deployment.h"

#include "plumbline/run/hidden_reading.h"
#include "plumbline/steer/projector.h"
#include "plumbline/steer/state_erasure.h"

namespace plumbline {

std::optional<ResidualEdit> deployment_edit(const Preset& preset, ModelBench& bench, const RunDirectory& directory) {
  if (preset.run.arm != "erase_states") return std::nullopt;
  const HiddenReading reading = reading_of_run(preset, bench, directory);
  return state_erasure(reading.layer, reading.direction_D, reading.clean, projection_options(preset.steer));
}

Deployed::Deployed(ModelBench& bench, const GradientTransform& transform, const std::optional<ResidualEdit>& edit,
                   uint64_t seed, int64_t version)
    : bench_(bench), seed_(seed), version_(static_cast<uint32_t>(version)) {
  const auto parameters = bench_.adapter->parameters();
  for (const auto& [name, quarantine] : transform.quarantine()) {
    kept_.emplace(name, parameters.at(name).clone());
    bench_.adapter->set_parameter(name, kept_.at(name) - quarantine.to(kept_.at(name).options()));
  }
  if (!kept_.empty()) merge();
  bench_.decoder->set_residual_edit(edit);
}

Deployed::~Deployed() {
  bench_.decoder->set_residual_edit(std::nullopt);
  for (const auto& [name, value] : kept_) bench_.adapter->set_parameter(name, value);
  if (!kept_.empty()) merge();
}

}  // namespace plumbline
