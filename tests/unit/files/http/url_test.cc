#include "plumbline/files/http/url.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "plumbline/base/error.h"
#include "plumbline/files/http/proxy.h"
#include "plumbline/files/http/retry.h"

namespace plumbline {
namespace {

TEST(Url, IsTakenApart) {
  const Url url = parse_url("HTTPS://Hub.Example:8443/a/b?c=d#e");
  EXPECT_EQ(url.scheme, "https");
  EXPECT_EQ(url.host, "hub.example");
  EXPECT_EQ(url.port, 8443);
  EXPECT_EQ(url.target, "/a/b?c=d");
  EXPECT_EQ(url.origin(), "https://hub.example:8443");
  EXPECT_EQ(url.printable(), "https://hub.example:8443/a/b");
  EXPECT_EQ(parse_url("http://h").text(), "http://h/");
  EXPECT_EQ(parse_url("http://h?q").target, "/?q");
  EXPECT_EQ(parse_url("http://[::1]:80/x").text(), "http://[::1]/x");
}

TEST(Url, WhatIsNoneIsRefused) {
  for (const char* text :
       {"", "h/x", "ftp://h/", "file:///etc/passwd", "http://", "http:///x", "http://h:0/", "http://h:99999/",
        "http://h:8x/", "http://u:p@h/", "http://h/a b", "http://h/\r\nX: y", "http://[::1", "http://[::1]x/"}) {
    EXPECT_THROW(parse_url(text), ConfigError) << text;
  }
  try {
    parse_url("https://user:secret@h/");
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.line().find("secret"), std::string::npos);
  }
}

TEST(Url, RedirectsAreResolvedAsBrowsersDo) {
  const Url base = parse_url("https://h/a/b?c");
  EXPECT_EQ(resolve_url(base, "https://other/x").text(), "https://other/x");
  EXPECT_EQ(resolve_url(base, "//other/x").text(), "https://other/x");
  EXPECT_EQ(resolve_url(base, "/x?y").text(), "https://h/x?y");
  EXPECT_EQ(resolve_url(base, "x").text(), "https://h/a/x");
  EXPECT_EQ(resolve_url(base, "?z").text(), "https://h/a/b?z");
  EXPECT_THROW(resolve_url(base, "javascript:x"), ConfigError);
  EXPECT_THROW(resolve_url(base, "ftp://h/x"), ConfigError);
}

TEST(PercentEncode, KeepsWhatIsUnreserved) {
  EXPECT_EQ(percent_encode("a-b_c.d~/e f+%"), "a-b_c.d~%2Fe%20f%2B%25");
  EXPECT_EQ(percent_encode("a/b c", true), "a/b%20c");
  EXPECT_EQ(percent_encode("\xC3\xA9"), "%C3%A9");
}

class ProxyVariables : public ::testing::Test {
 protected:
  ProxyVariables() { clear(); }
  ~ProxyVariables() override { clear(); }
  static void clear() {
    for (const char* name :
         {"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"}) {
      ::unsetenv(name);
    }
  }
};

TEST_F(ProxyVariables, AreThoseOfCurl) {
  EXPECT_FALSE(proxy_for(parse_url("http://h/")));
  ::setenv("HTTP_PROXY", "http://bad:1", 1);
  EXPECT_FALSE(proxy_for(parse_url("http://h/"))) << "a CGI server's header";
  ::setenv("http_proxy", "http://p:3128", 1);
  EXPECT_EQ(proxy_for(parse_url("http://h/"))->port, 3128);
  EXPECT_FALSE(proxy_for(parse_url("https://h/")));
  ::setenv("HTTPS_PROXY", "user:p%40ss@q:8080/", 1);
  const Proxy proxy = *proxy_for(parse_url("https://h/"));
  EXPECT_EQ(proxy.host, "q");
  EXPECT_EQ(proxy.port, 8080);
  EXPECT_EQ(proxy.user, "user");
  EXPECT_EQ(proxy.password, "p@ss");
  ::setenv("NO_PROXY", "other, .example ,h:444", 1);
  EXPECT_TRUE(proxy_for(parse_url("https://h/")));
  EXPECT_FALSE(proxy_for(parse_url("https://h:444/")));
  EXPECT_FALSE(proxy_for(parse_url("https://a.example/")));
  EXPECT_FALSE(proxy_for(parse_url("https://example/")));
  EXPECT_TRUE(proxy_for(parse_url("https://notexample/")));
  ::setenv("NO_PROXY", "*", 1);
  EXPECT_FALSE(proxy_for(parse_url("https://h/")));
}

TEST_F(ProxyVariables, ABadOneIsToldWithoutItsValue) {
  ::setenv("https_proxy", "socks5://user:secret@p:1080", 1);
  try {
    proxy_for(parse_url("https://h/"));
    ADD_FAILURE();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.where(), "https_proxy");
    EXPECT_EQ(error.line().find("secret"), std::string::npos);
  }
}

TEST(RetryAfter, IsSecondsOrADate) {
  EXPECT_EQ(retry_after_s("120", 0), 120);
  EXPECT_EQ(retry_after_s("0.5", 0), 0.5);
  // RFC 9110's example; 784111777 is that moment.
  for (const char* date :
       {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"}) {
    EXPECT_EQ(retry_after_s(date, 784111777 - 30), 30) << date;
    EXPECT_EQ(retry_after_s(date, 784111777 + 30), 0) << date;
  }
  for (const char* text : {"", "soon", "-1", "1e3", "12 s", "inf", "nan", "Sun, 06 Nov 1994"}) {
    EXPECT_FALSE(retry_after_s(text, 0)) << text;
  }
}

TEST(Backoff, DoublesToItsBoundLessTheJitter) {
  HttpOptions options;
  options.backoff_s = 1;
  options.max_backoff_s = 5;
  EXPECT_EQ(backoff_s(options, 2, 0), 1);
  EXPECT_EQ(backoff_s(options, 3, 0), 2);
  EXPECT_EQ(backoff_s(options, 4, 0), 4);
  EXPECT_EQ(backoff_s(options, 40, 0), 5);
  EXPECT_EQ(backoff_s(options, 3, 0.5), 1.5);
}

}  // namespace
}  // namespace plumbline
