#include "plumbline/train/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "plumbline/base/sha256.h"
#include "plumbline/tensor/raw_tensor.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr char kFormat[] = "checkpoint.v1";
constexpr char kStateFile[] = "state.json";
constexpr char kTensorFile[] = "optimizer.safetensors";
constexpr char kOptimizerPrefix[] = "optimizer/";
constexpr char kTransformPrefix[] = "transform/";
constexpr char kStepPrefix[] = "step_";

[[noreturn]] void refuse(const std::string& problem, const std::string& where) {
  throw DataError("data.checkpoint", problem, where, "resume from another checkpoint, or start the run anew");
}

/// Paths of all files below `folder` but state.json, relative and sorted, with their hashes.
std::map<std::string, std::string> hash_files(const fs::path& folder) {
  std::map<std::string, std::string> hashes;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string relative = entry.path().lexically_relative(folder).generic_string();
    if (relative != kStateFile) hashes.emplace(relative, sha256_file(entry.path().string()));
  }
  return hashes;
}

Json to_json(const TrainerState& state) {
  return {{"format", kFormat},
          {"step", state.step},
          {"data_cursor", state.data_cursor},
          {"num_skipped_updates", state.num_skipped_updates},
          {"num_skipped_in_a_row", state.num_skipped_in_a_row},
          {"seed", state.seed},
          {"weight_hash", state.weight_hash},
          {"onset_step", state.onset_step},
          {"num_onset_steps", state.num_onset_steps},
          {"stop_counts", state.stop_counts},
          {"stopped_by", state.stopped_by}};
}

void write_state(const fs::path& folder, const TrainerState& state) {
  Json row = to_json(state);
  row["files"] = hash_files(folder);
  row["sha256"] = sha256_hex(to_json_line(row));
  write_file((folder / kStateFile).string(), row.dump(2) + "\n");
}

/// state.json as it was written, or an error: its own hash is checked before any field is believed.
Json read_state(const std::string& folder) {
  const std::string path = folder + "/" + kStateFile;
  if (!fs::exists(path)) refuse("the checkpoint has no state.json", path);
  Json row = parse_json(read_file(path), path);
  const auto hash = row.is_object() ? row.find("sha256") : row.end();
  if (hash == row.end() || !hash->is_string()) refuse("state.json has no hash of itself", path);
  const std::string wanted = hash->get<std::string>();
  row.erase("sha256");
  if (sha256_hex(to_json_line(row)) != wanted) refuse("state.json was changed after it was written", path);
  if (row.value("format", "") != kFormat) {
    refuse(fmt::format("the format is \"{}\", not {}", row.value("format", ""), kFormat), path);
  }
  return row;
}

void verify_files(const std::string& folder, const Json& listed) {
  const auto found = hash_files(folder);
  for (const auto& [name, hash] : listed.items()) {
    const auto file = found.find(name);
    if (file == found.end()) refuse("a file of the checkpoint is missing", folder + "/" + name);
    if (file->second != hash.get<std::string>()) {
      refuse("a file of the checkpoint is cut or was changed", folder + "/" + name);
    }
  }
  for (const auto& [name, hash] : found) {
    if (!listed.contains(name)) refuse("a file does not belong to the checkpoint", folder + "/" + name);
  }
}

TensorMap with_prefix(const TensorMap& tensors, const std::string& prefix) {
  TensorMap renamed;
  for (const auto& [name, tensor] : tensors) renamed.emplace(prefix + name, tensor);
  return renamed;
}

TensorMap without_prefix(const TensorMap& tensors, const std::string& prefix) {
  TensorMap renamed;
  for (const auto& [name, tensor] : tensors) {
    if (name.starts_with(prefix)) renamed.emplace(name.substr(prefix.size()), tensor);
  }
  return renamed;
}

/// The number in "step_000042"; none for anything else, folders being written included.
std::optional<int64_t> step_of(const fs::path& folder) {
  const std::string name = folder.filename().string();
  const std::string digits = name.starts_with(kStepPrefix) ? name.substr(sizeof kStepPrefix - 1) : "";
  if (digits.empty() || digits.size() > 12 || digits.find_first_not_of("0123456789") != std::string::npos) {
    return std::nullopt;
  }
  return std::stoll(digits);
}

