#include "plumbline/judge/keyed_rows.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/judge/in_flight.h"
#include "plumbline/judge/reply_cache.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

std::optional<std::string> key_of_row(const Json& row) {
  if (row.value("failed", false)) return std::nullopt;
  return row_key(row["id"].get<std::string>());
}

TEST(KeyedRows, AreThereAfterReopeningAndTheLastOfAKeyCounts) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("rows.jsonl",
                                        "{\"id\": \"a\", \"n\": 1}\n{\"id\": \"b\", \"failed\": true}\n"
                                        "{\"id\": \"a\", \"n\": 2}\n{\"id\": \"c\"");
  {
    KeyedRows rows(path, key_of_row);
    EXPECT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows.find(row_key("a")), "{\"id\": \"a\", \"n\": 2}");
    EXPECT_FALSE(rows.contains(row_key("b")));
    EXPECT_FALSE(rows.contains(row_key("c")));  // cut by a kill, and removed
    rows.append(row_key("c"), "{\"id\": \"c\", \"n\": 3}");
    EXPECT_EQ(rows.find(row_key("c")), "{\"id\": \"c\", \"n\": 3}");
  }
  KeyedRows rows(path, key_of_row);
  EXPECT_EQ(rows.find(row_key("c")), "{\"id\": \"c\", \"n\": 3}");
  const std::vector<std::string> order = {row_key("c"), row_key("none"), row_key("a")};
  rows.put_in_order(order);
  EXPECT_EQ(read_file(path), "{\"id\": \"c\", \"n\": 3}\n{\"id\": \"a\", \"n\": 2}\n");
  rows.append(row_key("d"), "{\"id\": \"d\"}");
  EXPECT_EQ(rows.find(row_key("a")), "{\"id\": \"a\", \"n\": 2}");
  EXPECT_EQ(rows.find(row_key("d")), "{\"id\": \"d\"}");
}

TEST(KeyedRows, OneProcessAtATime) {
  const test::TemporaryFolder folder;
  const KeyedRows rows(folder.file("rows.jsonl"), key_of_row);
  try {
    const KeyedRows again(folder.file("rows.jsonl"), key_of_row);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.id(), "config.out_in_use");
  }
}

TEST(ReplyCache, GivesBackWhatItWasGiven) {
  const test::TemporaryFolder folder;
  ChatReply reply;
  reply.http_status = 200;
  reply.content = "line\n\"two\"";
  reply.finish_reason = "stop";
  reply.model = "m";
  reply.usage = {7, 3, std::nullopt};
  const std::string key = ReplyCache::key_of("https://a/v1", "{}", 0);
  ReplyCache(folder.file("cache")).keep(key, reply);
  const ReplyCache cache(folder.file("cache"));
  const ChatReply found = cache.find(key).value();
  EXPECT_TRUE(found.cached);
  EXPECT_EQ(found.content, reply.content);
  EXPECT_EQ(found.usage.prompt_tokens, 7);
  EXPECT_FALSE(found.usage.cost_usd);
  EXPECT_FALSE(cache.find(ReplyCache::key_of("https://a/v1", "{}", 1)));
  EXPECT_FALSE(cache.find(ReplyCache::key_of("https://a/v1{", "}", 0)));
}

TEST(InFlight, TakesJobsInOrderAndThrowsTheFirstError) {
  int next = 0;
  std::mutex mutex;
  std::vector<int> done;
  run_in_flight<int>(
      4, [&]() -> std::optional<int> { return next < 100 ? std::optional(next++) : std::nullopt; },
      [&](int job) {
        const std::lock_guard lock(mutex);
        done.push_back(job);
      });
  EXPECT_EQ(done.size(), 100u);
  // This source has no end: that the call returns shows that no job is taken once the error is there. How many were
  // taken before depends on the scheduler.
  next = 0;
  EXPECT_THROW(run_in_flight<int>(
                   4, [&]() -> std::optional<int> { return next++; },
                   [&](int job) {
                     if (job == 10) throw DataError("data.x", "x");
                   }),
               DataError);
}

}  // namespace
}  // namespace plumbline
