#include "plumbline/rollout/kv_cache.h"

#include "plumbline/base/check.h"

namespace plumbline {

KvCache::KvCache(const Decoder& decoder, int64_t num_rows, int64_t num_tokens)
    : num_rows_(num_rows), num_tokens_(num_tokens) {
  const DecoderConfig& config = decoder.config();
  // Zeros rather than whatever memory holds: a masked position is multiplied by zero, and 0 x NaN is NaN.
  const auto make = [&] {
    return at::zeros({num_rows, config.num_kv_heads, num_tokens, config.head_size},
                     at::TensorOptions(decoder.dtype()).device(decoder.device()));
  };
  for (int64_t layer = 0; layer < config.num_layers; ++layer) layers_.push_back({make(), make()});
}

void KvCache::put_prefix(int64_t row, const KvCache& prefix, int64_t num_tokens) {
  PL_CHECK(row < num_rows_ && num_tokens <= num_tokens_ && num_tokens <= prefix.num_tokens_, "slot of a prefix");
  for (size_t i = 0; i < layers_.size(); ++i) {
    layers_[i].k_BHTK[row].narrow(1, 0, num_tokens).copy_(prefix.layers_[i].k_BHTK[0].narrow(1, 0, num_tokens));
    layers_[i].v_BHTK[row].narrow(1, 0, num_tokens).copy_(prefix.layers_[i].v_BHTK[0].narrow(1, 0, num_tokens));
  }
}

void KvCache::keep_rows(const std::vector<int64_t>& rows) {
  const torch::Tensor index = torch::tensor(rows).to(layers_.at(0).k_BHTK.device());
  for (LayerCache& layer : layers_) {
    layer.k_BHTK = layer.k_BHTK.index_select(0, index);
    layer.v_BHTK = layer.v_BHTK.index_select(0, index);
  }
  num_rows_ = static_cast<int64_t>(rows.size());
}

}  // namespace plumbline
