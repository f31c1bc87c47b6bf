#include "plumbline/files/http/exchange.h"

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <cctype>
#include <memory>

#include "plumbline/base/build_info.h"
#include "plumbline/base/clock.h"
#include "plumbline/files/http/proxy.h"
#include "plumbline/files/http/raw_stream.h"
#include "plumbline/files/http/watch.h"

namespace plumbline {
namespace {

constexpr size_t kMaxErrorBody_bytes = 64 * 1024;

bool is_success(int status) {
  return status >= 200 && status < 300;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char byte) { return std::tolower(byte); });
  return text;
}

/// What the stream knows and the library does not tell.
struct Wire {
  double timeout_s = 0;
  RawStream* stream = nullptr;  ///< while the library reads
  HttpHeaders headers;          ///< afterwards
  bool timed_out = false;
  bool has_begun = false;       ///< something of an answer came
  std::string_view head_fault;  ///< RawStream::head_fault
};

/// The library's client, reading through RawStream.
template <typename Client>
class RawClient : public Client {
 public:
  RawClient(const Url& url, Wire& wire) : Client(url.host, url.port), wire_(wire) {}

 private:
  bool process_socket(const typename Client::Socket& socket,
                      std::function<bool(httplib::Stream& stream)> callback) override {
    RawStream stream(socket.sock, socket.ssl, wire_.timeout_s);
    wire_.stream = &stream;
    const bool done = callback(stream);
    wire_.stream = nullptr;
    wire_.headers = stream.headers();
    wire_.timed_out = stream.timed_out();
    wire_.has_begun = stream.has_begun();
    wire_.head_fault = stream.head_fault();
    return done;
  }

  Wire& wire_;
};

void set_timeouts(httplib::ClientImpl& client, const HttpOptions& options) {
  const auto parts = [](double seconds) {
    const auto whole = static_cast<time_t>(seconds);
    return std::pair(whole, static_cast<time_t>((seconds - static_cast<double>(whole)) * 1e6));
  };
  const auto [connect_s, connect_us] = parts(options.connect_timeout_s);
  const auto [read_s, read_us] = parts(options.read_timeout_s);
  client.set_connection_timeout(connect_s, connect_us);
  client.set_read_timeout(read_s, read_us);
  client.set_write_timeout(read_s, read_us);
}

std::unique_ptr<httplib::ClientImpl> make_client(const HttpOptions& options, const Url& url, Wire& wire) {
  std::unique_ptr<httplib::ClientImpl> client;
  if (url.scheme == "https") {
    auto tls = std::make_unique<RawClient<httplib::SSLClient>>(url, wire);
    if (!options.ca_file.empty()) tls->set_ca_cert_path(options.ca_file);
    tls->enable_server_certificate_verification(true);
    client = std::move(tls);
  } else {
    client = std::make_unique<RawClient<httplib::ClientImpl>>(url, wire);
  }
  set_timeouts(*client, options);
  client->set_follow_location(false);
  client->set_url_encode(false);
  client->set_decompress(false);
  client->set_tcp_nodelay(true);
  if (const std::optional<Proxy> proxy = proxy_for(url)) {
    client->set_proxy(proxy->host, proxy->port);
    if (!proxy->user.empty()) client->set_proxy_basic_auth(proxy->user, proxy->password);
  }
  return client;
}

/// What has come so far; the library hands out nothing of an answer that was cut.
class Answer {
 public:
  Answer(const HttpOptions& options, const HttpRequest& request, const Wire& wire, bool& took_body)
      : options_(options), request_(request), wire_(wire), took_body_(took_body) {}

  bool take_head(const httplib::Response& response) {
    reply_.status = response.status;
    reply_.headers = wire_.stream ? wire_.stream->headers() : wire_.headers;
    const std::string_view coding = reply_.header("content-encoding");
    if (is_success(response.status) && !coding.empty() && lower(std::string(coding)) != "identity") {
      return refuse(HttpFailure::kProtocol, "the answer is compressed though that was not asked for");
    }
    if (is_success(response.status) && request_.on_head && !request_.on_head(reply_)) {
      return refuse(HttpFailure::kStopped, "stopped by the receiver");
    }
    return true;
  }

  bool take_body(const char* data, size_t size) {
    if (!is_success(reply_.status)) {
      reply_.body.append(data, std::min(size, kMaxErrorBody_bytes - reply_.body.size()));
      // What explains a failure stands at its start; the rest of an endless page is not worth its time.
      return reply_.body.size() < kMaxErrorBody_bytes;
    }
    if (request_.sink) {
      took_body_ = true;
      return request_.sink({data, size}) || refuse(HttpFailure::kStopped, "stopped by the receiver");
    }
    if (reply_.body.size() + size > static_cast<size_t>(options_.max_body_bytes)) {
      return refuse(HttpFailure::kTooLarge, fmt::format("the answer has more than {} bytes", options_.max_body_bytes));
    }
    reply_.body.append(data, size);
    return true;
  }

