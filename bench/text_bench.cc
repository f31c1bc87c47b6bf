/// Speed of a tokenizer: text_bench TOKENIZER FILE, where FILE has one JSON string a line.
/// Encodes every line with a fresh tokenizer on one thread and prints JSON: bytes, tokens, CPU seconds.
/// bench/peers/tokenizers_text.py makes the file, runs this and the tokenizers library in turn, and prints the ratio.
#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <sstream>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "plumbline/text/tokenizer.h"

namespace plumbline {
namespace {

int run(const std::string& model, const std::string& path) {
  std::vector<std::string> texts;
  std::istringstream lines(read_file(path));
  size_t num_bytes = 0;
  for (std::string line; std::getline(lines, line);) {
    texts.push_back(parse_json(line, path).get<std::string>());
    num_bytes += texts.back().size();
  }
  const Tokenizer tokenizer = Tokenizer::load(model);
  size_t num_tokens = 0;
  const std::clock_t start = std::clock();
  for (const std::string& text : texts) num_tokens += tokenizer.encode(text).size();
  const double cpu_s = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  fmt::print("{{\"bytes\": {}, \"tokens\": {}, \"cpu_s\": {:.4f}}}\n", num_bytes, num_tokens, cpu_s);
  return 0;
}

}  // namespace
}  // namespace plumbline

int main(int argc, char** argv) {
  if (argc != 3) return std::fputs("usage: text_bench TOKENIZER FILE\n", stderr), 2;
  try {
    return plumbline::run(argv[1], argv[2]);
  } catch (const plumbline::Error& error) {
    std::fprintf(stderr, "%s\n", error.message().c_str());
    return 3;
  }
}
