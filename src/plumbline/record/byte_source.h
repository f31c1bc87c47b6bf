/// Bytes of a file or a pipe, decompressed where they begin like gzip or zstd.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace plumbline {

class Inflater;

/// Reads on from where the last call ended; memory does not grow with the file. Not thread-safe.
class ByteSource {
 public:
  /// "-" is standard input. Throws DataError(data.missing_file | data.unreadable_file).
  explicit ByteSource(const std::string& path);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Appends what is there; false at the end (or, on a pipe, after Ctrl-C). Throws DataError: data.truncated_file for a
  /// compressed stream that is cut or damaged, data.bomb for one that grows past 256 MiB and 500 times its size, which
  /// no text of ours does.
  bool read(std::string& buffer);

 private:
  bool read_raw(std::string& buffer);
  void choose_inflater();
  [[noreturn]] void fail_unreadable();

  const std::string path_;
  int fd_ = -1;
  bool begun_ = false, ended_ = false;
  std::string ahead_;  ///< read to tell the kind
  std::unique_ptr<Inflater> inflater_;
  uint64_t num_in_ = 0, num_out_ = 0;
};

}  // namespace plumbline
