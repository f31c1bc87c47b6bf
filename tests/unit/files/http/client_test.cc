#include "plumbline/files/http/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <ctime>

#include "plumbline/base/clock.h"
#include "plumbline/base/error.h"
#include "tests/support/scripted_server.h"

namespace plumbline {
namespace {

using test::answer;
using test::ScriptedServer;
using test::ServedAnswer;
using test::ServedRequest;
using ::testing::HasSubstr;
using ::testing::Not;

HttpOptions quick() {
  HttpOptions options;
  options.connect_timeout_s = 2;
  options.read_timeout_s = 2;
  options.backoff_s = 0.01;
  options.max_attempts = 3;
  options.stop = nullptr;
  return options;
}

TEST(HttpClient, GetsAndPostsWithHeaders) {
  ScriptedServer server([](const ServedRequest& request) {
    return answer(200, request.method + " " + request.body, {{"X-Repo-Commit", "abc"}});
  });
  const HttpClient client(quick());
  const HttpReply got = client.get(server.url("/a%20b?c=d+e"), {{"Authorization", "Bearer t"}});
  EXPECT_TRUE(got.ok()) << got.detail;
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.body, "GET ");
  EXPECT_EQ(got.header("x-repo-commit"), "abc");
  EXPECT_EQ(got.num_attempts, 1);
  EXPECT_EQ(client.post(server.url("/p"), "{}").body, "POST {}");

