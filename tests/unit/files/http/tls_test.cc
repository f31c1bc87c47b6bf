/// Verification of certificates, against a server with certificates made here.
#include <gtest/gtest.h>

#include "plumbline/files/http/client.h"
#include "tests/support/tls_server.h"

namespace plumbline {
namespace {

HttpReply get(const test::TlsServer& server, const std::string& host, const std::string& ca_file) {
  HttpOptions options;
  options.max_attempts = 1;
  options.read_timeout_s = 5;
  options.stop = nullptr;
  options.ca_file = ca_file;
  return HttpClient(options).get(server.url("/x", host));
}

const std::string kBody(100000, 's');

TEST(Tls, ATrustedCertificateOfTheRightNameServes) {
  const test::TlsServer server("DNS:localhost,IP:127.0.0.1", 86400, kBody);
  for (const char* host : {"localhost", "127.0.0.1"}) {
    const HttpReply reply = get(server, host, server.certificate_file());
    EXPECT_TRUE(reply.ok()) << host << ": " << reply.detail;
    EXPECT_EQ(reply.body.size(), 100000u);
    EXPECT_EQ(reply.header("content-type"), "text/plain");
  }
}

TEST(Tls, AnUnknownAuthorityIsRefused) {
  const test::TlsServer server("DNS:localhost", 86400, kBody);
  const HttpReply reply = get(server, "localhost", "");
  EXPECT_EQ(reply.failure, HttpFailure::kTls) << reply.detail;
  EXPECT_EQ(server.num_requests, 0);
}

TEST(Tls, AnotherHostsCertificateIsRefused) {
  const test::TlsServer server("DNS:elsewhere.example", 86400, kBody);
  EXPECT_EQ(get(server, "localhost", server.certificate_file()).failure, HttpFailure::kTls);
  EXPECT_EQ(server.num_requests, 0);
}

TEST(Tls, AnExpiredCertificateIsRefused) {
  const test::TlsServer server("DNS:localhost", -3600, kBody);
  EXPECT_EQ(get(server, "localhost", server.certificate_file()).failure, HttpFailure::kTls);
  EXPECT_EQ(server.num_requests, 0);
}

}  // namespace
}  // namespace plumbline
