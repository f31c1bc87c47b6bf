/// A small HTTP server on 127.0.0.1 whose answers are bytes that the test wrote, so that it can also misbehave: cut,
/// stall, lie about lengths. It shares no code with the client under test.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace plumbline::test {

struct ServedRequest {
  std::string method, target;                  ///< "GET", "/path?query"
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;
};

/// Bytes that go out as they are, after which the connection is closed.
struct ServedAnswer {
  std::string bytes;
  double stall_s = 0;      ///< waits this long (or until the server goes) after the bytes
  double pace_s = 0;       ///< waits this long between pieces of `piece_bytes`
  size_t piece_bytes = 0;  ///< 0 = all at once
};

/// "HTTP/1.1 200 OK", headers, Content-Length and the body.
ServedAnswer answer(int status, const std::string& body, const std::map<std::string, std::string>& headers = {});

/// Thread-safe; answers connections in parallel. The handler runs on the server's threads.
class ScriptedServer {
 public:
  using Handler = std::function<ServedAnswer(const ServedRequest&)>;
  explicit ScriptedServer(Handler handler);
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  int port() const { return port_; }
  /// "http://127.0.0.1:port" + path.
  std::string url(const std::string& path = "") const;
  /// Every request so far, in the order of their arrival.
  std::vector<ServedRequest> requests() const;

 private:
  void accept_all();
  void serve(int connection);
  void wait_s(double seconds) const;

  Handler handler_;
  int listener_ = -1, port_ = 0;
  std::atomic<bool> ended_ = false;
  mutable std::mutex mutex_;
  std::vector<ServedRequest> requests_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace plumbline::test