std::vector<std::pair<int64_t, fs::path>> checkpoints_in(const std::string& folder) {
  std::vector<std::pair<int64_t, fs::path>> found;
  if (!fs::is_directory(folder)) return found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (const auto step = step_of(entry.path()); step && entry.is_directory()) found.emplace_back(*step, entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// A folder whose content is removed unless commit() has moved it to its final name.
class FolderAside {
 public:
  explicit FolderAside(fs::path target) : target_(std::move(target)), aside_(target_.string() + ".partial") {
    fs::remove_all(aside_);
    fs::create_directories(aside_);
  }
  ~FolderAside() {
    std::error_code ignored;
    if (!committed_) fs::remove_all(aside_, ignored);
  }
  FolderAside(const FolderAside&) = delete;
  FolderAside& operator=(const FolderAside&) = delete;
  const fs::path& path() const { return aside_; }

  void commit() {
    sync_folder((aside_ / "adapter").string());
    sync_folder(aside_.string());
    const fs::path replaced = target_.string() + ".replaced.partial";
    fs::remove_all(replaced);
    if (fs::exists(target_)) fs::rename(target_, replaced);
    fs::rename(aside_, target_);
    committed_ = true;
    fs::remove_all(replaced);
    sync_folder(target_.parent_path().string());
  }

 private:
  fs::path target_, aside_;
  bool committed_ = false;
};

}  // namespace

std::string checkpoint_name(int64_t step) {
  return fmt::format("{}{:06}", kStepPrefix, step);
}

std::string save_checkpoint(const std::string& checkpoints_folder, const TrainerState& state,
                            const OptimizerTensors& tensors,
                            const std::function<void(const std::string& folder)>& save_adapter, int64_t keep) {
  const fs::path target = fs::path(checkpoints_folder) / checkpoint_name(state.step);
  try {
    FolderAside aside(target);
    save_adapter(aside.path().string());
    TensorMap all = with_prefix(tensors.optimizer, kOptimizerPrefix);
    all.merge(with_prefix(tensors.transform, kTransformPrefix));
    write_tensors((aside.path() / kTensorFile).string(), all);
    write_state(aside.path(), state);
    aside.commit();
    auto all_checkpoints = checkpoints_in(checkpoints_folder);
    const size_t num_kept = keep > 0 ? static_cast<size_t>(keep) : all_checkpoints.size();
    for (size_t i = 0; i + num_kept < all_checkpoints.size(); ++i) fs::remove_all(all_checkpoints[i].second);
  } catch (const fs::filesystem_error& error) {
    throw DataError("data.unwritable", "the checkpoint cannot be written: " + error.code().message(), target.string(),
                    "free space or choose another --out");
  }
  return target.string();
}

Checkpoint load_checkpoint(const std::string& folder) {
  if (!fs::is_directory(folder)) refuse("there is no such checkpoint", folder);
  const Json row = read_state(folder);
  verify_files(folder, require_member(row, "files", folder));
  Checkpoint checkpoint{.folder = folder, .state = {}, .tensors = {}};
  try {
    checkpoint.state = {.step = row.at("step"),
                        .data_cursor = row.at("data_cursor"),
                        .num_skipped_updates = row.at("num_skipped_updates"),
                        .num_skipped_in_a_row = row.at("num_skipped_in_a_row"),
                        .seed = row.at("seed"),
                        .weight_hash = row.at("weight_hash"),
                        .onset_step = row.at("onset_step"),
                        .num_onset_steps = row.at("num_onset_steps"),
                        .stop_counts = row.at("stop_counts").get<std::vector<int64_t>>(),
                        .stopped_by = row.at("stopped_by")};
  } catch (const Json::exception&) {
    refuse("state.json lacks a field or has one of another type", folder + "/" + kStateFile);
  }
  if (!fs::exists(folder + "/" + kTensorFile)) refuse("the optimizer state is missing", folder + "/" + kTensorFile);
  const TensorMap all = read_tensors(folder + "/" + kTensorFile);
  checkpoint.tensors = {without_prefix(all, kOptimizerPrefix), without_prefix(all, kTransformPrefix)};
  return checkpoint;
}

std::optional<std::string> latest_checkpoint(const std::string& checkpoints_folder) {
  const auto found = checkpoints_in(checkpoints_folder);
  if (found.empty()) return std::nullopt;
  return found.back().second.string();
}

}  // namespace plumbline
