#include "plumbline/record/jsonl.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/record/byte_source.h"
#include "plumbline/record/exact_json.h"

namespace plumbline {
namespace {

constexpr size_t kMaxLineBytes = size_t{256} << 20;

[[noreturn]] void fail_unwritable(const std::string& path) {
  throw DataError("data.unwritable", std::string("cannot be written: ") + std::strerror(errno), path,
                  "free space or choose another file");
}

/// Cuts what follows the last line end; true when there was something.
bool remove_cut_line(int fd) {
  const off_t size = ::lseek(fd, 0, SEEK_END);
  if (size <= 0) return false;  // empty, or a pipe
  off_t keep = size;
  char block[1 << 16];
  while (keep > 0) {
    const off_t begin = keep > static_cast<off_t>(sizeof block) ? keep - static_cast<off_t>(sizeof block) : 0;
    const ssize_t count = ::pread(fd, block, static_cast<size_t>(keep - begin), begin);
    if (count <= 0) return false;
    const void* line_end = ::memrchr(block, '\n', static_cast<size_t>(count));
    if (line_end) {
      keep = begin + (static_cast<const char*>(line_end) - block) + 1;
      break;
    }
    keep = begin;
  }
  return keep < size && ::ftruncate(fd, keep) == 0;
}

}  // namespace

JsonlReader::JsonlReader(std::string path) : path_(std::move(path)), source_(std::make_unique<ByteSource>(path_)) {}

JsonlReader::~JsonlReader() = default;

std::string JsonlReader::where() const {
  return fmt::format("{}:{}", path_ == "-" ? "standard input" : path_, line_number_);
}

bool JsonlReader::next() {
  while (next_raw()) {
    if (line_number_ == 1 && line_.starts_with("\xEF\xBB\xBF")) line_.erase(0, 3);
    if (line_.ends_with('\r')) line_.pop_back();
    if (line_.find_first_not_of(" \t") != std::string::npos) return true;
  }
  return false;
}

bool JsonlReader::next_raw() {
  ++line_number_;
  for (size_t searched = begin_;;) {
    const size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      line_.assign(buffer_, begin_, end - begin_);
      begin_ = end + 1;
      return true;
    }
    buffer_.erase(0, begin_);
    begin_ = 0;
    searched = buffer_.size();
    if (searched > kMaxLineBytes) {
      throw DataError("data.line_too_long", "a line is longer than 256 MiB", where(), "is this a JSON-lines file?");
    }
    if (!source_->read(buffer_)) break;
  }
  if (buffer_.empty()) return false;
  line_ = std::move(buffer_);
  buffer_.clear();
  line_ended_ = false;
  return true;
}

namespace {

template <typename Parse>
auto parse_or_cut(const JsonlReader& reader, Parse parse) {
  try {
    return parse(reader.line(), reader.where());
  } catch (const DataError&) {
    if (reader.line_ended()) throw;
    throw DataError("data.truncated_file", "the last line is cut: it has no line end and is no JSON", reader.where(),
                    "the writer was stopped; copy the file again or remove the line");
  }
}

}  // namespace

Json JsonlReader::parse() const {
  return parse_or_cut(*this, [](const auto& text, const auto& where) { return parse_json(text, where); });
}

PythonValue JsonlReader::parse_exact() const {
  return parse_or_cut(*this, [](const auto& text, const auto& where) { return parse_exact_json(text, where); });
}

JsonlWriter::JsonlWriter(std::string path) : path_(std::move(path)) {
  fd_ = path_ == "-" ? ::dup(STDOUT_FILENO) : ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd_ < 0) fail_unwritable(path_);
  if (path_ != "-") removed_cut_line_ = remove_cut_line(fd_);
}

JsonlWriter::~JsonlWriter() {
  if (fd_ >= 0) ::close(fd_);
}

void JsonlWriter::write(const std::string& row) {
  const std::string text = row + "\n";
  for (size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(fd_, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_unwritable(path_);
    done += static_cast<size_t>(count);
  }
}

}  // namespace plumbline
