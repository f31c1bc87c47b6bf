/// A case of ../shared/golden/models or of tests/golden/models: the folder, its expected tensors, its tolerances.
#pragma once

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "plumbline/base/file_system.h"
#include "plumbline/model/decoder.h"
#include "plumbline/tensor/raw_tensor.h"
#include "tests/support/shared_files.h"
#include "tests/support/test_device.h"

namespace plumbline::test {

/// The cases of ../shared and those of tests/golden/models.
inline std::vector<std::string> golden_cases() {
  return {"llama-gqa",    "llama-rope-llama3", "llama-tied", "llama-bf16",  "qwen2",           "qwen2-sharded",
          "qwen3",        "qwen3-moe",         "olmoe-norm", "olmoe-plain", "llama-linear",    "mistral-window",
          "qwen2-window", "qwen2-yarn",        "smollm3",    "phi3",        "qwen3-moe-sparse"};
}

inline bool is_own_case(const std::string& case_name) {
  return std::filesystem::exists(source_path("tests/golden/models/" + case_name));
}

/// Skips the test when the case lies in ../shared and that is not there.
#define PL_NEED_GOLDEN_MODEL(name) \
  if (!::plumbline::test::is_own_case(name)) PL_NEED_SHARED(std::string("golden/models/") + (name))

/// Compares and remembers the largest share of the tolerance that was used; prints it per kind when destroyed.
class Budget {
 public:
  explicit Budget(std::string name) : name_(std::move(name)) {}
  ~Budget() {
    for (const auto& [kind, share] : used_)
      std::printf("    %s %s: %.0f%% of the tolerance\n", name_.c_str(), kind.c_str(), 100 * share);
  }
  void expect(const std::string& kind, const torch::Tensor& got, const torch::Tensor& reference, double tolerance) {
    ASSERT_EQ(got.sizes(), reference.sizes()) << name_ << " " << kind;
    const double difference =
        (got.detach().cpu().to(torch::kFloat64) - reference.cpu().to(torch::kFloat64)).abs().max().item<double>();
    EXPECT_LE(difference, tolerance) << name_ << " " << kind;
    used_[kind] = std::max(used_[kind], difference / tolerance);
  }

 private:
  std::string name_;
  std::map<std::string, double> used_;
};

class GoldenModel {
 public:
  explicit GoldenModel(const std::string& case_name)
      : name(case_name),
        folder(is_own_case(case_name) ? source_path("tests/golden/models/" + case_name)
                                      : shared_path("golden/models/" + case_name)),
        tensors(on_test_device(read_tensors(folder + "/golden.safetensors"))) {
    at::set_num_threads(1);  // on tensors this small, threads only wait for each other
  }

  torch::Tensor row(int64_t i, const std::string& what) const {
    return tensors.at("row." + std::to_string(i) + "." + what);
  }
  static constexpr int64_t kNumRows = 3;
  int64_t num_router_layers() const {
    int64_t count = 0;
    for (const auto& [key, tensor] : tensors) count += key.rfind("row.0.router.", 0) == 0 ? 1 : 0;
    return count;
  }

  const std::string name, folder;
  const TensorMap tensors;

 private:
  static TensorMap on_test_device(TensorMap tensors) {
    for (auto& [name, tensor] : tensors) tensor = tensor.to(test_device());
    return tensors;
  }
};

inline torch::Tensor arange_positions(int64_t num_rows, int64_t num_tokens, torch::Device device) {
  return at::arange(num_tokens, torch::kInt64).to(device).expand({num_rows, num_tokens});
}

inline ForwardBatch plain_batch(const torch::Tensor& ids_BT) {
  ForwardBatch batch;
  batch.ids_BT = ids_BT;
  batch.positions_BT = arange_positions(ids_BT.size(0), ids_BT.size(1), ids_BT.device());
  return batch;
}

inline std::vector<LayerCache> empty_cache(const Decoder& decoder, int64_t num_rows, int64_t num_tokens) {
  const DecoderConfig& config = decoder.config();
  std::vector<LayerCache> cache;
  for (int64_t i = 0; i < config.num_layers; ++i) {
    const auto make = [&] {
      return torch::zeros({num_rows, config.num_kv_heads, num_tokens, config.head_size},
                          torch::TensorOptions().dtype(decoder.dtype()).device(decoder.device()));
    };
    cache.push_back({make(), make()});
  }
  return cache;
}

}  // namespace plumbline::test
