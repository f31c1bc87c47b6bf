/// Verification of certificates, against a server with certificates made here.
#include <gtest/gtest.h>
#include <httplib.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

#include <memory>
#include <thread>

#include "plumbline/files/http/client.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

template <auto Free>
struct Freeing {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freeing<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freeing<X509_free>>;

/// A certificate signed by itself for `names` ("DNS:localhost"), valid from now by `seconds` (negative: expired).
Certificate make_certificate(EVP_PKEY* key, const std::string& names, long seconds) {
  Certificate certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -86400);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), seconds);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME* name = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("a test"), -1, -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate.get(), certificate.get(), nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, NID_subject_alt_name, names.c_str());
  X509_add_ext(certificate.get(), extension, -1);
  X509_EXTENSION_free(extension);
  X509_sign(certificate.get(), key, EVP_sha256());
  return certificate;
}

/// https://localhost with a certificate of the given names and life.
class TlsServer {
 public:
  TlsServer(const std::string& names, long seconds) {
    const Key key(EVP_EC_gen("P-256"));
    const Certificate certificate = make_certificate(key.get(), names, seconds);
    write(key_file(), [&](std::FILE* file) {
      return PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    });
    write(certificate_file(), [&](std::FILE* file) { return PEM_write_X509(file, certificate.get()); });
    server_ = std::make_unique<httplib::SSLServer>(certificate_file().c_str(), key_file().c_str());
    server_->Get("/x", [this](const httplib::Request&, httplib::Response& response) {
      ++num_requests;
      response.set_content(std::string(100000, 's'), "text/plain");
    });
    port_ = server_->bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_->listen_after_bind(); });
    while (!server_->is_running()) std::this_thread::yield();
    ::setenv("no_proxy", "*", 1);
  }
  ~TlsServer() {
    server_->stop();
    thread_.join();
  }
  std::string certificate_file() const { return folder_.file("certificate.pem"); }
  HttpReply get(const std::string& host, const std::string& ca_file) const {
    HttpOptions options;
    options.max_attempts = 1;
    options.read_timeout_s = 5;
    options.stop = nullptr;
    options.ca_file = ca_file;
    return HttpClient(options).get("https://" + host + ":" + std::to_string(port_) + "/x");
  }

  int num_requests = 0;

 private:
  std::string key_file() const { return folder_.file("key.pem"); }
  template <typename Write>
  static void write(const std::string& path, Write write) {
    std::FILE* file = std::fopen(path.c_str(), "w");
    ASSERT_NE(file, nullptr);
    ASSERT_EQ(write(file), 1);
    std::fclose(file);
  }

  test::TemporaryFolder folder_;
  std::unique_ptr<httplib::SSLServer> server_;
  int port_ = 0;
  std::thread thread_;
};

TEST(Tls, ATrustedCertificateOfTheRightNameServes) {
  const TlsServer server("DNS:localhost,IP:127.0.0.1", 86400);
  for (const char* host : {"localhost", "127.0.0.1"}) {
    const HttpReply reply = server.get(host, server.certificate_file());
    EXPECT_TRUE(reply.ok()) << host << ": " << reply.detail;
    EXPECT_EQ(reply.body.size(), 100000u);
    EXPECT_EQ(reply.header("content-type"), "text/plain");
  }
}

TEST(Tls, AnUnknownAuthorityIsRefused) {
  const TlsServer server("DNS:localhost", 86400);
  const HttpReply reply = server.get("localhost", "");
  EXPECT_EQ(reply.failure, HttpFailure::kTls) << reply.detail;
  EXPECT_EQ(server.num_requests, 0);
}

TEST(Tls, AnotherHostsCertificateIsRefused) {
  const TlsServer server("DNS:elsewhere.example", 86400);
  EXPECT_EQ(server.get("localhost", server.certificate_file()).failure, HttpFailure::kTls);
  EXPECT_EQ(server.num_requests, 0);
}

TEST(Tls, AnExpiredCertificateIsRefused) {
  const TlsServer server("DNS:localhost", -3600);
  EXPECT_EQ(server.get("localhost", server.certificate_file()).failure, HttpFailure::kTls);
  EXPECT_EQ(server.num_requests, 0);
}

}  // namespace
}  // namespace plumbline
