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

void KvCache::put_prefix(const std::vector<int64_t>& rows, const KvCache& prefix, int64_t num_tokens) {
  PL_CHECK(num_tokens <= num_tokens_ && num_tokens <= prefix.num_tokens_, "length of a prefix");
  const torch::Tensor index = torch::tensor(rows).to(layers_.at(0).k_BHTK.device());
  const auto put = [&](torch::Tensor& to_BHTK, const torch::Tensor& from_1HTK) {
    const torch::Tensor part_1HTK = from_1HTK.narrow(2, 0, num_tokens);
    const auto num_rows = static_cast<int64_t>(rows.size());
    to_BHTK.narrow(2, 0, num_tokens).index_copy_(0, index, part_1HTK.expand({num_rows, -1, -1, -1}));
  };
  for (size_t i = 0; i < layers_.size(); ++i) {
    put(layers_[i].k_BHTK, prefix.layers_[i].k_BHTK);
    put(layers_[i].v_BHTK, prefix.layers_[i].v_BHTK);
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
