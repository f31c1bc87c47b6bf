#include "plumbline/adapter/lora_adapter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "plumbline/adapter/svd_adapter.h"
#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "plumbline/base/rng.h"
#include "plumbline/tensor/raw_tensor.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_decoder.h"

namespace plumbline {
namespace {

using test::tiny_decoder;
using test::tiny_ids;
using test::tiny_logits;
using torch::Tensor;

constexpr LoraShape kShape{3, 6.0};
const std::vector<std::string> kTargets = {"attn-mlp"};

/// Every parameter moved to something that is neither 0 nor symmetric.
void move(LoraAdapter& adapter) {
  for (const auto& [name, value] : adapter.parameters()) {
    const Tensor steps = torch::arange(value.numel(), torch::kFloat64).view_as(value);
    adapter.set_parameter(name, value.to(torch::kFloat64) + 0.1 * torch::cos(1.7 * steps + 0.3));
  }
  adapter.merge(0, 1);
}

double loss_of(const Decoder& decoder) {
  const torch::NoGradGuard no_grad;
  const Tensor logits = tiny_logits(decoder, tiny_ids(2, 6));
  return (torch::log_softmax(logits, -1) * torch::sin(torch::arange(logits.numel(), logits.options()).view_as(logits)))
      .sum()
      .item<double>();
}

std::map<std::string, Tensor> gradients_of(LoraAdapter& adapter) {
  adapter.begin_gradients();
  const Tensor logits = tiny_logits(adapter.decoder(), tiny_ids(2, 6));
  (torch::log_softmax(logits, -1) * torch::sin(torch::arange(logits.numel(), logits.options()).view_as(logits)))
      .sum()
      .backward();
  return adapter.take_gradients();
}

TEST(LoraAdapter, StartsAsExactlyTheBaseModelInEveryDtype) {
  for (const auto dtype : {torch::kFloat32, torch::kBFloat16}) {
    for (const auto rounding : {MergeRounding::kStochastic, MergeRounding::kNearest, MergeRounding::kUnmerged}) {
      const auto decoder = tiny_decoder(dtype);
      const Tensor base = tiny_logits(*decoder, tiny_ids(2, 6));
      const LoraAdapter adapter(*decoder, kTargets, kShape, rounding, 7);
      EXPECT_TRUE(torch::equal(tiny_logits(*decoder, tiny_ids(2, 6)), base));
      EXPECT_EQ(adapter.merge_residual(), 0);
      EXPECT_EQ(adapter.num_modules(), 14);
      EXPECT_EQ(adapter.num_parameters(), 2 * 3 * (2 * (16 + 32) + 2 * (16 + 16) + 3 * (16 + 24)));
    }
  }
}

TEST(LoraAdapter, InitialAIsUniformWithPeftsBoundAndDrawnByModuleAndSeed) {
  const auto decoder = tiny_decoder(torch::kFloat32);
  LoraAdapter adapter(*decoder, {"all-linear"}, {64, 64}, MergeRounding::kNearest, 7);
  const auto first = adapter.parameters();
  double sum = 0, squares = 0, largest = 0;
  int64_t count = 0;
  for (const auto& [name, value] : first) {
    if (name.ends_with(".lora_B")) {
      EXPECT_EQ(value.abs().max().item<float>(), 0.0f) << name;
      continue;
    }
    const Tensor scaled = value.to(torch::kFloat64) * std::sqrt(static_cast<double>(value.size(1)));
    sum += scaled.sum().item<double>();
    squares += scaled.square().sum().item<double>();
    largest = std::max(largest, scaled.abs().max().item<double>());
    count += scaled.numel();
  }
  EXPECT_LE(largest, 1.0);
  EXPECT_GT(largest, 0.999);
  EXPECT_NEAR(sum / static_cast<double>(count), 0, 4 * std::sqrt(1.0 / 3 / static_cast<double>(count)));
  EXPECT_NEAR(squares / static_cast<double>(count), 1.0 / 3, 0.01);  // variance of a uniform number in +-1
  adapter.reset(7);
  for (const auto& [name, value] : adapter.parameters()) EXPECT_TRUE(torch::equal(value, first.at(name)));
  adapter.reset(8);
  EXPECT_FALSE(torch::equal(adapter.parameters().begin()->second, first.begin()->second));
}

TEST(LoraAdapter, GradientsAgreeWithFiniteDifferences) {
  for (const auto rounding : {MergeRounding::kNearest, MergeRounding::kUnmerged}) {
    const auto decoder = tiny_decoder(torch::kFloat64);
    LoraAdapter adapter(*decoder, kTargets, kShape, rounding, 7);
    move(adapter);
    const auto gradients = gradients_of(adapter);
    ASSERT_EQ(gradients.size(), 28u);
    const double h = 1e-6;
    for (const auto& [name, value] : adapter.parameters()) {
      const Tensor at = value.clone();
      const int64_t place = at.numel() / 2;
      double sides[2];
      for (const int side : {0, 1}) {
        Tensor moved = at.clone();
        moved.view(-1)[place] += side ? h : -h;
        adapter.set_parameter(name, moved);
        adapter.merge(0, 1);
        sides[side] = loss_of(*decoder);
      }
      adapter.set_parameter(name, at);
      const double want = (sides[1] - sides[0]) / (2 * h);
      EXPECT_NEAR(gradients.at(name).view(-1)[place].item<double>(), want, 1e-6 * (1 + std::abs(want))) << name;
    }
  }
}

TEST(LoraAdapter, MergedIsTheUnmergedPath) {
  const auto one = tiny_decoder(torch::kFloat64), other = tiny_decoder(torch::kFloat64);
  LoraAdapter merged(*one, kTargets, kShape, MergeRounding::kNearest, 7);
  LoraAdapter unmerged(*other, kTargets, kShape, MergeRounding::kUnmerged, 7);
  move(merged);
  move(unmerged);
  const Tensor difference = tiny_logits(*one, tiny_ids(2, 6)) - tiny_logits(*other, tiny_ids(2, 6));
  EXPECT_LT(difference.abs().max().item<double>(), 1e-11);
  const auto want = gradients_of(unmerged);
  for (const auto& [name, value] : gradients_of(merged)) {
    EXPECT_LT((value - want.at(name)).norm().item<double>(), 1e-10 * (1 + want.at(name).norm().item<double>())) << name;
  }
}

TEST(LoraAdapter, MergeIsTheDefinition) {
  const auto decoder = tiny_decoder(torch::kFloat64);
  LoraAdapter adapter(*decoder, {"q_proj"}, kShape, MergeRounding::kNearest, 7);
  move(adapter);
  const Linear& linear = *decoder->linears()[0];
  const auto parameters = adapter.parameters();
  const Tensor want =
      linear.base_OI + 2.0 * parameters.at(linear.name + ".lora_B").mm(parameters.at(linear.name + ".lora_A"));
  EXPECT_LT((linear.weight_OI - want).abs().max().item<double>(), 1e-14);
  adapter.disable();
  EXPECT_TRUE(torch::equal(linear.weight_OI, linear.base_OI));
}

TEST(LoraAdapter, FilesArePeftsAndComeBackBitForBit) {
  const test::TemporaryFolder folder;
  const auto decoder = tiny_decoder(torch::kFloat32), again = tiny_decoder(torch::kFloat32);
  LoraAdapter adapter(*decoder, kTargets, kShape, MergeRounding::kStochastic, 7);
  move(adapter);
  adapter.save(folder.path());
  const Json config = parse_json(read_file(folder.file("adapter/adapter_config.json")), "config");
  EXPECT_EQ(config.at("peft_type"), "LORA");
  EXPECT_EQ(config.at("r"), 3);
  EXPECT_EQ(config.at("lora_alpha"), 6.0);
  EXPECT_EQ(config.at("target_modules").size(), 14u);
  const auto tensors = read_tensors(folder.file("adapter/adapter_model.safetensors"));
  EXPECT_TRUE(tensors.contains("base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight"));
  EXPECT_TRUE(tensors.contains("base_model.model.model.layers.1.mlp.down_proj.lora_B.weight"));
  EXPECT_EQ(tensors.size(), 28u);

  LoraAdapter loaded(*again, kTargets, kShape, MergeRounding::kStochastic, 99);
  loaded.load(folder.path());
  loaded.merge(0, 1);
  EXPECT_EQ(loaded.weight_hash(), adapter.weight_hash());
  const auto want = adapter.parameters();
  for (const auto& [name, value] : loaded.parameters()) EXPECT_TRUE(torch::equal(value, want.at(name))) << name;
}

TEST(LoraAdapter, WhatPeftsConfigurationAsksForBeyondPlainLoraIsRefusedByName) {
  const test::TemporaryFolder folder;
  const auto decoder = tiny_decoder(torch::kFloat32);
  LoraAdapter adapter(*decoder, kTargets, kShape, MergeRounding::kNearest, 7);
  adapter.save(folder.path());
  const std::string path = folder.file("adapter/adapter_config.json");
  const Json plain = parse_json(read_file(path), path);
  EXPECT_NO_THROW(adapter.load(folder.path()));
  for (const Json& changed : std::vector<Json>{{{"lora_dropout", 0.1}}, {{"use_dora", true}}, {{"use_rslora", true}}}) {
    Json config = plain;
    config.update(changed);
    write_file(path, config.dump());
    try {
      adapter.load(folder.path());
      ADD_FAILURE() << changed;
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find(changed.begin().key()), std::string::npos) << error.what();
    }
  }
}

TEST(LoraAdapter, AnotherAdaptersFilesAreRefused) {
  const test::TemporaryFolder lora_folder, svd_folder;
  const auto decoder = tiny_decoder(torch::kFloat32);
  LoraAdapter(*decoder, kTargets, kShape, MergeRounding::kNearest, 7).save(lora_folder.path());
  const auto refused = [&](Adapter& adapter, const std::string& folder, const std::string& field) {
    try {
      adapter.load(folder);
      ADD_FAILURE() << field;
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find(field), std::string::npos) << error.what();
    }
  };
  {
    LoraAdapter other(*decoder, kTargets, {4, 6.0}, MergeRounding::kNearest, 7);
    refused(other, lora_folder.path(), "rank");
  }
  {
    LoraAdapter other(*decoder, kTargets, {3, 7.0}, MergeRounding::kNearest, 7);
    refused(other, lora_folder.path(), "alpha");
  }
  {
    LoraAdapter other(*decoder, {"q_proj"}, kShape, MergeRounding::kNearest, 7);
    refused(other, lora_folder.path(), "target_modules");
  }
  {
    SvdAdapter svd(*decoder, kTargets, MergeRounding::kNearest, false);
    refused(svd, lora_folder.path(), "kind");
    svd.save(svd_folder.path());
  }
  LoraAdapter lora(*decoder, kTargets, kShape, MergeRounding::kNearest, 7);
  refused(lora, svd_folder.path(), "kind");
  const auto another_base = tiny_decoder(torch::kFloat32, 2);
  LoraAdapter other(*another_base, kTargets, kShape, MergeRounding::kNearest, 7);
  refused(other, lora_folder.path(), "base_weight_hash");
}

TEST(LoraAdapter, ShapesThatMeanNothingAreRefused) {
  const auto decoder = tiny_decoder(torch::kFloat32);
  EXPECT_THROW(LoraAdapter(*decoder, kTargets, {0, 1.0}, MergeRounding::kNearest, 7), ConfigError);
  EXPECT_THROW(LoraAdapter(*decoder, kTargets, {4, 0.0}, MergeRounding::kNearest, 7), ConfigError);
  EXPECT_THROW(LoraAdapter(*decoder, {"no_such"}, kShape, MergeRounding::kNearest, 7), ConfigError);
}

}  // namespace
}  // namespace plumbline
