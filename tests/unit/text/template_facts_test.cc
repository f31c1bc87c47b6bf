/// What is said about templates, on ones whose behaviour is known.
#include "plumbline/text/template_facts.h"

#include <gtest/gtest.h>

#include "plumbline/base/file_system.h"
#include "tests/support/shared_files.h"

namespace plumbline {
namespace {

const std::map<std::string, std::string> kTokens = {{"bos_token", "<s>"}, {"eos_token", "</s>"}};

TemplateFacts facts_of(const std::string& source) {
  return template_facts(ChatTemplate(source, "t"), kTokens);
}

TEST(TemplateFacts, WhatASmallTemplateDoes) {
  const TemplateFacts facts = facts_of(
      "{{ bos_token }}{% if messages[0].role != 'system' %}<S>Be kind.\n{% endif %}"
      "{% for m in messages %}<{{ m.role }}>{{ m.content }}\n{% endfor %}"
      "{% if add_generation_prompt %}<assistant>{{ hint }}{% endif %}");
  EXPECT_TRUE(facts.accepts_chat);
  EXPECT_EQ(facts.default_prompt, "<S>Be kind.");
  EXPECT_TRUE(facts.honours_generation_prompt);
  EXPECT_EQ(facts.generation_prompt, "<assistant>");
  EXPECT_TRUE(facts.writes_bos);
  EXPECT_EQ(facts.variables_read, (std::set<std::string>{"add_generation_prompt", "bos_token", "hint", "messages"}));
}

TEST(TemplateFacts, ATemplateThatPutsNothingIn) {
  const TemplateFacts facts = facts_of("{% for m in messages %}[INST] {{ m.content }} [/INST]{% endfor %}");
  EXPECT_EQ(facts.default_prompt, "");
  EXPECT_FALSE(facts.honours_generation_prompt);
  EXPECT_FALSE(facts.writes_bos);
  EXPECT_FALSE(facts_of("{{ raise_exception('no') }}").accepts_chat);
}

TEST(TemplateFacts, PublishedTemplates) {
  PL_NEED_SHARED("golden/templates/qwen2.5");
  const auto facts = [](const std::string& name) {
    return facts_of(read_file(test::shared_path("golden/templates/" + name + "/template.jinja")));
  };
  EXPECT_NE(facts("qwen2.5").default_prompt.find("You are Qwen"), std::string::npos);
  EXPECT_NE(facts("smollm2").default_prompt.find("SmolLM"), std::string::npos);
  EXPECT_NE(facts("llama-3.1").default_prompt.find("Cutting Knowledge Date"), std::string::npos);
  for (const char* name : {"chatml", "qwen3", "gemma-2", "llama-3", "mistral-7b-v0.2", "zephyr"}) {
    EXPECT_EQ(facts(name).default_prompt, "") << name;
  }
  EXPECT_EQ(facts("qwen3").generation_prompt, "<|im_start|>assistant\n");
  EXPECT_FALSE(facts("mistral-7b-v0.2").honours_generation_prompt);
  EXPECT_TRUE(facts("llama-3").writes_bos);
  EXPECT_EQ(facts("llama-3.2").variables_read.count("tools"), 1u);
}

}  // namespace
}  // namespace plumbline
