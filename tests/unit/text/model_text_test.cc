#include "plumbline/text/model_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "plumbline/text/task_prompt.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

const std::vector<ChatTurn> kQuestion = {{"user", "Hi."}};

/// A model folder with the given small files; the tokenizer knows a few special tokens and single characters.
class ModelFolder {
 public:
  explicit ModelFolder(bool adds_bos = false) {
    Json vocab = Json::object();
    for (int c = 32; c < 127; ++c) vocab[std::string(1, static_cast<char>(c))] = c - 32;
    vocab["\n"] = 95;
    Json added = Json::array();
    for (const char* token : {"<s>", "</s>", "<|im_start|>", "<|im_end|>", "<think>", "</think>"}) {
      added.push_back(
          {{"id", 100 + added.size()}, {"content", token}, {"special", token[1] != 't' && token[2] != 't'}});
    }
    Json tokenizer = {{"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", Json::array()}}},
                      {"added_tokens", added},
                      {"decoder", {{"type", "Fuse"}}}};
    if (adds_bos) {
      tokenizer["post_processor"] = {{"type", "TemplateProcessing"},
                                     {"single", {{{"SpecialToken", {{"id", "<s>"}}}}, {{"Sequence", {{"id", "A"}}}}}},
                                     {"special_tokens", {{"<s>", {{"id", "<s>"}, {"ids", {100}}}}}}};
    }
    folder_.write("tokenizer.json", tokenizer.dump());
    folder_.write("tokenizer_config.json", R"({"bos_token": "<s>", "eos_token": {"content": "</s>"}})");
  }
  ModelFolder& with(const std::string& name, const std::string& content) {
    folder_.write(name, content);
    return *this;
  }
  ModelText load(const std::string& chat_template = "auto") const {
    return ModelText::load(folder_.path(), chat_template);
  }
  const std::string& path() const { return folder_.path(); }

 private:
  test::TemporaryFolder folder_;
};

constexpr const char* kChatMl =
    "{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

TEST(ModelText, StopTokensAreTheUnionWithTheirSources) {
  ModelFolder folder;
  folder.with("generation_config.json", R"({"eos_token_id": [101, 70]})").with("chat_template.jinja", kChatMl);
  const ModelText text = folder.load();
  EXPECT_EQ(text.stop_ids(), (std::vector<int64_t>{70, 101, 103}));
  EXPECT_EQ(text.stop_tokens()[1].token, "</s>");
  EXPECT_EQ(text.stop_tokens()[1].sources, (std::vector<std::string>{"generation_config.json", "tokenizer eos_token"}));
  EXPECT_EQ(text.stop_tokens()[2].sources, (std::vector<std::string>{"chat template"}));
}

TEST(ModelText, ASingleStopIdAndTheModelConfigCount) {
  EXPECT_EQ(ModelFolder().with("generation_config.json", R"({"eos_token_id": 70})").load().stop_ids(),
            (std::vector<int64_t>{70, 101}));
  EXPECT_EQ(ModelFolder().with("config.json", R"({"eos_token_id": 71})").load().stop_ids(),
            (std::vector<int64_t>{71, 101}));
}

int64_t count_bos(const ModelText& text) {
  const auto ids = text.render(kQuestion).token_ids;
  EXPECT_TRUE(ids.empty() || std::count(ids.begin() + 1, ids.end(), 100) == 0);
  return std::count(ids.begin(), ids.end(), 100);
}

TEST(ModelText, ExactlyOneBosWhereTheModelWantsOne) {
  const std::string with_bos = std::string("{{ bos_token }}") + kChatMl;
  EXPECT_EQ(count_bos(ModelFolder(false).load()), 0);
  EXPECT_EQ(count_bos(ModelFolder(true).load()), 1);
  EXPECT_EQ(count_bos(ModelFolder(true).with("chat_template.jinja", with_bos).load()), 1);
  EXPECT_EQ(count_bos(ModelFolder(false).with("chat_template.jinja", with_bos).load()), 1);
  EXPECT_EQ(count_bos(ModelFolder(true).with("chat_template.jinja", kChatMl).load()), 1);
  EXPECT_EQ(
      count_bos(
          ModelFolder(true).with("tokenizer_config.json", R"({"bos_token": "<s>", "add_bos_token": false})").load()),
      0);
}

std::string prefill_with(const std::string& ending) {
  std::string source = kChatMl;
  source.replace(source.find("assistant\n"), 10, "assistant\n" + ending);
  ModelFolder folder;
  folder.with("chat_template.jinja", source);
  return folder.load().render(kQuestion).prefill;
}

TEST(ModelText, PrefillIsWhatFollowsTheAssistantHeader) {
  EXPECT_EQ(prefill_with(""), "");
  EXPECT_EQ(prefill_with("<think>\n"), "<think>\n");
  EXPECT_EQ(prefill_with("<think>\n\n</think>\n\n"), "<think>\n\n</think>\n\n");
  EXPECT_EQ(prefill_with("Sure, "), "Sure, ");
}

TEST(ModelText, RealTemplatesPrefill) {
  PL_NEED_SHARED("golden/templates/deepseek-r1-distill-llama");
  const auto prefill = [](const std::string& name) {
    ModelFolder folder;
    folder.with("chat_template.jinja", read_file(test::shared_path("golden/templates/" + name + "/template.jinja")));
    return folder.load().render(kQuestion).prefill;
  };
  EXPECT_EQ(prefill("deepseek-r1-distill-llama"), "<think>\n");
  for (const char* name :
       {"qwen3", "smollm2", "llama-3", "gemma-2", "zephyr", "mistral-7b-v0.2", "phi-3.5", "smollm3"}) {
    EXPECT_EQ(prefill(name), "") << name;
  }
}

