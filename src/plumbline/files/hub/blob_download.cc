#include "plumbline/files/hub/blob_download.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/log.h"
#include "plumbline/files/http/retry.h"
#include "plumbline/files/http/url.h"
#include "plumbline/files/hub/blob_hash.h"
#include "plumbline/files/hub/endpoint.h"
#include "plumbline/files/hub/file_lock.h"

namespace plumbline {
namespace fs = std::filesystem;
namespace {

/// What the hub says of one file at one commit.
struct FileFacts {
  std::string url, hash;
  int64_t size_bytes = -1;
};

int64_t number_or(std::string_view text, int64_t otherwise) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0 ? value : otherwise;
}

FileFacts ask(const FetchContext& context, const HubFile& file) {
  FileFacts facts;
  facts.url = fmt::format("{}/{}/resolve/{}/{}", context.endpoint, context.name.repository, context.commit,
                          percent_encode(file.path, /*keep_slashes=*/true));
  HttpOptions options = context.client.options();
  options.follow_other_origins = false;  // the hub's own headers are wanted, not those of its store
  HttpRequest request;
  request.method = "HEAD";
  request.url = facts.url;
  request.headers = hub_headers();
  const HttpReply reply = HttpClient(options).send(request);
  require_hub_answer(reply, context.endpoint, context.name, file.path);

  const std::string_view commit = reply.header("x-repo-commit");
  if (!commit.empty() && commit != context.commit) {
    throw RemoteError("remote.bad_answer", "the hub serves " + file.path + " of another commit than was asked for",
                      facts.url, "run it again");
  }
  const bool elsewhere = reply.status >= 300;
  const std::string_view linked = reply.header("x-linked-etag"), size = reply.header("x-linked-size");
  facts.hash = normalized_etag(linked.empty() ? reply.header("etag") : linked);
  facts.size_bytes = number_or(size, elsewhere ? -1 : number_or(reply.header("content-length"), -1));
  if (facts.size_bytes < 0) facts.size_bytes = file.size_bytes;
  // Mirrors hide the hash behind an ETag of their own; the list has it too.
  if (!is_blob_hash(facts.hash)) facts.hash = file.hash;
  if (!is_blob_hash(facts.hash)) {
    throw RemoteError("remote.no_hash", "the hub names no hash of " + file.path + ", so it cannot be checked",
                      facts.url, "check HF_ENDPOINT");
  }
  if (is_blob_hash(file.hash) && file.hash.size() == facts.hash.size() && file.hash != facts.hash) {
    throw RemoteError("remote.wrong_hash", "the hub's list and its header name different hashes of " + file.path,
                      facts.url, "run it again; if it stays, check HF_ENDPOINT");
  }
  return facts;
}

/// A file that grows at its end.
class GrowingFile {
 public:
  explicit GrowingFile(const std::string& path) : path_(path) {
    fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd_ < 0) fail();
    struct stat info {};
    if (::fstat(fd_, &info) != 0) fail();
    size_bytes_ = info.st_size;
  }
  ~GrowingFile() { ::close(fd_); }
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  int64_t size_bytes() const { return size_bytes_; }
  bool append(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::pwrite(fd_, bytes.data(), bytes.size(), size_bytes_);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return error_ = errno, false;
      size_bytes_ += count;
      bytes.remove_prefix(static_cast<size_t>(count));
    }
    return true;
  }
  void clear() {
    if (::ftruncate(fd_, 0) != 0) fail();
    size_bytes_ = 0;
  }
  void sync() {
    if (::fsync(fd_) != 0) fail();
  }
  /// Throws when append has failed.
  void require_written() {
    if (!error_) return;
    errno = error_;
    fail();
  }

 private:
  [[noreturn]] void fail() const {
    const bool full = errno == ENOSPC || errno == EDQUOT;
    throw DataError(full ? "data.no_space" : "data.unwritable",
                    std::string("the download cannot be written: ") + std::strerror(errno), path_,
                    full ? "free space, or set HF_HOME to another disk; the same command goes on where it stopped"
                         : "check HF_HOME and its permissions");
  }

  std::string path_;
  int fd_ = -1, error_ = 0;
  int64_t size_bytes_ = 0;
};

/// "bytes 100-199/200" -> 100; -1 when it is not that.
int64_t range_start(std::string_view header) {
  if (!header.starts_with("bytes ")) return -1;
  header.remove_prefix(6);
  return number_or(header.substr(0, header.find('-')), -1);
}

/// The requests of one file, repeated while they bring it on.
class Transfer {
 public:
  Transfer(const FetchContext& context, const HubFile& file, const FileFacts& facts, GrowingFile& out)
      : context_(context), file_(file), facts_(facts), out_(out) {}

  void run() {
    for (;;) {
      if (is_whole()) return;
      const int64_t before = out_.size_bytes();
      const HttpReply reply = context_.client.send(make_request());
      out_.require_written();
      if (is_whole()) return;
      if (reply.ok() && facts_.size_bytes < 0) return;
      if (reply.status == 416 && before > 0) {
        restart();  // more is there than the file has
      } else if (too_long_) {
        out_.clear();
        throw RemoteError("remote.size", "the hub sends more of " + file_.path + " than it announced", facts_.url,
                          "run it again; if it stays, check HF_ENDPOINT");
      } else if (!(may_pass_later(reply) || reply.ok()) || out_.size_bytes() <= before) {
        require_hub_answer(reply, context_.endpoint, context_.name, file_.path);
        throw RemoteError("remote.size", "the hub ends " + file_.path + " before its announced size", facts_.url,
                          "run it again");
      }
    }
  }

