#include "plumbline/doctor/readers/read_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/sha256.h"
#include "plumbline/doctor/readers/collector.h"
#include "plumbline/doctor/readers/document.h"
#include "plumbline/doctor/readers/read_lines.h"
#include "plumbline/doctor/readers/run_folder.h"
#include "plumbline/doctor/readers/tensorboard.h"
#include "plumbline/doctor/readers/text_log.h"

namespace plumbline::doctor {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxDepth = 8;
constexpr size_t kMostFiles = 20000;
constexpr size_t kSniffBytes = size_t{1} << 16;
constexpr uintmax_t kLeastCopyBytes = 512;  ///< smaller files are equal for good reasons

bool ends_with_any(const std::string& name, std::initializer_list<const char*> ends) {
  return std::any_of(ends.begin(), ends.end(), [&](const char* end) { return name.ends_with(end); });
}

bool is_known_name(const std::string& name) {
  return ends_with_any(name, {".json", ".jsonl", ".ndjson", ".log", ".out", ".err", ".txt", ".tsv", ".jsonl.gz",
                              ".json.gz", ".jsonl.zst", ".log.gz"}) ||
         name.find("tfevents") != std::string::npos;
}

/// What judge and teach leave empty when there is nothing to list: judges that agree, a teacher that never passed.
bool is_empty_list_of_ours(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  std::error_code error;
  return (name == "disagreements.jsonl" || name == "pool.jsonl") && entry.is_regular_file(error) &&
         entry.file_size(error) == 0 && fs::exists(entry.path().parent_path() / "settings.json", error);
}

/// What stands in a folder and is neither a file nor a folder to search; null for those.
const char* kind_of_no_file(const fs::directory_entry& entry) {
  std::error_code error;
  if (entry.is_directory(error)) return "a link to a folder";
  switch (entry.status(error).type()) {
    case fs::file_type::fifo:
      return "a pipe";
    case fs::file_type::socket:
    case fs::file_type::block:
    case fs::file_type::character:
      return "a device or socket";
    case fs::file_type::not_found:
      return "a link to nothing";
    default:
      return nullptr;
  }
}

std::string lower_head(std::string_view head) {
  std::string text(head.substr(0, 300));
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return text;
}

/// Why these bytes are no measurement; empty when they may be one.
std::string reason_unreadable(std::string_view head, const std::string& path) {
  if (head.empty()) return "the file is empty";
  if (head.starts_with("version https://git-lfs")) {
    return "a Git LFS pointer: the file itself was never fetched (git lfs pull)";
  }
  const std::string text = lower_head(head);
  const size_t first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first == std::string::npos) return "the file holds nothing but blanks";
  if (text.compare(first, 9, "<!doctype") == 0 || text.compare(first, 5, "<html") == 0) {
    return "an HTML page, such as a server's error page, under the name of a result";
  }
  if (head.starts_with("PAR1")) {
    return "a parquet file, which doctor does not read; write it as JSON lines (pandas: to_json(orient='records', "
           "lines=True))";
  }
  if (head.starts_with("PK\x03\x04")) {
    return path.ends_with(".eval") ? "a packed inspect_ai log; write it as JSON (inspect log convert --to json)"
                                   : "a zip archive; unpack it first";
  }
  if (head.find('\0') != head.npos) return "binary data of no kind that doctor reads";
  return "";
}

/// The first non-blank bytes begin a JSON value, and not the text of a log.
bool begins_like_json(std::string_view head) {
  size_t at = head.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  const auto next = [&] {
    at = head.find_first_not_of(" \t\r\n", at);
    return at == head.npos ? '\0' : head[at];
  };
  const char first = next();
  ++at;
  if (first == '{') {
    const char second = next();
    return second == '"' || second == '}' || second == '\0';
  }
  if (first != '[') return false;
  const char second = next();
  return second == '{' || second == '[' || second == '"' || second == ']' || second == '\0';
}