TEST(ModelText, RawPromptsAreJoinedByOneBlankLine) {
  const ModelText text = ModelFolder().load();
  EXPECT_EQ(text.chat_template(), nullptr);
  const std::vector<ChatTurn> turns = {{"system", "a"}, {"user", "b"}};
  EXPECT_EQ(text.render(turns).text, "a\n\nb");
}

/// Characters are their own ids here: 'a' is 65, 'b' 66, 'f' 70.
TEST(ModelText, GradedTextIsPrefillAndTokensWithoutTheStop) {
  const ModelText stops_at_f = ModelFolder().with("generation_config.json", R"({"eos_token_id": 70})").load();
  RenderedPrompt prompt;
  prompt.prefill = "<think>\n";
  const std::vector<int64_t> stopped = {65, 70, 66, 70};  // no special token: decoding would show it
  EXPECT_EQ(stops_at_f.graded_text(prompt, stopped), "<think>\nafb");
  const std::vector<int64_t> cut = {65, 70, 66};
  EXPECT_EQ(stops_at_f.graded_text(prompt, cut), "<think>\nafb");
  const std::vector<int64_t> special = {65, 103, 66, 101};
  EXPECT_EQ(stops_at_f.graded_text({}, special), "ab");
  EXPECT_EQ(stops_at_f.graded_text(prompt, {}), "<think>\n");
}

TEST(ModelText, ChatTemplateModes) {
  ModelFolder folder;
  EXPECT_THROW(folder.load("always"), ConfigError);
  folder.with("tokenizer_config.json",
              R"({"chat_template": [{"name": "tool", "template": "x"}, {"name": "default", "template": "y"}]})");
  EXPECT_EQ(folder.load("always").render(kQuestion).text, "y");
  EXPECT_EQ(folder.load("never").render(kQuestion).text, "Hi.");
  folder.with("chat_template.jinja", "z");  // a file of its own wins
  EXPECT_EQ(folder.load().render(kQuestion).text, "z");
  folder.with("other.jinja", "w");
  EXPECT_EQ(ModelText::load(folder.path(), "auto", folder.path() + "/other.jinja").render(kQuestion).text, "w");
}

TEST(ModelText, GoldenModelPromptIsExact) {
  PL_NEED_SHARED("golden/models/llama-gqa");
  const ModelText text = ModelText::load(test::shared_path("golden/models/llama-gqa"));
  const Json chat = parse_json(read_file(test::shared_path("golden/models/llama-gqa/case.json")), "case.json")["chat"];
  const RenderedPrompt prompt = text.render({{"user", chat["messages"][0]["content"].get<std::string>()}});
  EXPECT_EQ(prompt.text, chat["rendered"].get<std::string>());
  EXPECT_EQ(prompt.token_ids, chat["prompt_ids"].get<std::vector<int64_t>>());
  EXPECT_EQ(text.stop_ids(), (std::vector<int64_t>{2, 4}));
}

TEST(ModelText, SmolLm2FromGguf) {
  PL_NEED_SMOLLM2();
  const ModelText text = ModelText::load(test::smollm2_path());
  EXPECT_EQ(text.stop_ids(), (std::vector<int64_t>{2}));
  EXPECT_EQ(text.stop_tokens()[0].sources, (std::vector<std::string>{"tokenizer.ggml.eos_token_id", "chat template"}));
  EXPECT_EQ(text.special_tokens().at("bos_token"), "<|im_start|>");
  const RenderedPrompt prompt = text.render(kQuestion);
  EXPECT_TRUE(prompt.text.ends_with("<|im_start|>user\nHi.<|im_end|>\n<|im_start|>assistant\n"));
  EXPECT_EQ(prompt.token_ids[0], 1);
  EXPECT_EQ(prompt.prefill, "");
}

Problem problem_of(const std::string& task) {
  Problem problem;
  problem.task = task;
  problem.prompt = {{"user", "2 + 2?"}};
  return problem;
}

TEST(ModelText, AutoWrapsTheTasksThatNeedStructureAndNoOthers) {
  const auto text_of = [](const std::string& chat_template, const std::string& task) {
    return ModelFolder().with("chat_template.jinja", kChatMl).load(chat_template).render(problem_of(task)).text;
  };
  const std::string wrapped = "<|im_start|>user\n2 + 2?<|im_end|>\n<|im_start|>assistant\n";
  for (const char* task : {"code", "invention", "custom"}) EXPECT_EQ(text_of("auto", task), wrapped) << task;
  for (const char* task : {"math", "physics", "provenance", "concept"}) {
    EXPECT_EQ(text_of("auto", task), "2 + 2?") << task;
    EXPECT_EQ(text_of("always", task), wrapped) << task;
    EXPECT_EQ(text_of("never", task), "2 + 2?") << task;
  }
  EXPECT_EQ(text_of("never", "code"), "2 + 2?");
  EXPECT_EQ(ModelFolder().load().render(problem_of("code")).text, "2 + 2?") << "a model without a template";
  const std::string instructed = std::string(kStepInstruction) + "\n\n2 + 2?";
  EXPECT_EQ(text_of("auto", "step"), instructed);
  EXPECT_EQ(text_of("always", "step"), "<|im_start|>user\n" + instructed + "<|im_end|>\n<|im_start|>assistant\n");
  EXPECT_EQ(kStepInstruction.find('='), std::string_view::npos) << "nothing in it can be copied as a step";
}

}  // namespace
}  // namespace plumbline
