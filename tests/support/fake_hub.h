/// A hub on this machine: the part of huggingface.co that a download uses, with large files on a second host behind a
/// redirect, and with everything that can go wrong, by switch. No code of the client in it.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "tests/support/scripted_server.h"

namespace plumbline::test {

struct HubedFile {
  std::string content;
  bool large = false;  ///< LFS: named by its SHA-256 and served by the second host
};

class FakeHub {
 public:
  /// One repository "org/model" at branch "main" (and "v1") of one commit.
  explicit FakeHub(std::map<std::string, HubedFile> files);

  std::string endpoint() const { return hub_.url(); }
  std::string commit() const { return std::string(38, 'c') + "01"; }
  /// SHA-256 of a large file, git's blob SHA-1 of a small one.
  std::string hash_of(const std::string& path) const;

  std::vector<ServedRequest> hub_requests() const { return hub_.requests(); }
  std::vector<ServedRequest> store_requests() const { return store_.requests(); }
  /// Requests for the bytes of this file, on either host.
  std::vector<ServedRequest> downloads_of(const std::string& path) const;

  /// Called first for every request to the hub or the store; an answer replaces the usual one.
  using Override = std::function<std::optional<ServedAnswer>(const ServedRequest&)>;
  void on_hub(Override override);
  void on_store(Override override);

  std::string token;         ///< when set, requests to the hub without it are answered 401
  bool knows_ranges = true;  ///< false: Range is ignored and the whole is sent

 private:
  ServedAnswer answer_of_hub(const ServedRequest& request);
  ServedAnswer answer_of_store(const ServedRequest& request);
  ServedAnswer list() const;
  ServedAnswer resolve(const ServedRequest& request, const std::string& path) const;
  ServedAnswer bytes(const ServedRequest& request, const std::string& content,
                     std::map<std::string, std::string> headers) const;

  std::map<std::string, HubedFile> files_;
  mutable std::mutex mutex_;
  Override hub_override_, store_override_;
  ScriptedServer store_, hub_;
};

/// A hub error as the real one words it.
ServedAnswer hub_error(int status, const std::string& code, const std::string& message);

}  // namespace plumbline::test
