#include "plumbline/files/http/raw_stream.h"

#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>

namespace plumbline {
namespace {

constexpr size_t kMaxHead_bytes = 256 * 1024;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

}  // namespace

bool RawStream::wait(short events) const {
  for (;;) {
    pollfd waiting = {socket_, events, 0};
    const int count = ::poll(&waiting, 1, static_cast<int>(timeout_s_ * 1000));
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) timed_out_ = true;
    return count > 0;
  }
}

ssize_t RawStream::fill() {
  for (;;) {
    if (!(ssl_ && SSL_pending(ssl_) > 0) && !wait(POLLIN)) return -1;
    ssize_t count = 0;
    if (ssl_) {
      count = SSL_read(ssl_, buffer_, sizeof buffer_);
      if (count <= 0) {
        const int error = SSL_get_error(ssl_, static_cast<int>(count));
        if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) continue;
        return error == SSL_ERROR_ZERO_RETURN ? 0 : -1;
      }
    } else {
      count = ::recv(socket_, buffer_, sizeof buffer_, 0);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return count;
    }
    begin_ = 0;
    end_ = static_cast<size_t>(count);
    keep_head({buffer_, end_});
    return head_.size() > kMaxHead_bytes ? -1 : count;
  }
}

ssize_t RawStream::read(char* out, size_t size) {
  if (begin_ == end_) {
    if (const ssize_t count = fill(); count <= 0) return count;
  }
  const size_t count = std::min(size, end_ - begin_);
  std::memcpy(out, buffer_ + begin_, count);
  begin_ += count;
  return static_cast<ssize_t>(count);
}

ssize_t RawStream::write(const char* data, size_t size) {
  if (!wait(POLLOUT)) return -1;
  if (ssl_) return SSL_write(ssl_, data, static_cast<int>(std::min(size, size_t{1} << 20)));
  for (;;) {
    const ssize_t count = ::send(socket_, data, size, MSG_NOSIGNAL);
    if (count >= 0 || errno != EINTR) return count;
  }
}

void RawStream::keep_head(std::string_view bytes) {
  if (head_ended_) return;
  head_ += bytes;
  for (;;) {
    const size_t end = head_.find("\r\n\r\n");
    if (end == std::string::npos) return;
    const size_t space = head_.find(' ');
    if (space == std::string::npos || head_[space + 1] != '1') {
      head_.resize(end + 2);
      head_ended_ = true;
      return;
    }
    head_.erase(0, end + 4);
  }
}

std::string_view RawStream::head_fault() const {
  constexpr std::string_view kStart = "HTTP/";
  const std::string_view head(head_);
  if (head.substr(0, kStart.size()) != kStart.substr(0, head.size())) return "what it sends is no HTTP";
  if (head.size() > kMaxHead_bytes) return "the headers of its answer are too large";
  for (size_t begin = 0; begin < head.size();) {
    const size_t end = std::min(head.find('\n', begin), head.size());
    if (end - begin >= CPPHTTPLIB_HEADER_MAX_LENGTH) return "a header of its answer is too large";
    begin = end + 1;
  }
  return head_ended_ ? "the head of its answer is no HTTP" : "";
}

HttpHeaders RawStream::headers() const {
  HttpHeaders headers;
  const std::string_view head(head_);
  for (size_t begin = std::min(head.find("\r\n"), head.size() - 2) + 2; head.size() > 2 && begin < head.size();) {
    const size_t end = std::min(head.find("\r\n", begin), head.size());
    const std::string_view line = head.substr(begin, end - begin);
    if (const size_t colon = line.find(':'); colon != std::string_view::npos) {
      std::string name(line.substr(0, colon));
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char byte) { return std::tolower(byte); });
      headers.emplace_back(std::move(name), trimmed(line.substr(colon + 1)));
    }
    begin = end + 2;
  }
  return headers;
}

}  // namespace plumbline
