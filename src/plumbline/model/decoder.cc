#include "plumbline/model/decoder.h"

#include "plumbline/base/check.h"
#include "plumbline/model/attention.h"
#include "plumbline/model/rms_norm.h"
#include "plumbline/model/rope.h"
#include "plumbline/model/token_logprob.h"

namespace plumbline {

Decoder::Decoder(DecoderConfig config, torch::Tensor embedding_VD, std::vector<DecoderLayer> layers,
                 torch::Tensor norm_D, torch::Tensor head_VD, std::string weight_hash)
    : config_(std::move(config)),
      embedding_VD_(std::move(embedding_VD)),
      layers_(std::move(layers)),
      norm_D_(std::move(norm_D)),
      head_VD_(std::move(head_VD)),
      weight_hash_(std::move(weight_hash)),
      inverse_frequencies_(
          rope_inverse_frequencies(config_.rope, config_.head_size, wide_type(embedding_VD_.scalar_type()))
              .to(embedding_VD_.device())) {
  PL_CHECK(static_cast<int64_t>(layers_.size()) == config_.num_layers, "number of layers");
  const auto fits = [&](const torch::Tensor& tensor) {
    return !tensor.defined() || (tensor.scalar_type() == dtype() && tensor.device() == device());
  };
  for (DecoderLayer& layer : layers_) {
    for (const torch::Tensor& norm : {layer.input_norm_D, layer.mlp_norm_D, layer.q_norm, layer.k_norm}) {
      PL_CHECK(fits(norm), "dtype and device of a norm");
    }
  }
  for (Linear* linear : linears()) {
    PL_CHECK(fits(linear->base_OI) && fits(linear->bias_O), "dtype and device of " + linear->name);
    if (!linear->weight_OI.defined()) linear->weight_OI = linear->base_OI;
  }
  PL_CHECK(fits(norm_D_) && fits(head_VD_), "dtype and device of the head");
}

torch::Tensor Decoder::feed_forward(int64_t index, const ForwardBatch& batch, const torch::Tensor& x_BTD) const {
  const DecoderLayer& layer = layers_[static_cast<size_t>(index)];
  const torch::Tensor normed = rms_norm(x_BTD, layer.mlp_norm_D, config_.rms_norm_eps);
  const Moe* mixture = layer.moe();
  if (!mixture) return layer.mlp().forward(normed);
  torch::Tensor router_logits;
  const torch::Tensor y_ND = mixture->forward(normed.flatten(0, 1), &router_logits);
  if (batch.observe_router) batch.observe_router(index, router_logits);
  return y_ND.view_as(x_BTD);
}

torch::Tensor Decoder::hidden(const ForwardBatch& batch) const {
  const AttentionPlan plan = plan_attention(config_, batch, inverse_frequencies_, dtype());
  torch::Tensor x_BTD = at::embedding(embedding_VD_, batch.ids_BT);
  for (int64_t index = 0; index < config_.num_layers; ++index) {
    if (batch.observe) batch.observe(index, x_BTD);
    x_BTD = x_BTD + attention(layers_[static_cast<size_t>(index)], plan, index, x_BTD);
    x_BTD = x_BTD + feed_forward(index, batch, x_BTD);
    if (residual_edit_ && residual_edit_->layer == index + 1) x_BTD = residual_edit_->edit(x_BTD);
  }
  if (batch.observe) batch.observe(config_.num_layers, x_BTD);
  return rms_norm(x_BTD, norm_D_, config_.rms_norm_eps);
}

void Decoder::set_residual_edit(std::optional<ResidualEdit> edit) {
  PL_CHECK(!edit || (edit->layer >= 1 && edit->layer <= config_.num_layers), "a layer to edit after");
  residual_edit_ = std::move(edit);
}

torch::Tensor Decoder::logits(const torch::Tensor& hidden) const {
  std::vector<int64_t> shape = hidden.sizes().vec();
  shape.back() = config_.vocab_size;
  return head_logits(hidden.reshape({-1, hidden.size(-1)}), head_VD_).view(shape);
}

std::vector<Linear*> Decoder::linears() {
  std::vector<Linear*> all;
  for (DecoderLayer& layer : layers_) {
    for (Linear* linear : layer.linears()) all.push_back(linear);
  }
  return all;
}

}  // namespace plumbline
