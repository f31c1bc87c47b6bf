#include "plumbline/train/policy_update.h"

#include <fmt/format.h>

#include <cmath>

#include "plumbline/base/error.h"
#include "plumbline/model/token_logprob.h"
#include "plumbline/train/schedule.h"

namespace plumbline {
namespace {

LossOptions loss_options(const TrainOptions& train, const RolloutOptions& rollout) {
  return {.beta = train.beta,
          .clip_low = train.clip_low,
          .clip_high = train.clip_high,
          .denominator = static_cast<double>(rollout.group_size) * static_cast<double>(rollout.max_new_tokens) *
                         static_cast<double>(rollout.prompts_per_step)};
}

AdamWOptions adamw_options(const TrainOptions& train) {
  return {.beta1 = train.betas.at(0), .beta2 = train.betas.at(1), .eps = train.eps, .weight_decay = train.weight_decay};
}

}  // namespace

double UpdateMetrics::mean_entropy() const {
  return loss.num_tokens ? entropy_sum / static_cast<double>(loss.num_tokens) : 0;
}

std::optional<double> UpdateMetrics::mean_mismatch() const {
  if (num_compared == 0) return std::nullopt;
  return mismatch_sum / static_cast<double>(num_compared);
}

PolicyUpdate::PolicyUpdate(Decoder& decoder, SvdAdapter& adapter, GradientTransform& transform,
                           const TrainOptions& train, const RolloutOptions& rollout, const RunOptions& run,
                           std::function<void()> between_units)
    : decoder_(decoder),
      adapter_(adapter),
      transform_(transform),
      train_(train),
      temperature_(rollout.temperature),
      seed_(run.seed),
      micro_batch_(run.micro_batch),
      loss_options_(loss_options(train, rollout)),
      between_units_(std::move(between_units)),
      optimizer_(adamw_options(train)) {}

void PolicyUpdate::put_weights(int64_t version) {
  adapter_.merge(seed_, static_cast<uint32_t>(version));
}

TensorMap PolicyUpdate::deltas() const {
  TensorMap result;
  for (const SvdAdapter::Module& module : adapter_.modules()) result.emplace(module.linear->name, module.delta_R);
  return result;
}

torch::Tensor PolicyUpdate::logprobs(const torch::Tensor& hidden_ND, const MicroBatch& batch) const {
  return token_logprobs(hidden_ND, decoder_.head_VD(), batch.completion_N, temperature_);
}

std::vector<torch::Tensor> PolicyUpdate::reference_logprobs(const std::vector<MicroBatch>& batches) {
  const torch::NoGradGuard no_grad;
  adapter_.disable();
  std::vector<torch::Tensor> result;
  for (const MicroBatch& batch : batches) {
    if (between_units_) between_units_();
    result.push_back(logprobs(predictor_states(decoder_, batch), batch));
  }
  adapter_.enable();
  return result;
}

void PolicyUpdate::accumulate_gradients(std::span<const LearningRow> rows) {
  metrics_ = {};
  gradients_.clear();
  if (rows.empty()) {
    for (const auto& [name, delta_R] : deltas()) gradients_.emplace(name, torch::zeros_like(delta_R));
    return;
  }
  std::vector<SequenceRow> sequences;
  std::vector<double> advantages;
  for (const LearningRow& row : rows) {
    sequences.push_back({row.prompt_ids, row.completion_ids});
    advantages.push_back(row.advantage);
  }
  const std::vector<MicroBatch> batches = make_micro_batches(sequences, micro_batch_, decoder_.device());
  std::vector<torch::Tensor> references(batches.size());
  if (loss_options_.beta > 0) references = reference_logprobs(batches);
  adapter_.begin_gradients();
  for (size_t i = 0; i < batches.size(); ++i) {
    if (between_units_) between_units_();
    const torch::Tensor hidden_ND = predictor_states(decoder_, batches[i]);
    const torch::Tensor logprob_N = logprobs(hidden_ND, batches[i]);
    const GrpoLoss loss = grpo_loss({.logprob_N = logprob_N,
                                     .old_logprob_N = logprob_N.detach(),
                                     .reference_logprob_N = references[i],
                                     .advantage_N = batches[i].spread(advantages).to(logprob_N.scalar_type())},
                                    loss_options_);
    metrics_.loss += loss.sums;
    metrics_.entropy_sum +=
        token_entropies(hidden_ND.detach(), decoder_.head_VD(), temperature_).sum(torch::kFloat64).item<double>();
    compare_with_sampler(batches[i], logprob_N.detach(), rows);
    loss.loss.backward();
  }
  gradients_ = adapter_.take_gradients();
}

void PolicyUpdate::compare_with_sampler(const MicroBatch& batch, const torch::Tensor& logprob_N,
                                        std::span<const LearningRow> rows) {
  const torch::Tensor ours_N = logprob_N.to(torch::kCPU, torch::kFloat64).contiguous();
  const double* ours = ours_N.const_data_ptr<double>();
  for (size_t b = 0; b < batch.rows.size(); ++b) {
    const auto sampler = rows[batch.rows[b]].sampler_logprobs;
    for (size_t t = 0; t < sampler.size(); ++t) {
      const double difference = std::abs(static_cast<double>(sampler[t]) - ours[t]);
      metrics_.mismatch_sum += difference;
      metrics_.mismatch_max = std::max(metrics_.mismatch_max, difference);
      ++metrics_.num_compared;
    }
    ours += batch.lengths[b];
  }
}

void PolicyUpdate::transform_gradients(int64_t version) {
  const torch::NoGradGuard no_grad;
  metrics_.grad_norm = metrics_.grad_norm_after = global_norm(gradients_);
  metrics_.applied = guard_.admit(metrics_.grad_norm, version + 1);
  if (!metrics_.applied) return;
  transform_.begin_step(version + 1);
  for (auto& [name, gradient_R] : gradients_) gradient_R = transform_.gradient(name, gradient_R);
  metrics_.grad_norm_after = global_norm(gradients_);
  if (!std::isfinite(metrics_.grad_norm_after)) {
    throw NumericError("numeric.transform", "the gradient transform made a finite gradient non-finite",
                       fmt::format("step {}", version + 1), "this is a bug; run the vanilla arm and report it");
  }
}

void PolicyUpdate::step_optimizer(int64_t version) {
  const torch::NoGradGuard no_grad;
  metrics_.lr = learning_rate(train_, version);
  if (metrics_.applied) {
    metrics_.clip = clip_coefficient(metrics_.grad_norm_after, train_.grad_clip);
    for (auto& [name, gradient_R] : gradients_) gradient_R = gradient_R * metrics_.clip;
    const TensorMap old = deltas();
    for (const auto& [name, proposed_R] : optimizer_.propose(old, gradients_, metrics_.lr)) {
      adapter_.set_delta(name, transform_.update(name, old.at(name), proposed_R));
    }
    metrics_.transform = transform_.metrics();
  }
  put_weights(version + 1);
  const bool merges_exactly = decoder_.dtype() == torch::kFloat32 || decoder_.dtype() == torch::kFloat64;
  if (!merges_exactly) metrics_.residual = adapter_.merge_residual();
}

}  // namespace plumbline
