/// The bytes of one connection, for the HTTP library to read, with the head of the answer kept as it was sent. The
/// library (0.11) percent-decodes header values, which breaks the signed addresses that the hub redirects to.
#pragma once

#include <httplib.h>
#include <poll.h>

#include <string>

#include "plumbline/files/http/client.h"

namespace plumbline {

/// `ssl` is null for plain HTTP. Neither descriptor nor session is owned.
class RawStream : public httplib::Stream {
 public:
  RawStream(int socket, SSL* ssl, double timeout_s) : socket_(socket), ssl_(ssl), timeout_s_(timeout_s) {}

  bool is_readable() const override { return begin_ < end_ || wait(POLLIN); }
  bool is_writable() const override { return wait(POLLOUT); }
  ssize_t read(char* out, size_t size) override;
  ssize_t write(const char* data, size_t size) override;
  // For servers; a client's library does not ask.
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return socket_; }

  /// Headers of the answer, names in lower case, once its head has been read. Heads of 1xx answers are passed over.
  HttpHeaders headers() const;
  /// Whether a read or a write ended because nothing moved for timeout_s.
  bool timed_out() const { return timed_out_; }
  /// Whether anything came of an answer.
  bool has_begun() const { return !head_.empty(); }
  /// What is wrong with the head that came, for people; empty when nothing is, as far as it came.
  std::string_view head_fault() const;

 private:
  bool wait(short events) const;
  ssize_t fill();
  void keep_head(std::string_view bytes);

  const int socket_;
  SSL* const ssl_;
  const double timeout_s_;
  mutable bool timed_out_ = false;
  char buffer_[16 * 1024];
  size_t begin_ = 0, end_ = 0;
  std::string head_;
  bool head_ended_ = false;
};

}  // namespace plumbline
