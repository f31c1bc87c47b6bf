#include "plumbline/preset/schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/preset/key_table.h"
#include "plumbline/preset/validation.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

/// Tests run outside the source tree; shipped presets are found through the tree of the executable.
class PresetSchema : public ::testing::Test {
 protected:
  /// A preset that is complete; `more` comes first, so its lines count from 1.
  std::string with_basics(const std::string& more) const {
    return more + "\n[model]\npath = \"m\"\n[data]\nproblems = \"p\"\n";
  }
  Preset load(const std::string& toml, const std::vector<std::string>& overrides = {}) const {
    return load_preset(folder_.write("p.toml", toml), overrides);
  }

  test::TemporaryFolder folder_;
};

/// One refusal: the id, the place after the file's name, and a word of the next step.
struct Refusal {
  const char* name;
  const char* toml;
  const char* id;
  const char* place;
  const char* next_step;
};

std::ostream& operator<<(std::ostream& out, const Refusal& refusal) {
  return out << refusal.name;
}

class PresetRefusal : public ::testing::TestWithParam<Refusal> {};

TEST_P(PresetRefusal, NamesIdPlaceAndNextStep) {
  const Refusal& refusal = GetParam();
  const test::TemporaryFolder folder;
  const std::string path = folder.write("p.toml", refusal.toml);
  try {
    load_preset(path);
    FAIL() << "was accepted";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.id(), refusal.id) << error.line();
    EXPECT_EQ(error.where(), path + refusal.place) << error.line();
    EXPECT_NE(error.next_step().find(refusal.next_step), std::string::npos) << error.line();
  }
}

// "[model]\npath=..." and "[data]\nproblems=..." for cases that need a complete preset; put behind the case itself.
#define BASICS "\n[model]\npath = 'm'\n[data]\nproblems = 'p'\n"

