/// A server with a certificate of the test's choice on https://localhost.
#pragma once

#include <gtest/gtest.h>
#include <httplib.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "tests/support/temporary_folder.h"

namespace plumbline::test {

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

/// Certificates signed by nobody but themselves, of the given names ("DNS:localhost,IP:127.0.0.1") and life (negative:
/// expired). Every GET and POST is answered with `body`.
class TlsServer {
 public:
  TlsServer(const std::string& names, long seconds, std::string body) : body_(std::move(body)) {
    const Key key(EVP_EC_gen("P-256"));
    const Certificate certificate = make_certificate(key.get(), names, seconds);
    write(key_file(), [&](std::FILE* file) {
      return PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    });
    write(certificate_file(), [&](std::FILE* file) { return PEM_write_X509(file, certificate.get()); });
    server_ = std::make_unique<httplib::SSLServer>(certificate_file().c_str(), key_file().c_str());
    const auto serve = [this](const httplib::Request&, httplib::Response& response) {
      ++num_requests;
      response.set_content(body_, "text/plain");
    };
    server_->Get(".*", serve);
    server_->Post(".*", serve);
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
  std::string url(const std::string& path, const std::string& host = "localhost") const {
    return "https://" + host + ":" + std::to_string(port_) + path;
  }

  std::atomic<int> num_requests = 0;

 private:
  std::string key_file() const { return folder_.file("key.pem"); }
  template <typename Write>
  static void write(const std::string& path, Write write) {
    std::FILE* file = std::fopen(path.c_str(), "w");
    ASSERT_NE(file, nullptr);
    ASSERT_EQ(write(file), 1);
    std::fclose(file);
  }

  const std::string body_;
  TemporaryFolder folder_;
  std::unique_ptr<httplib::SSLServer> server_;
  int port_ = 0;
  std::thread thread_;
};

}  // namespace plumbline::test