bool claims_json(const std::string& path) {
  return ends_with_any(path, {".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".jsonl.zst"});
}

/// A value on the first line and another on the second.
bool is_lines(std::string_view head, const std::string& path) {
  if (ends_with_any(path, {".jsonl", ".ndjson", ".jsonl.gz", ".jsonl.zst"})) return true;
  const size_t end = head.find('\n');
  if (end == head.npos) return false;
  std::string_view first = head.substr(0, end), rest = head.substr(end + 1);
  while (first.ends_with('\r') || first.ends_with(' ')) first.remove_suffix(1);
  const size_t second = rest.find_first_not_of(" \t\r\n");
  return first.ends_with('}') && second != rest.npos && rest[second] == '{';
}

class InputReader {
 public:
  explicit InputReader(const FieldMap& map) { out_.map = map; }

  void add(const std::string& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status))
      throw ConfigError("config.usage", "there is no such file or folder", path, "check the path");
    if (fs::is_directory(status)) return add_folder(path, 0);
    add_file(path);
  }

  Evidence finish(const std::vector<std::string>& paths) {
    find_copies();
    put_together(out_);
    if (num_skipped_ > 0) {
      out_.not_checked(paths.front(), fmt::format("{} files", num_skipped_),
                       "in folders, of no kind that doctor reads");
    }
    out_.evidence.inputs = paths;
    return std::move(out_.evidence);
  }

 private:
  void add_folder(const std::string& path, int depth) {
    if (is_run_folder(path)) {
      guarded(path, [&] {
        read_run_folder(path, out_);
        return true;
      });
    }
    std::vector<fs::directory_entry> entries;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(path, error)) entries.push_back(entry);
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.path() < b.path(); });
    for (const fs::directory_entry& entry : entries) {
      const std::string name = entry.path().filename().string();
      if (entry.is_directory(error) && !entry.is_symlink(error)) {
        if (depth < kMaxDepth && name != "checkpoints" && name[0] != '.') add_folder(entry.path().string(), depth + 1);
      } else if (is_run_folder(path) && is_run_file(name)) {
        continue;  // read with the run
      } else if (is_empty_list_of_ours(entry)) {
        continue;
      } else if (const char* kind = kind_of_no_file(entry)) {
        out_.not_checked(entry.path().string(), "the whole file", std::string(kind) + ", which is not read");
      } else if (entry.is_regular_file(error) && is_known_name(name)) {
        add_file(entry.path().string());
      } else if (!name.ends_with(".jsonl.lock")) {  // lies beside rows that judge and teach write
        ++num_skipped_;
      }
    }
  }

  void add_file(const std::string& path) {
    std::error_code error;
    const std::string same = fs::weakly_canonical(path, error).string();
    if (!seen_.insert(same).second || seen_.size() > kMostFiles) return;
    const size_t before = out_.evidence.unreadable.size();
    guarded(path, [&] { return read_one_file(path, out_); });
    if (out_.evidence.unreadable.size() > before && out_.evidence.unreadable.back().where == path && failed_) return;
    const uintmax_t size = fs::file_size(path, error);
    if (!error && size >= kLeastCopyBytes) by_size_[size].push_back(path);
  }

  /// `use` says whether it learned something.
  template <typename Use>
  void guarded(const std::string& path, Use use) {
    failed_ = false;
    try {
      out_.evidence.num_read += use();
    } catch (const InternalError&) {
      throw;
    } catch (const Error& error) {
      failed_ = true;
      const bool has_place = error.where().size() > path.size() && error.where().starts_with(path);
      out_.evidence.unreadable.push_back(
          {path, error.message() + (has_place ? " (" + error.where().substr(path.size() + 2) + ")" : "")});
    }
  }

  void find_copies() {
    for (const auto& [size, paths] : by_size_) {
      if (paths.size() < 2) continue;
      std::map<std::string, std::string> first_of;
      for (const std::string& path : paths) {
        const auto [found, is_new] = first_of.emplace(hash_of_file(path), path);
        if (!is_new) out_.evidence.same_bytes.push_back({found->second, path, static_cast<int64_t>(size)});
      }
    }
  }

  static std::string hash_of_file(const std::string& path) {
    ByteSource source(path);
    Sha256 hash;
    for (std::string block; source.read(block); block.clear()) hash.update(block);
    return hash.hex();
  }

  Collector out_;
  std::set<std::string> seen_;
  std::map<uintmax_t, std::vector<std::string>> by_size_;
  int64_t num_skipped_ = 0;
  bool failed_ = false;
};

}  // namespace

bool read_one_file(const std::string& path, Collector& out) {
  auto source = std::make_unique<ByteSource>(path);
  std::string head;
  while (head.size() < kSniffBytes && source->read(head)) {
  }
  if (path.find("tfevents") != std::string::npos || is_event_file(head)) {
    if (head.empty()) throw DataError("data.json", "the file is empty", path);
    read_event_file(path, std::move(head), *source, out);
    return true;
  }
  if (const std::string reason = reason_unreadable(head, path); !reason.empty()) {
    throw DataError("data.json", reason, path);
  }
  if (begins_like_json(head)) {
    const bool lines = is_lines(head, path);
    JsonStream stream(std::move(head), std::move(source), path);
    if (!lines) return read_document(path, stream, out);
    if (read_lines(path, stream, out) == 0) throw DataError("data.json", "no row of it is whole", path);
    return true;
  }
  if (claims_json(path)) throw DataError("data.json", "not JSON, as its name says", path);
  if (head.starts_with("step\t")) {
    read_steps_table(path, out);
    return true;
  }
  return read_text_log(path, std::move(head), *source, out);
}

Evidence read_inputs(const std::vector<std::string>& paths, const FieldMap& map) {
  InputReader reader(map);
  for (const std::string& path : paths) reader.add(path);
  return reader.finish(paths);
}

}  // namespace plumbline::doctor
