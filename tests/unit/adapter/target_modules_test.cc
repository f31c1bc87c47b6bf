#include "plumbline/adapter/target_modules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

using Names = std::vector<std::string>;

Names two_layers() {
  Names names;
  for (const char* layer : {"model.layers.0", "model.layers.1"}) {
    for (const char* part : {"self_attn.q_proj", "self_attn.k_proj", "mlp.gate_proj", "mlp.router"}) {
      names.push_back(std::string(layer) + "." + part);
    }
  }
  return names;
}

TEST(TargetModules, SetsLastPartsWholeNamesAndPatterns) {
  EXPECT_EQ(match_target_modules(two_layers(), {"all-linear"}), two_layers());
  EXPECT_EQ(match_target_modules(two_layers(), {"attn-mlp"}).size(), 6u);
  EXPECT_EQ(match_target_modules(two_layers(), {"q_proj"}),
            (Names{"model.layers.0.self_attn.q_proj", "model.layers.1.self_attn.q_proj"}));
  EXPECT_EQ(match_target_modules(two_layers(), {"model.layers.1.mlp.router"}), Names{"model.layers.1.mlp.router"});
  EXPECT_EQ(match_target_modules(two_layers(), {"model.layers.1.*", "*.0.mlp.*"}).size(), 6u);
}

TEST(TargetModules, OverlappingPatternsChooseAModuleOnceAndInOrder) {
  const Names chosen = match_target_modules(two_layers(), {"*", "q_proj", "attn-mlp"});
  EXPECT_EQ(chosen, two_layers());
}

void expect_refused(const Names& patterns, const std::string& part) {
  try {
    match_target_modules(two_layers(), patterns);
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.id(), "config.target_modules");
    EXPECT_THAT(error.line(), testing::HasSubstr(part));
    EXPECT_THAT(error.line(), testing::HasSubstr("gate_proj 2"));
  }
}

TEST(TargetModules, PatternWithoutAMatchIsRefusedWithWhatThereIs) {
  expect_refused({"q_proj", "v_porj"}, "'v_porj' matches no module");
  expect_refused({}, "empty");
}

TEST(TargetModules, SetReadLetterByLetterIsRefused) {
  expect_refused({"a", "l", "l", "-", "l", "i", "n", "e", "a", "r"}, "letter by letter");
  expect_refused({"q"}, "letter by letter");
}

Names mixture() {
  Names names = {"model.layers.0.self_attn.q_proj", "model.layers.0.mlp.gate"};
  for (const char* expert : {"0", "1", "2"}) {
    for (const char* part : {"gate_proj", "up_proj", "down_proj"}) {
      names.push_back(std::string("model.layers.0.mlp.experts.") + expert + "." + part);
    }
  }
  return names;
}

TEST(TargetModules, EveryExpertIsAModuleOfItsOwn) {
  EXPECT_EQ(match_target_modules(mixture(), {"attn-mlp"}).size(), 10u);  // the router is no part of it
  EXPECT_EQ(match_target_modules(mixture(), {"all-linear"}).size(), 11u);
  EXPECT_EQ(match_target_modules(mixture(), {"*.experts.1.*"}).size(), 3u);
  EXPECT_EQ(describe_modules(mixture()),
            "11 modules: experts.down_proj 3, experts.gate_proj 3, experts.up_proj 3, gate 1, q_proj 1");
}

TEST(TargetModules, FrozenExpertsStopARunUnlessTheyAreMeant) {
  const Names chosen = match_target_modules(mixture(), {"q_proj"});
  try {
    require_adapted_experts(mixture(), chosen, false);
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.id(), "config.frozen_experts");
    EXPECT_THAT(error.line(), testing::HasSubstr("experts.gate_proj 3"));
  }
  EXPECT_NO_THROW(require_adapted_experts(mixture(), chosen, true));
  EXPECT_NO_THROW(require_adapted_experts(mixture(), match_target_modules(mixture(), {"*.experts.1.*"}), false));
  EXPECT_NO_THROW(require_adapted_experts(two_layers(), match_target_modules(two_layers(), {"q_proj"}), false));
}

TEST(TargetModules, CountsArePerKind) {
  EXPECT_EQ(describe_modules(two_layers()), "8 modules: gate_proj 2, k_proj 2, q_proj 2, router 2");
}

}  // namespace
}  // namespace plumbline
