/// ModelCheckpoint to Decoder, one tensor at a time from the mapped files.
#include "plumbline/model/checkpoint.h"
#include "plumbline/model/decoder.h"
#include "plumbline/tensor/raw_tensor.h"
#include "plumbline/tensor/weight_hash.h"

namespace plumbline {

std::unique_ptr<Decoder> load_decoder(const std::string& path, torch::ScalarType dtype, torch::Device device) {
  const torch::NoGradGuard no_grad;
  const ModelCheckpoint checkpoint = ModelCheckpoint::open(path);
  const DecoderConfig& config = checkpoint.config();
  DecoderParts parts;
  WeightHash hash;
  for (const auto& [name, slot] : decoder_slots(config, parts)) {  // in the order of names, as the hash wants them
    const StoredWeight& weight = checkpoint.files().weights().at(name);
    std::string storage;
    const RawTensor raw = WeightFiles::ordered(weight, &storage);
    hash.add(raw);
    *slot.target = tensor_from_raw(raw, dtype, device);
    WeightFiles::release(weight);
  }
  if (config.tied_head) parts.head_VD = parts.embedding_VD;
  return std::make_unique<Decoder>(config, std::move(parts.embedding_VD), std::move(parts.layers),
                                   std::move(parts.norm_D), std::move(parts.head_VD), hash.hex());
}

}  // namespace plumbline