  HttpReply& reply() { return reply_; }

 private:
  bool refuse(HttpFailure failure, const std::string& detail) {
    reply_.failure = failure;
    reply_.detail = detail;
    return false;
  }

  const HttpOptions& options_;
  const HttpRequest& request_;
  const Wire& wire_;
  bool& took_body_;
  HttpReply reply_;
};

/// The library says Read both for a silent peer and for one that has gone.
HttpFailure failure_of(httplib::Error error, const Wire& wire, int status) {
  using httplib::Error;
  switch (error) {
    case Error::Connection:
    case Error::BindIPAddress:
      return HttpFailure::kConnect;
    case Error::ConnectionTimeout:
      return HttpFailure::kTimeout;
    case Error::SSLConnection:
    case Error::SSLLoadingCerts:
    case Error::SSLServerVerification:
      return HttpFailure::kTls;
    default:
      if (wire.timed_out) return HttpFailure::kTimeout;
      if (!status && !wire.head_fault.empty()) return HttpFailure::kProtocol;
      return wire.has_begun ? HttpFailure::kCutBody : HttpFailure::kConnect;
  }
}

std::string detail_of(HttpFailure failure, httplib::Error error, const Wire& wire, const std::string& place) {
  switch (failure) {
    case HttpFailure::kProtocol:
      return place + ": " + std::string(wire.head_fault);
    case HttpFailure::kTimeout:
      return place + " does not answer in time";
    case HttpFailure::kCutBody:
      return "the connection to " + place + " closed in the middle of the answer";
    case HttpFailure::kTls:
      return error == httplib::Error::SSLServerVerification
                 ? "the certificate of " + place + " is not valid for it or not signed by a known authority"
                 : "no TLS connection to " + place;
    case HttpFailure::kConnect:
      return error == httplib::Error::Connection ? "no connection to " + place
                                                 : place + " closed the connection without an answer";
    default:
      return place + ": " + httplib::to_string(error);
  }
}

httplib::Request make_request(const Exchange& exchange, Answer& answer) {
  httplib::Request request;
  request.method = exchange.request.method;
  request.path = exchange.url.target;
  for (const auto& [name, value] : exchange.headers) request.headers.emplace(name, value);
  request.set_header("Accept-Encoding", "identity");
  if (!request.has_header("Accept")) request.set_header("Accept", "*/*");
  if (!request.has_header("User-Agent")) request.set_header("User-Agent", "plumbline/" + build_info().version);
  if (exchange.request.method == "POST") {
    request.body = exchange.request.body;
    request.set_header("Content-Type", exchange.request.content_type);
  }
  request.response_handler = [&answer](const httplib::Response& response) { return answer.take_head(response); };
  request.content_receiver = [&answer](const char* data, size_t size, uint64_t, uint64_t) {
    return answer.take_body(data, size);
  };
  return request;
}

}  // namespace

HttpReply exchange(const HttpOptions& options, const Exchange& exchange, bool& took_body) {
  Wire wire;
  wire.timeout_s = options.read_timeout_s;
  Answer answer(options, exchange.request, wire, took_body);
  const std::string place = exchange.url.printable();
  SocketWatch watch(options.stop, options.total_timeout_s > 0 ? now_s() + options.total_timeout_s : 0);
  const std::unique_ptr<httplib::ClientImpl> client = make_client(options, exchange.url, wire);
  client->set_socket_options([&watch](socket_t socket) { watch.add(socket); });
  const httplib::Result result = client->send(make_request(exchange, answer));

  HttpReply& reply = answer.reply();
  // HEAD and 204 have no body, and the library then skips the handler.
  if (result && reply.status == 0) answer.take_head(*result);
  reply.url = exchange.url.text();
  if (watch.stopped()) {
    reply.failure = HttpFailure::kInterrupted;
    reply.detail = "interrupted while waiting for " + place;
  } else if (reply.failure != HttpFailure::kNone) {
    reply.detail = place + ": " + reply.detail;
  } else if (reply.status != 0 && !is_success(reply.status)) {
    // A redirect is no failure yet; what is said of a refusal does not need its whole body.
    if (reply.status < 300 || reply.status >= 400) reply.failure = HttpFailure::kStatus;
    reply.detail = fmt::format("{} from {}", reply.status, place);
  } else if (!result) {
    reply.failure = watch.late() ? HttpFailure::kTimeout : failure_of(result.error(), wire, reply.status);
    reply.detail = detail_of(reply.failure, result.error(), wire, place);
  }
  return reply;
}

}  // namespace plumbline