 private:
  bool is_whole() const { return facts_.size_bytes >= 0 && out_.size_bytes() == facts_.size_bytes; }

  void restart() {
    context_.on_bytes(-out_.size_bytes(), file_.path);
    out_.clear();
  }

  HttpRequest make_request() {
    HttpRequest request;
    request.url = facts_.url;
    request.headers = hub_headers();
    const HttpHeaders plain = request.headers;
    request.before_attempt = [this, plain](HttpRequest& next) {
      next.headers = plain;
      if (out_.size_bytes() > 0) next.headers.emplace_back("Range", fmt::format("bytes={}-", out_.size_bytes()));
    };
    request.on_head = [this](const HttpReply& head) {
      // A server that does not know Range sends the whole; one that starts elsewhere cannot be appended.
      if (out_.size_bytes() > 0 &&
          (head.status != 206 || range_start(head.header("content-range")) != out_.size_bytes())) {
        if (head.status == 206) return false;
        restart();
      }
      return true;
    };
    request.sink = [this](std::string_view bytes) {
      if (facts_.size_bytes >= 0 && out_.size_bytes() + static_cast<int64_t>(bytes.size()) > facts_.size_bytes) {
        too_long_ = true;
        return false;
      }
      if (!out_.append(bytes)) return false;
      context_.on_bytes(static_cast<int64_t>(bytes.size()), file_.path);
      return true;
    };
    return request;
  }

  const FetchContext& context_;
  const HubFile& file_;
  const FileFacts& facts_;
  GrowingFile& out_;
  bool too_long_ = false;
};

bool has_size(const std::string& path, int64_t size_bytes) {
  std::error_code error;
  const auto found = fs::file_size(path, error);
  return !error && (size_bytes < 0 || static_cast<int64_t>(found) == size_bytes);
}

void make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw DataError("data.unwritable", "no folder can be made: " + error.message(), path, "check HF_HOME");
}

/// blobs/<hash>, whole and checked.
void fetch_blob(const FetchContext& context, const HubFile& file, const FileFacts& facts, const std::string& blob) {
  const std::string incomplete = blob + ".incomplete";
  const auto& stop = context.client.options().stop;
  for (int round = 1;; ++round) {
    {
      GrowingFile out(incomplete);
      if (out.size_bytes() > 0) {
        log_info(fmt::format("going on with {} after {} bytes", file.path, out.size_bytes()));
        context.on_bytes(out.size_bytes(), file.path);
      }
      Transfer(context, file, facts, out).run();
      out.sync();
    }
    const std::string hash = blob_hash(incomplete, facts.hash, stop);
    if (hash == facts.hash) break;
    context.on_bytes(-static_cast<int64_t>(fs::file_size(incomplete)), file.path);
    fs::remove(incomplete);
    if (round == 2) {
      throw RemoteError("remote.wrong_hash",
                        "what came of " + file.path + " has the hash " + hash + " and not " + facts.hash, facts.url,
                        "run it again; if it stays, check HF_ENDPOINT and the proxy");
    }
    log_warning(file.path + " came with a wrong hash; fetching it again from its start");
  }
  fs::rename(incomplete, blob);
  sync_folder(fs::path(blob).parent_path().string());
}

/// A relative link, made aside and renamed, as huggingface_hub makes it; where there are no links the file itself.
void link_blob(const std::string& blob, const std::string& pointer) {
  std::error_code error;
  const fs::path target = fs::path(blob).lexically_relative(fs::path(pointer).parent_path());
  if (fs::is_symlink(pointer, error) && fs::read_symlink(pointer, error) == target) return;
  const std::string aside = fmt::format("{}.{}.link", pointer, ::getpid());
  fs::remove(aside, error);
  fs::create_symlink(target, aside, error);
  if (error) {
    fs::rename(blob, pointer);
    return;
  }
  fs::rename(aside, pointer);
}

}  // namespace

std::string fetch_file(const FetchContext& context, const HubFile& file) {
  const std::string pointer = fmt::format("{}/snapshots/{}/{}", context.repository_folder, context.commit, file.path);
  if (fs::exists(pointer) && has_size(pointer, file.size_bytes)) {
    context.on_bytes(static_cast<int64_t>(fs::file_size(pointer)), file.path);
    return pointer;
  }
  const FileFacts facts = ask(context, file);
  const fs::path repository(context.repository_folder);
  const std::string blob = (repository / "blobs" / facts.hash).string();
  const fs::path locks = repository.parent_path() / ".locks" / repository.filename();
  make_folder((repository / "blobs").string());
  make_folder(fs::path(pointer).parent_path().string());
  make_folder(locks.string());
  const FileLock lock((locks / (facts.hash + ".lock")).string(), context.client.options().stop,
                      [&] { log_info("waiting for another process that downloads " + file.path); });
  if (fs::exists(blob) && has_size(blob, facts.size_bytes)) {
    context.on_bytes(static_cast<int64_t>(fs::file_size(blob)), file.path);
  } else {
    fetch_blob(context, file, facts, blob);
  }
  link_blob(blob, pointer);
  return pointer;
}

}  // namespace plumbline