  const std::vector<ServedRequest> requests = server.requests();
  EXPECT_EQ(requests[0].target, "/a%20b?c=d+e") << "the address goes out as it was given";
  EXPECT_EQ(requests[0].headers.at("authorization"), "Bearer t");
  EXPECT_EQ(requests[0].headers.at("accept-encoding"), "identity");
  EXPECT_EQ(requests[1].headers.at("content-type"), "application/json");
}

TEST(HttpClient, HeadBringsHeadersOnly) {
  ScriptedServer server([](const ServedRequest&) {
    return ServedAnswer{"HTTP/1.1 200 OK\r\nContent-Length: 12345\r\nETag: \"e\"\r\n\r\n"};
  });
  HttpRequest request;
  request.method = "HEAD";
  request.url = server.url("/f");
  const HttpReply reply = HttpClient(quick()).send(request);
  EXPECT_TRUE(reply.ok()) << reply.detail;
  EXPECT_EQ(reply.header("etag"), "\"e\"");
  EXPECT_EQ(reply.body, "");
}

TEST(HttpClient, StreamsABodyToTheSink) {
  const std::string body(300000, 'x');
  ScriptedServer server([&](const ServedRequest&) { return answer(200, body); });
  std::string taken, seen_length;
  HttpRequest request;
  request.url = server.url("/f");
  request.on_head = [&](const HttpReply& head) {
    seen_length = head.header("content-length");
    return true;
  };
  request.sink = [&](std::string_view piece) {
    taken += piece;
    return true;
  };
  const HttpReply reply = HttpClient(quick()).send(request);
  EXPECT_TRUE(reply.ok());
  EXPECT_EQ(taken, body);
  EXPECT_EQ(seen_length, "300000");
  EXPECT_EQ(reply.body, "");

  request.sink = [](std::string_view) { return false; };
  EXPECT_EQ(HttpClient(quick()).send(request).failure, HttpFailure::kStopped);
}

TEST(HttpClient, ABodyInMemoryHasALimit) {
  ScriptedServer server([&](const ServedRequest&) { return answer(200, std::string(5000, 'x')); });
  HttpOptions options = quick();
  options.max_body_bytes = 4999;
  EXPECT_EQ(HttpClient(options).get(server.url()).failure, HttpFailure::kTooLarge);
  options.max_body_bytes = 5000;
  EXPECT_TRUE(HttpClient(options).get(server.url()).ok());
}

TEST(HttpClient, AStatusIsAFailureWithItsBody) {
  ScriptedServer server([&](const ServedRequest&) { return answer(403, "no entry", {{"X-Error-Code", "Gated"}}); });
  const HttpReply reply = HttpClient(quick()).get(server.url("/x?signature=secret"));
  EXPECT_EQ(reply.failure, HttpFailure::kStatus);
  EXPECT_EQ(reply.status, 403);
  EXPECT_EQ(reply.body, "no entry");
  EXPECT_EQ(reply.header("x-error-code"), "Gated");
  EXPECT_THAT(reply.detail, Not(HasSubstr("secret")));
  EXPECT_EQ(server.requests().size(), 1u) << "a refusal is not asked twice";
}

TEST(HttpClient, AnEndlessErrorPageIsCut) {
  ScriptedServer server([&](const ServedRequest&) { return answer(404, std::string(1 << 20, 'x')); });
  const HttpReply reply = HttpClient(quick()).get(server.url());
  EXPECT_EQ(reply.failure, HttpFailure::kStatus);
  EXPECT_EQ(reply.body.size(), 64u * 1024);
}

TEST(HttpClient, TriesAgainAndWaitsAsAsked) {
  std::atomic<int> calls = 0;
  ScriptedServer server([&](const ServedRequest&) {
    const int call = ++calls;
    if (call == 1) return answer(429, "", {{"Retry-After", "0.3"}});
    return call == 2 ? answer(503, "") : answer(200, "done");
  });
  const double start_s = now_s();
  const HttpReply reply = HttpClient(quick()).get(server.url());
  EXPECT_EQ(reply.body, "done");
  EXPECT_EQ(reply.num_attempts, 3);
  EXPECT_GE(now_s() - start_s, 0.3);
}

TEST(HttpClient, GivesUpAfterMaxAttemptsAndOnALongRetryAfter) {
  ScriptedServer server([&](const ServedRequest& request) {
    return request.target == "/long" ? answer(429, "", {{"Retry-After", "3600"}}) : answer(503, "");
  });
  EXPECT_EQ(HttpClient(quick()).get(server.url("/")).num_attempts, 3);
  const HttpReply reply = HttpClient(quick()).get(server.url("/long"));
  EXPECT_EQ(reply.num_attempts, 1);
  EXPECT_THAT(reply.detail, HasSubstr("1 h 00 min"));
}

TEST(HttpClient, ACutBodyIsToldAndTriedAgain) {
  std::atomic<int> calls = 0;
  ScriptedServer server([&](const ServedRequest&) {
    ServedAnswer reply = answer(200, "0123456789");
    if (++calls == 1) reply.bytes.resize(reply.bytes.size() - 4);
    return reply;
  });
  EXPECT_EQ(HttpClient(quick()).get(server.url()).body, "0123456789");

  // A sink that has taken bytes cannot be rewound by the client.
  calls = 0;
  HttpRequest request;
  request.url = server.url();
  std::string taken;
  request.sink = [&](std::string_view piece) {
    taken += piece;
    return true;
  };
  HttpReply reply = HttpClient(quick()).send(request);
  EXPECT_EQ(reply.failure, HttpFailure::kCutBody);
  EXPECT_EQ(taken, "012345");

  // The caller can.
  calls = 0;
  request.before_attempt = [&](HttpRequest&) { taken.clear(); };
  reply = HttpClient(quick()).send(request);
  EXPECT_TRUE(reply.ok()) << reply.detail;
  EXPECT_EQ(taken, "0123456789");
}

TEST(HttpClient, ACutChunkedBodyIsNotAnAnswer) {
  ScriptedServer server([&](const ServedRequest&) {
    return ServedAnswer{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"};
  });
  EXPECT_EQ(HttpClient(quick()).get(server.url()).failure, HttpFailure::kCutBody);
}

TEST(HttpClient, NoConnectionAndNoAnswerAreFailures) {
  int port = 0;
  {
    ScriptedServer gone([](const ServedRequest&) { return answer(200, ""); });
    port = gone.port();
  }
  const HttpReply refused = HttpClient(quick()).get("http://127.0.0.1:" + std::to_string(port) + "/x");
  EXPECT_EQ(refused.failure, HttpFailure::kConnect);
  EXPECT_EQ(refused.num_attempts, 3);
  EXPECT_EQ(refused.status, 0);

  ScriptedServer mute([](const ServedRequest&) { return ServedAnswer{""}; });
  EXPECT_EQ(HttpClient(quick()).get(mute.url()).failure, HttpFailure::kConnect);
  EXPECT_EQ(HttpClient(quick()).get("http://no-such-host.invalid/").failure, HttpFailure::kConnect);
}

TEST(HttpClient, SilenceAndTrickleTimeOut) {
  ScriptedServer server([](const ServedRequest& request) {
    ServedAnswer reply = answer(200, std::string(1000, 'x'));
    if (request.target == "/silent") {
      reply.bytes.clear();
      reply.stall_s = 5;
    } else {
      reply.piece_bytes = 1;
      reply.pace_s = 0.02;
    }
    return reply;
  });
  HttpOptions options = quick();
  options.max_attempts = 1;
  options.read_timeout_s = 0.3;
  EXPECT_EQ(HttpClient(options).get(server.url("/silent")).failure, HttpFailure::kTimeout);
  options.total_timeout_s = 0.5;
  const double start_s = now_s();
  EXPECT_EQ(HttpClient(options).get(server.url("/trickle")).failure, HttpFailure::kTimeout);
  EXPECT_LT(now_s() - start_s, 2);
}

TEST(HttpClient, StopsSoonWhenInterrupted) {
  ScriptedServer server([](const ServedRequest&) {
    ServedAnswer reply = answer(200, "x");
    reply.bytes.pop_back();
    reply.stall_s = 10;
    return reply;
  });
  HttpOptions options = quick();
  options.read_timeout_s = 30;
  const double start_s = now_s();
  options.stop = [start_s] { return now_s() - start_s > 0.2; };
  const HttpReply reply = HttpClient(options).get(server.url());
  EXPECT_EQ(reply.failure, HttpFailure::kInterrupted);
  EXPECT_LT(now_s() - start_s, 2);
  EXPECT_THROW(require_ok(reply, "the judge"), Interrupted);
}

TEST(HttpClient, StopsSoonWhileConnectingAndWhileWaitingToTryAgain) {
  HttpOptions options = quick();
  options.connect_timeout_s = 30;
  options.backoff_s = 30;
  double start_s = now_s();
  options.stop = [&start_s] { return now_s() - start_s > 0.2; };
  // 192.0.2.0/24 is for documentation (RFC 5737): packets to it are dropped, or refused where there is no network.
  EXPECT_EQ(HttpClient(options).get("http://192.0.2.1/").failure, HttpFailure::kInterrupted);
  EXPECT_LT(now_s() - start_s, 3);

  ScriptedServer server([](const ServedRequest&) { return answer(503, ""); });
  start_s = now_s();
  EXPECT_EQ(HttpClient(options).get(server.url()).failure, HttpFailure::kInterrupted);
  EXPECT_LT(now_s() - start_s, 3);
}

TEST(HttpClient, ARedirectElsewhereLeavesTheSecretsBehind) {
  ScriptedServer store([](const ServedRequest&) { return answer(200, "bytes"); });
  ScriptedServer hub([&](const ServedRequest& request) {
    return request.target == "/start" ? answer(307, "", {{"Location", "/second"}})
                                      : answer(302, "", {{"Location", store.url("/f")}});
  });
  const HttpHeaders headers = {
      {"authorization", "Bearer t"}, {"Cookie", "c"}, {"X-Api-Key", "k"}, {"Range", "bytes=2-"}};
  EXPECT_EQ(HttpClient(quick()).get(hub.url("/start"), headers).body, "bytes");
  EXPECT_EQ(hub.requests().at(1).headers.at("authorization"), "Bearer t") << "the same origin keeps them";
  const ServedRequest last = store.requests().at(0);
  for (const char* name : {"authorization", "cookie", "x-api-key"}) EXPECT_EQ(last.headers.count(name), 0u) << name;
  EXPECT_EQ(last.headers.at("range"), "bytes=2-");

  // A redirect back does not bring them back.
  ScriptedServer bouncing([&](const ServedRequest&) { return answer(302, "", {{"Location", hub.url("/back")}}); });
  HttpOptions options = quick();
  options.max_redirects = 3;
  HttpClient(options).get(bouncing.url("/"), headers);
  EXPECT_EQ(hub.requests().back().headers.count("authorization"), 0u);

  options.follow_other_origins = false;
  const HttpReply first = HttpClient(options).get(hub.url("/start"), headers);
  EXPECT_TRUE(first.ok());
  EXPECT_EQ(first.status, 302);
  EXPECT_EQ(first.header("location"), store.url("/f"));
}

TEST(HttpClient, LoopsAndBadRedirectsEnd) {
  ScriptedServer server([](const ServedRequest& request) {
    if (request.target == "/nowhere") return answer(302, "");
    if (request.target == "/script") return answer(302, "", {{"Location", "javascript:alert(1)"}});
    return answer(302, "", {{"Location", "/loop"}});
  });
  HttpOptions options = quick();
  options.max_redirects = 4;
  EXPECT_EQ(HttpClient(options).get(server.url("/loop")).failure, HttpFailure::kRedirect);
  EXPECT_EQ(server.requests().size(), 5u);
  EXPECT_EQ(HttpClient(options).get(server.url("/nowhere")).failure, HttpFailure::kProtocol);
  EXPECT_EQ(HttpClient(options).get(server.url("/script")).failure, HttpFailure::kProtocol);
}

TEST(HttpClient, APostIsNotTurnedIntoAGetNorSentElsewhere) {
  ScriptedServer other([](const ServedRequest&) { return answer(200, "leaked"); });
  ScriptedServer server([&](const ServedRequest& request) {
    if (request.target == "/moved") return answer(302, "", {{"Location", "/new"}});
    if (request.target == "/away") return answer(307, "", {{"Location", other.url("/x")}});
    if (request.target == "/kept") return answer(308, "", {{"Location", "/new"}});
    return answer(200, request.method + " " + request.body);
  });
  const HttpClient client(quick());
  EXPECT_EQ(client.post(server.url("/moved"), "{}").failure, HttpFailure::kRedirect);
  EXPECT_EQ(client.post(server.url("/away"), "{}").failure, HttpFailure::kRedirect);
  EXPECT_TRUE(other.requests().empty());
  EXPECT_EQ(client.post(server.url("/kept"), "{}").body, "POST {}");
}

TEST(HttpClient, ASignedRedirectStaysAsItIs) {
  const std::string target = "/store?Policy=a%2Fb%3D%22x%22&Signature=c~d__%2B+e";
  ScriptedServer server([&](const ServedRequest& request) {
    return request.target == target ? answer(200, "signed") : answer(302, "", {{"Location", target}});
  });
  EXPECT_EQ(HttpClient(quick()).get(server.url("/start")).body, "signed");
}

TEST(HttpClient, HeadersComeAsTheyWereSentAndInformationalAnswersArePassedOver) {
  ScriptedServer server([](const ServedRequest&) {
    return ServedAnswer{
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nETag:  \"50%25\" \r\nContent-Length: "
        "2\r\n\r\nok"};
  });
  const HttpReply reply = HttpClient(quick()).get(server.url());
  EXPECT_EQ(reply.body, "ok");
  EXPECT_EQ(reply.header("etag"), "\"50%25\"");
}

TEST(HttpClient, AnEndlessHeadIsRefused) {
  ScriptedServer server([](const ServedRequest&) {
    std::string head = "HTTP/1.1 200 OK\r\n";
    while (head.size() < 600000) head += "X-A: " + std::string(1000, 'a') + "\r\n";
    return ServedAnswer{head + "\r\n"};
  });
  HttpOptions options = quick();
  options.max_attempts = 1;
  EXPECT_EQ(HttpClient(options).get(server.url()).failure, HttpFailure::kProtocol);
}

TEST(HttpClient, AHeaderThatIsTooLargeIsNamedAndNotAskedForAgain) {
  ScriptedServer server([](const ServedRequest&) { return answer(200, "ok", {{"X-A", std::string(20000, 'a')}}); });
  const HttpReply reply = HttpClient(quick()).get(server.url());
  EXPECT_EQ(reply.failure, HttpFailure::kProtocol);
  EXPECT_NE(reply.detail.find("a header of its answer is too large"), std::string::npos) << reply.detail;
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST(HttpClient, AConnectionThatClosesInsideTheHeadIsACutAnswer) {
  ScriptedServer server([](const ServedRequest&) { return ServedAnswer{"HTTP/1.1 200 OK\r\nContent-Le"}; });
  const HttpReply reply = HttpClient(quick()).get(server.url());
  EXPECT_EQ(reply.failure, HttpFailure::kCutBody);
  EXPECT_EQ(reply.num_attempts, 3);
}

TEST(HttpClient, ACompressedAnswerIsRefused) {
  ScriptedServer server([](const ServedRequest&) { return answer(200, "\x1f\x8b", {{"Content-Encoding", "gzip"}}); });
  EXPECT_EQ(HttpClient(quick()).get(server.url()).failure, HttpFailure::kProtocol);
}

TEST(HttpClient, GarbageIsNoAnswer) {
  ScriptedServer server([](const ServedRequest&) { return ServedAnswer{"SSH-2.0-OpenSSH_9.2\r\n\r\n"}; });
  EXPECT_EQ(HttpClient(quick()).get(server.url()).failure, HttpFailure::kProtocol);
}

TEST(HttpRequest, ALineBreakInAHeaderIsRefused) {
  try {
    HttpClient(quick()).get("http://127.0.0.1:1/", {{"Authorization", "Bearer secret\r\nX: y"}});
    ADD_FAILURE();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.id(), "config.http_header");
    EXPECT_THAT(error.line(), Not(HasSubstr("secret")));
  }
}

TEST(RequireOk, ThrowsARemoteErrorWithTheFailureInItsId) {
  HttpReply reply;
  EXPECT_NO_THROW(require_ok(reply, "the hub"));
  reply.failure = HttpFailure::kStatus;
  reply.status = 401;
  reply.detail = "401 from https://h/x";
  try {
    require_ok(reply, "the hub");
    ADD_FAILURE();
  } catch (const RemoteError& error) {
    EXPECT_EQ(error.id(), "remote.status");
    EXPECT_EQ(error.exit_code(), ExitCode::kRemote);
    EXPECT_THAT(error.next_step(), HasSubstr("token"));
  }
}

}  // namespace
}  // namespace plumbline