INSTANTIATE_TEST_SUITE_P(
    All, PresetRefusal,
    ::testing::Values(
        Refusal{"misspelt_key", "[train]\nsteps = 3\n  lerning = 1\nl = 2" BASICS, "config.unknown_key", ":3:3",
                "preset_keys"},
        Refusal{"near_key", "[train]\n\nwarmup_step = 1" BASICS, "config.unknown_key", ":3:1", "train.warmup_steps"},
        Refusal{"swapped_letters", "[train]\nbeat = 1" BASICS, "config.unknown_key", ":2:1", "train.beta"},
        Refusal{"key_of_another_table", "[rollout]\nsteps = 1" BASICS, "config.unknown_key", ":2:1", "train.steps"},
        Refusal{"key_outside_tables", "lr = 1e-3" BASICS, "config.unknown_key", ":1:1", "train.lr"},
        Refusal{"misspelt_table", "\n[trian]\nsteps = 1" BASICS, "config.unknown_key", ":2:2", "[train]"},
        Refusal{"nested_table", "[train.lr]\nx = 1" BASICS, "config.wrong_type", ":1:1", "number"},
        Refusal{"array_of_tables", "[[train]]\nsteps = 1" BASICS, "config.wrong_type", ":1:3", "[train]"},
        Refusal{"table_as_value", "train = 1" BASICS, "config.wrong_type", ":1:1", "[train]"},
        Refusal{"string_for_integer", "[train]\nsteps = '3'" BASICS, "config.wrong_type", ":2:9", "digits"},
        Refusal{"float_for_integer", "[train]\nsteps = 3.0" BASICS, "config.wrong_type", ":2:9", "digits"},
        Refusal{"string_for_number", "[train]\nlr = '1e-3'" BASICS, "config.wrong_type", ":2:6", "without quotes"},
        Refusal{"integer_for_string", "[data]\nsplit = 3\nproblems = 'p'\n[model]\npath = 'm'", "config.wrong_type",
                ":2:9", "quotes"},
        Refusal{"integer_for_boolean", "[probe]\nstop_at_gates = 1" BASICS, "config.wrong_type", ":2:17",
                "true or false"},
        Refusal{"string_for_list", "[adapter]\ntarget_modules = 'attn-mlp'" BASICS, "config.wrong_type", ":2:18",
                "[\"attn-mlp\"]"},
        Refusal{"mixed_list", "[probe]\nseeds = [0, '1']" BASICS, "config.wrong_type", ":2:9", "digits"},
        Refusal{"date_for_string", "[data]\nsplit = 2024-01-01\nproblems = 'p'\n[model]\npath = 'm'",
                "config.wrong_type", ":2:9", "quotes"},
        Refusal{"negative_seed", "[run]\nseed = -1" BASICS, "config.out_of_range", ":2:8", ">= 0"},
        Refusal{"group_of_one", "[rollout]\ngroup_size = 1" BASICS, "config.out_of_range", ":2:14", "[2, 1000000000]"},
        Refusal{"micro_batch_zero", "[run]\nmicro_batch = 0" BASICS, "config.out_of_range", ":2:15", "[1, 1000000000]"},
        Refusal{"greedy_training", "[rollout]\ntemperature = 0" BASICS, "config.out_of_range", ":2:15", ">= 0.01"},
        Refusal{"tiny_temperature", "[rollout]\ntemperature = 1e-39" BASICS, "config.out_of_range", ":2:15", ">= 0.01"},
        Refusal{"tiny_eval_temperature", "[eval]\ntemperature = 1e-9" BASICS, "config.out_of_range", ":2:15", "greedy"},
        Refusal{"nan_lr", "[train]\nlr = nan" BASICS, "config.out_of_range", ":2:6", ">= 0"},
        Refusal{"infinite_lr", "[train]\nlr = inf" BASICS, "config.out_of_range", ":2:6", ">= 0"},
        Refusal{"top_p_zero", "[rollout]\ntop_p = 0.0" BASICS, "config.out_of_range", ":2:9", "(0, 1]"},
        Refusal{"beta_one", "[train]\nbetas = [0.9, 1.0]" BASICS, "config.out_of_range", ":2:9", "[0, 1)"},
        Refusal{"three_betas", "[train]\nbetas = [0.9, 0.9, 0.9]" BASICS, "config.out_of_range", ":2:9", "exactly 2"},
        Refusal{"no_arms", "[probe]\narms = []" BASICS, "config.out_of_range", ":2:8", "at least one"},
        Refusal{"steps_zero", "[train]\nsteps = 0" BASICS, "config.out_of_range", ":2:9", "[1, 1000000000]"},
        Refusal{"huge_count", "[train]\nsteps = 9223372036854775807" BASICS, "config.out_of_range", ":2:9",
                "[1, 1000000000]"},
        Refusal{"unknown_word", "[rollout]\ntruncated = 'kep'" BASICS, "config.not_allowed", ":2:13", "\"keep\""},
        Refusal{"unknown_arm", "[run]\narm = 'vanila'" BASICS, "config.not_allowed", ":2:7", "\"vanilla\""},
        Refusal{"draw_without_number", "[run]\narm = 'haar.'" BASICS, "config.not_allowed", ":2:7", "haar"},
        Refusal{"draw_not_a_number", "[run]\narm = 'haar.x'" BASICS, "config.not_allowed", ":2:7", "haar"},
        Refusal{"unknown_device", "[run]\ndevice = 'cuda:'" BASICS, "config.not_allowed", ":2:10", "cuda:N"},
        Refusal{"unknown_flavor", "[steer]\nflavors = ['A', 'E']" BASICS, "config.not_allowed", ":2:11", "A, B, C, D"},
        Refusal{"tester_not_a_name", "[model]\npath = 'm'\n[data]\nproblems = 'p'\ntester_name = 'a b'",
                "config.not_allowed", ":5:15", "run_tests"},
        Refusal{"empty_target", "[adapter]\ntarget_modules = ['']" BASICS, "config.not_allowed", ":2:18", "attn-mlp"},
        Refusal{"lora_without_rank", "[adapter]\nkind = 'lora'\nalpha = 16.0" BASICS, "config.missing_key", ":2:8",
                "rank"},
        Refusal{"lora_with_direction",
                "[adapter]\nkind = 'lora'\nalpha = 16.0\nrank = 4\n[run]\narm = 'projected'" BASICS, "config.conflict",
                ":6:7", "svd"},
        Refusal{"two_monitors", "[run]\narm = 'penalty'\n[monitor]\nkind = 'rebound'" BASICS, "config.conflict", ":4:8",
                "another arm"},
        Refusal{"mix_without_pool", "[train]\nteacher_mix = 0.5" BASICS, "config.missing_key", ":2:15", "completions"},
        Refusal{"sft_without_completions", "[train]\nobjective = 'sft'\nbeta = 0.0" BASICS, "config.missing_key",
                ":2:13", "teach"},
        Refusal{
            "sft_with_kl",
            "[train]\nobjective = 'sft'\nbeta = 0.1\n[data]\ncompletions = 'c'\nproblems = 'p'\n[model]\npath = 'm'",
            "config.conflict", ":3:8", "train.beta = 0.0"},
        Refusal{"completions_without_sft", "[data]\ncompletions = 'c'\nproblems = 'p'\n[model]\npath = 'm'",
                "config.conflict", ":2:15", "sft"},
        Refusal{"rounding_of_none", "[adapter]\nmerge_rounding = 'up'" BASICS, "config.not_allowed", ":2:18",
                "stochastic"},
        Refusal{"no_model_path", "[model]\ndtype = 'float32'\n[data]\nproblems = 'p'", "config.missing_key", ":1:2",
                "[model]"},
        Refusal{"no_model_table", "[data]\nproblems = 'p'", "config.missing_key", ":1:1", "[model]"},
        Refusal{"empty_problems", "[model]\npath = 'm'\n[data]\nproblems = ''", "config.missing_key", ":4:12",
                "[data]"},
        Refusal{"empty_file", "", "config.missing_key", ":1:1", "[model]"},
        Refusal{"no_room_for_prompts", "[rollout]\ncontext_tokens = 64\nmax_new_tokens = 64" BASICS, "config.conflict",
                ":3:18", "context_tokens"},
        Refusal{"k_of_mean_diff", "[steer]\nk = 2" BASICS, "config.conflict", ":2:5", "k = 1"},
        Refusal{"rank_of_svd", "[adapter]\nrank = 8" BASICS, "config.conflict", ":2:8", "drop"},
        Refusal{"alpha_of_svd", "[adapter]\nalpha = 16.0" BASICS, "config.conflict", ":2:9", "drop"},
        Refusal{"same_arm_twice", "[probe]\narms = ['vanilla', 'vanilla']" BASICS, "config.conflict", ":2:8", "once"},
        Refusal{"same_seed_twice", "[probe]\nseeds = [1, 1]" BASICS, "config.conflict", ":2:9", "once"},
        Refusal{"template_never_used",
                "[model]\npath = 'm'\nchat_template = 'never'\ntemplate_file = 't'\n[data]\nproblems='p'",
                "config.conflict", ":4:17", "drop"},
        Refusal{"not_toml", "[train]\nsteps = = 3" BASICS, "config.toml_syntax", ":2:9", "TOML"},
        Refusal{"key_twice", "[train]\nsteps = 3\nsteps = 4" BASICS, "config.toml_syntax", ":3:9", "TOML"},
        Refusal{"not_utf8", "[train]\nloss = '\xff'" BASICS, "config.toml_syntax", ":2:8", "TOML"}),
    [](const auto& named) { return std::string(named.param.name); });

