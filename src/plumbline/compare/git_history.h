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
  /// The bytes of the file in the commit that is checked out, whatever lies in the working tree; of a symbolic link its
  /// target's name. Unset when it is not there.
  std::optional<std::string> committed(const std::string& name) const;
  /// Full hash of the commit that is checked out; unset without a repository.
  std::optional<std::string> head() const;
  /// Whether `older` is `newer` or one of its ancestors. False too for hashes that are not here. Hashes are
  /// hexadecimal.
  bool is_ancestor(const std::string& older, const std::string& newer) const;

 private:
  std::string folder_;
};

/// 7 to 64 hexadecimal digits.
bool is_commit_hash(const std::string& text);

}  // namespace plumbline
