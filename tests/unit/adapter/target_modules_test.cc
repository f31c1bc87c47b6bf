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

TEST(TargetModules, CountsArePerKind) {
  EXPECT_EQ(describe_modules(two_layers()), "8 modules: gate_proj 2, k_proj 2, q_proj 2, router 2");
}

}  // namespace
}  // namespace plumbline
