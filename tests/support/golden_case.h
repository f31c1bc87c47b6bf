/// One folder of golden/method: stored inputs, wanted outputs, and the tolerance of every output by name.
/// A case prints which share of its tolerance was used, so that a slow drift shows before a test fails.
/// Header-only because it needs LibTorch and the support library does not.
#pragma once

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "plumbline/files/safetensors.h"
#include "tests/support/shared_files.h"

namespace plumbline::test {

/// A tensor of a mapped file, copied.
inline torch::Tensor golden_tensor(const RawTensor& raw) {
  static const std::map<std::string, torch::ScalarType> dtypes = {{"F32", torch::kFloat32},   {"F64", torch::kFloat64},
                                                                  {"BF16", torch::kBFloat16}, {"I64", torch::kInt64},
                                                                  {"U8", torch::kUInt8},      {"I32", torch::kInt32}};
  const auto options = torch::TensorOptions().dtype(dtypes.at(raw.dtype));
  return torch::from_blob(const_cast<char*>(raw.bytes.data()), raw.shape, options).clone();
}

class GoldenCase {
 public:
  /// `name` is a folder of golden/method ("02_logprob"); `kind` the tolerance column: float32, float64,
  /// float32_own_svd.
  explicit GoldenCase(const std::string& name, std::string kind = "float32")
      : folder_(shared_path("golden/method/" + name)),
        name_(name),
        kind_(std::move(kind)),
        case_(parse_json(read_file(folder_ + "/case.json"), name)),
        file_(folder_ + "/tensors.safetensors") {}
  ~GoldenCase() {
    std::printf("[ budget   ] %s, %s: %d tensors, largest share of the tolerance %.1f%% at %s\n", name_.c_str(),
                kind_.c_str(), num_compared_, 100 * worst_share_, worst_name_.c_str());
  }
  GoldenCase(const GoldenCase&) = delete;
  GoldenCase& operator=(const GoldenCase&) = delete;

  const std::string& folder() const { return folder_; }
  const Json& params() const { return case_.at("params"); }
  std::vector<std::string> modules() const { return params().at("modules").get<std::vector<std::string>>(); }
  bool has(const std::string& name) const { return file_.find(name) != nullptr; }
  /// A stored tensor by its full name ("in.g.plain_a"), as stored.
  torch::Tensor tensor(const std::string& name) const {
    const RawTensor* raw = file_.find(name);
    if (!raw) throw std::runtime_error(name_ + " has no tensor " + name);
    return golden_tensor(*raw);
  }
  /// The dtype that this kind of tolerance is about.
  torch::ScalarType dtype() const { return kind_ == "float64" ? torch::kFloat64 : torch::kFloat32; }
  /// A float input in that dtype.
  torch::Tensor input(const std::string& name) const { return tensor("in." + name).to(dtype()); }

  /// |got - want| <= atol + rtol |want| for "out." + name, or equality where the case says exact.
  void expect(const std::string& name, const torch::Tensor& got) {
    const std::string full = "out." + name;
    const torch::Tensor want = tensor(full).to(torch::kFloat64);
    const torch::Tensor have = got.detach().cpu().to(torch::kFloat64);
    ASSERT_EQ(have.numel(), want.numel()) << full;
    ASSERT_TRUE(have.isfinite().all().item<bool>()) << full << " is not finite";
    const torch::Tensor error = (have.reshape(want.sizes()) - want).abs();
    const Json& family = family_of(full);
    ++num_compared_;
    if (family.value("exact", false)) {
      EXPECT_EQ(error.max().item<double>(), 0.0) << full;
      return;
    }
    const Json& tolerance = family.at(kind_);
    const torch::Tensor limit = tolerance.at("atol").get<double>() + tolerance.at("rtol").get<double>() * want.abs();
    const double share = (error / limit).max().item<double>();
    if (share >= worst_share_) worst_share_ = share, worst_name_ = full;
    EXPECT_LE(share, 1.0) << full << ": largest error " << error.max().item<double>();
  }
  void expect(const std::string& name, double got) { expect(name, torch::tensor({got}, torch::kFloat64)); }

 private:
  /// The entry of "outputs" whose pattern ("out.<arm>.delta.<module>") fits, the most literal one first.
  const Json& family_of(const std::string& name) const {
    const Json* best = nullptr;
    size_t best_literals = 0;
    for (const auto& [pattern, family] : case_.at("outputs").items()) {
      const std::string escaped = std::regex_replace(pattern, std::regex(R"(\.)"), R"(\.)");
      const std::string literals = std::regex_replace(pattern, std::regex("<[^>]*>"), "");
      const std::regex matcher(std::regex_replace(escaped, std::regex("<[^>]*>"), "(.+)"));
      if (std::regex_match(name, matcher) && (!best || literals.size() > best_literals)) {
        best = &family, best_literals = literals.size();
      }
    }
    if (!best) throw std::runtime_error(name_ + " has no tolerance for " + name);
    return *best;
  }

  const std::string folder_, name_, kind_;
  const Json case_;
  const SafetensorsFile file_;
  double worst_share_ = 0;
  std::string worst_name_ = "-";
  int num_compared_ = 0;
};

}  // namespace plumbline::test