TEST_F(PresetSchema, DeepNestingIsASyntaxErrorNotACrash) {
  std::string deep = "x = ";
  for (int i = 0; i < 100000; ++i) deep += '[';
  EXPECT_THROW(load(deep), ConfigError);
}

TEST_F(PresetSchema, ValuesReachTheirMembers) {
  const Preset preset =
      load(with_basics("[run]\narm = 'projected'\nseed = 9223372036854775807\ndevice = 'cuda:1'\n"
                       "[train]\nlr = 1\nbetas = [0, 0.5]\nzero_spread = 'keep'\n"
                       "[steer]\nflavors = ['A']\npreserve_magnitude = false\n[probe]\nseeds = [3, 4]\n"));
  EXPECT_EQ(preset.name, "p");
  EXPECT_EQ(preset.run.arm, "projected");
  EXPECT_EQ(preset.run.seed, 9223372036854775807ull);
  EXPECT_EQ(preset.run.device, "cuda:1");
  EXPECT_EQ(preset.train.lr, 1.0);
  EXPECT_EQ(preset.train.betas, (std::vector<double>{0, 0.5}));
  EXPECT_EQ(preset.train.zero_spread, "keep");
  EXPECT_EQ(preset.steer.flavors, (std::vector<std::string>{"A"}));
  EXPECT_FALSE(preset.steer.preserve_magnitude);
  EXPECT_EQ(preset.probe.seeds, (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(preset.rollout, RolloutOptions());  // untouched tables keep their defaults
}

TEST_F(PresetSchema, OverridesAreTomlValuesOrBareStrings) {
  const Preset preset = load(with_basics("[train]\nlr = 5.0\n"),
                             {"train.lr=1e-3", "run.arm=projected", "data.problems=my file.jsonl", "data.split=123",
                              "run.device=cuda:0", "probe.seeds=[1,2]", "model.path=\"quoted\"", "train.steps=7",
                              "train.steps=8", "data.tester_name=true", "model.template_file=a=b"});
  EXPECT_EQ(preset.train.lr, 1e-3);
  EXPECT_EQ(preset.run.arm, "projected");
  EXPECT_EQ(preset.data.problems, "my file.jsonl");
  EXPECT_EQ(preset.data.split, "123");
  EXPECT_EQ(preset.run.device, "cuda:0");
  EXPECT_EQ(preset.probe.seeds, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(preset.model.path, "quoted");
  EXPECT_EQ(preset.train.steps, 8);  // the last one wins
  EXPECT_EQ(preset.data.tester_name, "true");
  EXPECT_EQ(preset.model.template_file, "a=b");
}

TEST_F(PresetSchema, OverridesFailAtTheirOwnPlace) {
  const auto fails = [&](const std::string& text, const std::string& id) {
    try {
      load(with_basics(""), {text});
      ADD_FAILURE() << text << " was accepted";
    } catch (const ConfigError& error) {
      EXPECT_EQ(error.id(), id) << error.line();
      EXPECT_EQ(error.where(), "--set " + text);
    }
  };
  fails("train.lr", "config.usage");
  fails("lr=1", "config.usage");
  fails("=", "config.usage");
  fails("train.lrr=1", "config.unknown_key");
  fails("train.steps=many", "config.wrong_type");
  fails("train.steps=0", "config.out_of_range");
  fails("train.steps=1\nlr=2", "config.wrong_type");  // no second key through a line break
  fails("train.loss=ppo", "config.not_allowed");
  fails("rollout.max_new_tokens=5000", "config.conflict");
}

TEST_F(PresetSchema, WritingAndReadingGivesTheSamePreset) {
  Preset preset = load(with_basics(
      "[run]\nseed = 9223372036854775807\n[train]\nlr = 0.1\nbeta = 3.0000000000000004\neps = 5e-324\n"
      "grad_clip = 1e300\n[steer]\nflavors = ['A', 'D']\novershoot = 12345678.9\n[grade]\npython = '/a \"b\"\\\\c'\n"));
  preset.model.template_file = "tab\there \x01 \x7f new\nline \xc3\xa9 \xe2\x82\xac \"quoted\" \\";
  const std::string text = to_toml(preset);
  Preset again = load_preset(folder_.write("again.toml", text));
  EXPECT_EQ(again.name, "again");
  again.name = preset.name;
  again.source = preset.source;
  EXPECT_EQ(again, preset);
  EXPECT_EQ(to_toml(again), text);
}

TEST_F(PresetSchema, WritesEveryKeyOnce) {
  const std::string text = "\n" + to_toml(Preset());
  for (const KeyRow& row : key_rows()) {
    size_t count = 0;
    for (size_t at = 0; (at = text.find("\n" + std::string(row.key) + " = ", at)) != std::string::npos; ++at) ++count;
    size_t rows_of_that_name = 0;
    for (const KeyRow& other : key_rows()) rows_of_that_name += std::string(other.key) == row.key;
    EXPECT_EQ(count, rows_of_that_name) << row.name();
  }
}

TEST(KeyTable, RowsAreCompleteUniqueAndTheirDefaultsValid) {
  std::set<std::string> names;
  std::set<const void*> members;
  const Preset defaults;
  for (const KeyRow& row : key_rows()) {
    EXPECT_TRUE(names.insert(row.name()).second) << row.name() << " stands twice";
    const void* member = std::visit([](auto* pointer) -> const void* { return pointer; }, slot_of(row, defaults));
    EXPECT_TRUE(members.insert(member).second) << row.name() << " shares a member";
    EXPECT_GT(std::string(row.doc).size(), 5u) << row.name();
  }
  for (const std::string& table : table_names()) EXPECT_FALSE(table_doc(table).empty()) << table;
}

/// Counts the members of options.h by reading it, so that a member without a row is found.
TEST(KeyTable, EveryMemberOfOptionsHasARow) {
  const std::string header = read_file(test::source_path("src/plumbline/preset/options.h"));
  const std::string structs = header.substr(0, header.find("/// A whole preset"));
  size_t num_members = 0, num_tables = 1;
  for (size_t line = 0; line < structs.size();) {
    const size_t end = std::min(structs.find('\n', line), structs.size());
    const std::string text = structs.substr(line, end - line);
    const bool is_member =
        text.starts_with("  ") && text.find("operator") == std::string::npos && text.find(';') != std::string::npos;
    // [judge] and [teach] both have the members of RemoteOptions.
    if (text.starts_with("struct ")) num_tables = text.starts_with("struct RemoteOptions") ? 2 : 1;
    num_members += is_member ? num_tables : 0;
    line = end + 1;
  }
  EXPECT_EQ(num_members, key_rows().size());
}

TEST(PresetReference, PageInDocsIsTheGeneratedOne) {
  EXPECT_EQ(read_file(test::source_path("docs/reference/preset_keys.md")), preset_reference())
      << "run: build/release/plumbline check --reference > docs/reference/preset_keys.md";
}

TEST(PresetReference, DocumentsEveryKey) {
  const std::string page = preset_reference();
  for (const KeyRow& row : key_rows()) {
    EXPECT_NE(page.find("| `" + std::string(row.key) + "` |"), std::string::npos) << row.name();
    EXPECT_NE(page.find(row.doc), std::string::npos) << row.name();
  }
}

TEST(ShippedPresets, AllValidateAndRoundTrip) {
  const std::vector<std::string> names = shipped_presets();
  EXPECT_EQ(names, (std::vector<std::string>{
                       "demo",           "demo_a",       "demo_bcd",     "demo_hard",         "full",
                       "organism",       "smoke",        "tiny_absorb",  "tiny_erase_states", "tiny_erase_weights",
                       "tiny_haar",      "tiny_lora",    "tiny_penalty", "tiny_placebo",      "tiny_probe_penalty",
                       "tiny_projected", "tiny_rebound", "tiny_route",   "tiny_screening",    "tiny_shuffled",
                       "tiny_vanilla"}));
  const test::TemporaryFolder folder;
  for (const std::string& name : names) {
    const Preset preset = load_preset(name);
    EXPECT_EQ(preset.name, name);
    Preset again = load_preset(folder.write(name + ".toml", to_toml(preset)));
    again.source = preset.source;
    EXPECT_EQ(again, preset) << name;
    EXPECT_TRUE(std::filesystem::exists(test::source_path(preset.data.problems))) << name;
  }
}

/// The table of docs/method: what `full` stands for.
TEST(ShippedPresets, FullIsTheDocumentedComparison) {
  const Preset full = load_preset("full");
  EXPECT_EQ(full.model.path, "Qwen/Qwen3-4B");
  EXPECT_EQ(full.train.steps, 200);
  EXPECT_EQ(full.rollout.group_size, 6);
  EXPECT_EQ(full.rollout.prompts_per_step, 8);
  EXPECT_EQ(full.data.limit, 500);
  EXPECT_EQ(full.train.beta, 1e-3);
  EXPECT_EQ(full.train.lr, 7e-5);
  EXPECT_EQ(full.train.warmup_steps, 10);
  EXPECT_EQ(full.rollout.max_new_tokens, 1024);
  EXPECT_EQ(full.rollout.context_tokens, 2048);
}

TEST(ShippedPresets, AnUnknownNameIsRefusedWithASuggestion) {
  try {
    load_preset("smok");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.id(), "config.unknown_preset");
    EXPECT_NE(error.next_step().find("did you mean smoke?"), std::string::npos) << error.line();
  }
  EXPECT_THROW(load_preset("no/such.toml"), ConfigError);
}

/// Samples at temperature 0 would be ignored by the verb eval; no shipped preset asks for them.
TEST(ShippedPresets, EvalDrawsTheSamplesThatArePlanned) {
  for (const char* name : {"demo", "smoke", "full", "organism", "tiny_vanilla"}) {
    EXPECT_NO_THROW(check_eval_verb(load_preset(name))) << name;
  }
  EXPECT_NO_THROW(check_eval_verb(load_preset("demo", {"eval.samples=1", "eval.temperature=0"})));
  try {
    check_eval_verb(load_preset("demo", {"eval.temperature=0"}));
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.id(), "config.conflict");
    EXPECT_EQ(error.where(), "eval.samples");
    EXPECT_NE(error.message().find("eval.samples = 2 would be ignored"), std::string::npos);
  }
}

}  // namespace
}  // namespace plumbline
