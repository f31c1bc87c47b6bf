#include "tests/support/scripted_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace plumbline::test {
namespace {

/// The request's head and body; false when the peer went before it was whole.
bool read_request(int connection, ServedRequest& request) {
  std::string text;
  char buffer[4096];
  size_t head_end = std::string::npos, length = 0;
  while (head_end == std::string::npos || text.size() < head_end + 4 + length) {
    const ssize_t count = ::recv(connection, buffer, sizeof buffer, 0);
    if (count <= 0) return false;
    text.append(buffer, static_cast<size_t>(count));
    if (head_end != std::string::npos || (head_end = text.find("\r\n\r\n")) == std::string::npos) continue;
    std::istringstream lines(text.substr(0, head_end));
    lines >> request.method >> request.target;
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      const size_t colon = line.find(':');
      if (colon == std::string::npos) continue;
      std::string name = line.substr(0, colon);
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char byte) { return std::tolower(byte); });
      request.headers[name] = line.substr(std::min(line.find_first_not_of(' ', colon + 1), line.size()));
    }
    if (request.headers.count("content-length")) length = std::stoul(request.headers["content-length"]);
  }
  request.body = text.substr(head_end + 4);
  return true;
}

bool send_all(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

}  // namespace

ServedAnswer answer(int status, const std::string& body, const std::map<std::string, std::string>& headers) {
  std::string head = "HTTP/1.1 " + std::to_string(status) + " Said\r\n";
  for (const auto& [name, value] : headers) head += name + ": " + value + "\r\n";
  ServedAnswer whole;
  whole.bytes = head + "Content-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
  return whole;
}

ScriptedServer::ScriptedServer(Handler handler) : handler_(std::move(handler)) {
  ::setenv("no_proxy", "*", 1);  // whatever proxy this machine uses does not know this server
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (listener_ < 0 || ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(listener_, 64) != 0 || ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw std::runtime_error("no local server can be started");
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_all(); });
}

ScriptedServer::~ScriptedServer() {
  ended_ = true;
  acceptor_.join();
  ::close(listener_);
  for (std::thread& thread : threads_) thread.join();
}

void ScriptedServer::accept_all() {
  while (!ended_) {
    pollfd waiting = {listener_, POLLIN, 0};
    if (::poll(&waiting, 1, 20) <= 0) continue;
    const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection >= 0) threads_.emplace_back([this, connection] { serve(connection); });
  }
}

void ScriptedServer::wait_s(double seconds) const {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!ended_ && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void ScriptedServer::serve(int connection) {
  // A client that connects and says nothing must not hold up the test's end.
  const timeval patience = {5, 0};
  ::setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ServedRequest request;
  if (read_request(connection, request)) {
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
    }
    const ServedAnswer reply = handler_(request);
    const size_t step = reply.piece_bytes ? reply.piece_bytes : std::max<size_t>(reply.bytes.size(), 1);
    for (size_t begin = 0; begin < reply.bytes.size() && !ended_; begin += step) {
      if (begin) wait_s(reply.pace_s);
      if (!send_all(connection, std::string_view(reply.bytes).substr(begin, step))) break;
    }
    wait_s(reply.stall_s);
  }
  ::shutdown(connection, SHUT_RDWR);
  ::close(connection);
}

std::string ScriptedServer::url(const std::string& path) const {
  return "http://127.0.0.1:" + std::to_string(port_) + path;
}

std::vector<ServedRequest> ScriptedServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

}  // namespace plumbline::test
