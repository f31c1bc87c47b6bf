/// Questions to git about one file's repository. Nothing is ever changed there.
#pragma once

#include <optional>
#include <string>

namespace plumbline {

class GitHistory {
 public:
  /// `folder` lies in the working tree.
  explicit GitHistory(std::string folder) : folder_(std::move(folder)) {}

  /// Full hash of the commit that last changed `name` (relative to the folder); unset when it is not committed, or
  /// there is no git.
  std::optional<std::string> last_change(const std::string& name) const;
  /// Whether the file differs from what is committed.
  bool is_modified(const std::string& name) const;
  /// Whether `older` is `newer` or one of its ancestors. False too for hashes that are not here. Hashes are
  /// hexadecimal.
  bool is_ancestor(const std::string& older, const std::string& newer) const;

 private:
  std::string folder_;
};

/// 7 to 64 hexadecimal digits.
bool is_commit_hash(const std::string& text);

}  // namespace plumbline
