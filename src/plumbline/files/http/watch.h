/// Ends blocking socket calls from outside: the HTTP library waits in connect and read and asks nobody meanwhile.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace plumbline {

/// Asks `stop` about every 50 ms, and looks at the deadline, until it is destroyed; when one of them says so, shuts
/// down every socket that was given to it, now and later. Works on duplicates, so that a number closed and opened again
/// by another thread is never hit.
class SocketWatch {
 public:
  /// `deadline_s` is on the clock of now_s(); 0 = none.
  SocketWatch(const std::function<bool()>& stop, double deadline_s);
  ~SocketWatch();
  SocketWatch(const SocketWatch&) = delete;
  SocketWatch& operator=(const SocketWatch&) = delete;

  void add(int socket);
  bool stopped() const { return stopped_; }
  bool late() const { return late_; }

 private:
  void run();
  void shut_down();

  const std::function<bool()>& stop_;
  const double deadline_s_;
  std::atomic<bool> stopped_ = false, late_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<int> duplicates_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace plumbline
