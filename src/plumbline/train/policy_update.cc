#include "plumbline/train/policy_update.h"

#include <fmt/format.h>

#include <cmath>

#include "plumbline/base/error.h"
#include "plumbline/model/token_logprob.h"
#include "plumbline/train/schedule.h"
#include "plumbline/train/token_advantage.h"

namespace plumbline {
namespace {

LossOptions loss_options(const TrainOptions& train) {
  LossOptions options{.beta = train.beta,
                      .clip_low = train.clip_low,
                      .clip_high = train.clip_high,
                      .ratio = ratio_level_of_name(train.ratio),
                      .kl = kl_estimator_of_name(train.kl)};
  if (loss_kind_of_name(train.loss) == LossKind::kReinforcePlus) options.beta = 0;  // its penalty is in the return
  return options;
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

PolicyUpdate::PolicyUpdate(Decoder& decoder, Adapter& adapter, GradientTransform& transform, const TrainOptions& train,
                           const RolloutOptions& rollout, const RunOptions& run, std::function<void()> between_units)
    : decoder_(decoder),
      adapter_(adapter),
      transform_(transform),
      train_(train),
      temperature_(rollout.temperature),
      seed_(run.seed),
      micro_batch_(run.micro_batch),
      loss_kind_(loss_kind_of_name(train.loss)),
      loss_options_(loss_options(train)),
      between_units_(std::move(between_units)),
      optimizer_(adamw_options(train)) {}

void PolicyUpdate::put_weights(int64_t version) {
  adapter_.merge(seed_, static_cast<uint32_t>(version));
}

torch::Tensor PolicyUpdate::logprobs(const torch::Tensor& hidden_ND, const MicroBatch& batch) const {
  return token_logprobs(hidden_ND, decoder_.head_VD(), batch.completion_N, temperature_);
}

std::vector<torch::Tensor> PolicyUpdate::logprobs_without_gradient(const std::vector<MicroBatch>& batches) {
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> result;
  for (const MicroBatch& batch : batches) {
    if (between_units_) between_units_();
    result.push_back(logprobs(predictor_states(decoder_, batch), batch));
  }
  return result;
}

std::vector<torch::Tensor> PolicyUpdate::reference_logprobs(const std::vector<MicroBatch>& batches) {
  adapter_.disable();
  std::vector<torch::Tensor> result = logprobs_without_gradient(batches);
  adapter_.enable();
  return result;
}

/// REINFORCE++ needs every token's divergence before the first gradient: one more forward pass when there is a penalty.
std::vector<torch::Tensor> PolicyUpdate::token_advantages(const std::vector<MicroBatch>& batches,
                                                          std::span<const LearningRow> rows,
                                                          const std::vector<torch::Tensor>& references) {
  std::vector<double> rewards(rows.size());
  std::vector<int64_t> lengths(rows.size());
  std::vector<std::vector<double>> divergences(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    rewards[i] = rows[i].advantage;
    lengths[i] = static_cast<int64_t>(rows[i].completion_ids.size());
  }
  if (train_.beta > 0) {
    const std::vector<torch::Tensor> policy = logprobs_without_gradient(batches);
    for (size_t i = 0; i < batches.size(); ++i) {
      const torch::Tensor difference_N = (policy[i] - references[i]).to(torch::kCPU, torch::kFloat64).contiguous();
      const double* values = difference_N.const_data_ptr<double>();
      for (size_t b = 0; b < batches[i].rows.size(); ++b) {
        divergences[batches[i].rows[b]].assign(values, values + batches[i].lengths[b]);
        values += batches[i].lengths[b];
      }
    }
  }
  const auto advantages = reinforce_plus_advantages(rewards, divergences, lengths, train_.beta);
  std::vector<torch::Tensor> result;
  for (const MicroBatch& batch : batches) {
    std::vector<double> flat;
    for (const size_t row : batch.rows) flat.insert(flat.end(), advantages[row].begin(), advantages[row].end());
    result.push_back(torch::tensor(flat, torch::kFloat64).to(decoder_.device()));
  }
  return result;
}

bool PolicyUpdate::begin_update(std::span<const LearningRow> rows) {
  metrics_ = {};
  gradients_.clear();
  if (!rows.empty()) return false;
  for (const auto& [name, value] : adapter_.parameters()) gradients_.emplace(name, torch::zeros_like(value));
  return true;
}

std::vector<MicroBatch> PolicyUpdate::micro_batches(std::span<const LearningRow> rows) const {
  std::vector<SequenceRow> sequences;
  for (const LearningRow& row : rows) sequences.push_back({row.prompt_ids, row.completion_ids});
  return make_micro_batches(sequences, micro_batch_, decoder_.device());
}

void PolicyUpdate::add_entropy(const torch::Tensor& hidden_ND) {
  metrics_.entropy_sum +=
      token_entropies(hidden_ND.detach(), decoder_.head_VD(), temperature_).sum(torch::kFloat64).item<double>();
}

void PolicyUpdate::accumulate_gradients(std::span<const LearningRow> rows) {
  if (begin_update(rows)) return;
  std::vector<double> advantages, weights;
  for (const LearningRow& row : rows) {
    advantages.push_back(row.advantage);
    weights.push_back(row.weight);
  }
  const std::vector<MicroBatch> batches = micro_batches(rows);
  std::vector<torch::Tensor> references(batches.size()), by_token;
  if (train_.beta > 0) references = reference_logprobs(batches);
  if (loss_kind_ == LossKind::kReinforcePlus) by_token = token_advantages(batches, rows, references);
  adapter_.begin_gradients();
  for (size_t i = 0; i < batches.size(); ++i) {
    if (between_units_) between_units_();
    const torch::Tensor hidden_ND = predictor_states(decoder_, batches[i]);
    const torch::Tensor logprob_N = logprobs(hidden_ND, batches[i]);
    const torch::Tensor advantage_N = by_token.empty() ? batches[i].spread(advantages) : by_token[i];
    const PolicyLoss loss = policy_loss({.logprob_N = logprob_N,
                                         .old_logprob_N = logprob_N.detach(),
                                         .reference_logprob_N = references[i],
                                         .advantage_N = advantage_N.to(logprob_N.scalar_type()),
                                         .weight_N = batches[i].spread(weights).to(logprob_N.scalar_type()),
                                         .lengths = batches[i].lengths},
                                        loss_options_);
    metrics_.loss += loss.sums;
    add_entropy(hidden_ND);
    compare_with_sampler(batches[i], logprob_N.detach(), rows);
    loss.loss.backward();
  }
  gradients_ = adapter_.take_gradients();
}

void PolicyUpdate::accumulate_supervised(std::span<const LearningRow> rows) {
  if (begin_update(rows)) return;
  std::vector<double> weights;
  for (const LearningRow& row : rows) weights.push_back(row.weight);
  adapter_.begin_gradients();
  for (const MicroBatch& batch : micro_batches(rows)) {
    if (between_units_) between_units_();
    const torch::Tensor hidden_ND = predictor_states(decoder_, batch);
    const torch::Tensor logprob_N = logprobs(hidden_ND, batch);
    const torch::Tensor loss = -(batch.spread(weights).to(logprob_N.scalar_type()) * logprob_N).sum();
    metrics_.loss.loss += loss.item<double>();
    metrics_.loss.num_tokens += logprob_N.numel();
    add_entropy(hidden_ND);
    loss.backward();
  }
  gradients_ = adapter_.take_gradients();
}

TensorMap PolicyUpdate::contrast_gradient(std::span<const LearningRow> first, std::span<const LearningRow> second) {
  std::vector<LearningRow> rows;
  std::vector<double> weights;
  for (const auto& [side, sign] : {std::pair{first, 1.0}, std::pair{second, -1.0}}) {
    for (const LearningRow& row : side) {
      rows.push_back(row);
      weights.push_back(sign / static_cast<double>(side.size() * row.completion_ids.size()));
    }
  }
  adapter_.begin_gradients();
  for (const MicroBatch& batch : micro_batches(rows)) {
    if (between_units_) between_units_();
    const torch::Tensor logprob_N = logprobs(predictor_states(decoder_, batch), batch);
    (-(batch.spread(weights).to(logprob_N.scalar_type()) * logprob_N).sum()).backward();
  }
  return adapter_.take_gradients();
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
    const TensorMap old = adapter_.parameters();
    for (const auto& [name, proposed] : optimizer_.propose(old, gradients_, metrics_.lr)) {
      adapter_.set_parameter(name, transform_.update(name, old.at(name), proposed));
    }
    metrics_.transform = transform_.metrics();
  }
  put_weights(version + 1);
  const bool merges_exactly = decoder_.dtype() == torch::kFloat32 || decoder_.dtype() == torch::kFloat64;
  if (!merges_exactly) metrics_.residual = adapter_.merge_residual();
}

}  // namespace plumbline
