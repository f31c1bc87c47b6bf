#include "plumbline/text/bpe.h"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <mutex>
#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "plumbline/base/error.h"
#include "plumbline/text/byte_level.h"
#include "plumbline/text/unicode.h"

namespace plumbline {
namespace {

constexpr int64_t kMaxId = 1 << 24;
constexpr size_t kMaxCachedBytes = 128;
constexpr size_t kNumCacheSlots = 1 << 16;
constexpr size_t kNumCacheLocks = 64;

struct Merge {
  uint32_t rank, id;
};

uint64_t pair_key(uint32_t left, uint32_t right) {
  return uint64_t{left} << 32 | right;
}

/// Spreads the pairs over the table; std::hash of an integer is the identity.
struct PairHash {
  size_t operator()(uint64_t key) const { return (key ^ key >> 29) * 0x9E3779B97F4A7C15u >> 7; }
};

/// Symbols of a piece as a linked list in an array; a merged-away symbol is not alive.
struct Symbol {
  uint32_t id;
  int32_t previous, next;
  bool alive;
};

struct Candidate {
  uint32_t rank, left, id;
  bool operator>(const Candidate& other) const { return rank != other.rank ? rank > other.rank : left > other.left; }
};

using MergeTable = std::unordered_map<uint64_t, Merge, PairHash>;

/// Merges `ids` in place until no pair has a rank.
class Merger {
 public:
  Merger(const MergeTable& merges, std::vector<uint32_t>& ids) : merges_(merges), ids_(ids) {}

  void run() {
    symbols_.reserve(ids_.size());
    for (size_t i = 0; i < ids_.size(); ++i) {
      const auto at = static_cast<int32_t>(i);
      symbols_.push_back({ids_[i], at - 1, i + 1 < ids_.size() ? at + 1 : -1, true});
    }
    for (size_t i = 0; i + 1 < symbols_.size(); ++i) consider(static_cast<int32_t>(i));
    while (!queue_.empty()) {
      const Candidate best = queue_.top();
      queue_.pop();
      apply(best);
    }
    ids_.clear();
    for (const Symbol& symbol : symbols_) {
      if (symbol.alive) ids_.push_back(symbol.id);
    }
  }

 private:
  void consider(int32_t left) {
    const Symbol& symbol = symbols_[left];
    if (symbol.next < 0) return;
    const auto found = merges_.find(pair_key(symbol.id, symbols_[symbol.next].id));
    if (found != merges_.end()) queue_.push({found->second.rank, static_cast<uint32_t>(left), found->second.id});
  }

  void apply(const Candidate& candidate) {
    Symbol& left = symbols_[candidate.left];
    if (!left.alive || left.next < 0) return;
    const auto found = merges_.find(pair_key(left.id, symbols_[left.next].id));
    if (found == merges_.end() || found->second.id != candidate.id) return;  // its symbols have changed since
    Symbol& right = symbols_[left.next];
    right.alive = false;
    left.id = candidate.id;
    left.next = right.next;
    if (left.next >= 0) symbols_[left.next].previous = static_cast<int32_t>(candidate.left);
    if (left.previous >= 0) consider(left.previous);
    consider(static_cast<int32_t>(candidate.left));
  }

  const MergeTable& merges_;
  std::vector<uint32_t>& ids_;
  std::vector<Symbol> symbols_;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue_;
};

/// Pieces seen lately and their ids: a direct-mapped table, a newer piece replaces the older one in its slot.
class PieceCache {
 public:
  PieceCache() : slots_(kNumCacheSlots) {}

  bool find(size_t hash, std::string_view piece, std::vector<int64_t>& ids) {
    const std::lock_guard lock(lock_of(hash));
    const Slot& slot = slots_[hash % kNumCacheSlots];
    if (slot.piece != piece) return false;
    ids.insert(ids.end(), slot.ids.begin(), slot.ids.end());
    return true;
  }

  void put(size_t hash, std::string_view piece, const std::vector<uint32_t>& ids) {
    const std::lock_guard lock(lock_of(hash));
    Slot& slot = slots_[hash % kNumCacheSlots];
    slot.piece = piece;
    slot.ids = ids;
  }

 private:
  struct Slot {
    std::string piece;  // pieces are never empty, so neither is one that was put
    std::vector<uint32_t> ids;
  };
  std::mutex& lock_of(size_t hash) { return locks_[hash % kNumCacheLocks]; }

  std::vector<Slot> slots_;
  std::array<std::mutex, kNumCacheLocks> locks_;
};

[[noreturn]] void malformed(const std::string& what, const std::string& where) {
  throw DataError("data.tokenizer", what, where, "the tokenizer file is damaged or not what it says");
}

}  // namespace

struct Bpe::Impl {
  Vocabulary vocabulary;
  std::unordered_map<std::string_view, uint32_t> ids;  // views into vocabulary, which never changes
  MergeTable merges;
  BpeOptions options;
  std::string where;
  int64_t unknown_id = -1;
  std::array<int64_t, 256> byte_ids;
  mutable PieceCache cache;

  int64_t id_of(std::string_view token) const {
    const auto found = ids.find(token);
    return found == ids.end() ? int64_t{-1} : int64_t{found->second};
  }

  void index_vocabulary() {
    ids.reserve(vocabulary.size());
    std::unordered_set<int64_t> taken;
    for (const auto& [token, id] : vocabulary) {
      if (id < 0 || id >= kMaxId) malformed(fmt::format("the token \"{}\" has the id {}", token, id), where);
      if (!ids.emplace(token, static_cast<uint32_t>(id)).second) {
        malformed(fmt::format("the token \"{}\" stands twice in the vocabulary", token), where);
      }
      if (!taken.insert(id).second) malformed(fmt::format("two tokens have the id {}", id), where);
    }
  }

  void index_merges(const Merges& list) {
    merges.reserve(list.size());
    std::string merged;
    for (size_t rank = 0; rank < list.size(); ++rank) {
      const auto& [left, right] = list[rank];
      const int64_t left_id = id_of(left), right_id = id_of(right),
                    id = id_of(merged.assign(left).append(without_prefix(right)));
      if (left_id < 0 || right_id < 0 || id < 0) {
        malformed(fmt::format("merge {} (\"{}\" and \"{}\") is of or makes a token that is not in the vocabulary", rank,
                              left, right),
                  where);
      }
      merges[pair_key(left_id, right_id)] = {static_cast<uint32_t>(rank), static_cast<uint32_t>(id)};
    }
  }

  std::string_view without_prefix(std::string_view right) const {
    return right.substr(std::min(right.size(), options.continuing_prefix.size()));
  }

  /// The ids of a character's bytes written as <0xXX>; false unless all are in the vocabulary.
  bool append_bytes(std::string_view character, std::vector<uint32_t>& out) const {
    for (const char c : character) {
      if (byte_ids[static_cast<unsigned char>(c)] < 0) return false;
    }
    for (const char c : character) out.push_back(static_cast<uint32_t>(byte_ids[static_cast<unsigned char>(c)]));
    return true;
  }

  std::vector<uint32_t> characters_to_ids(std::string_view piece) const {
    std::vector<uint32_t> out;
    bool unknown_pending = false;
    const bool decorates = !options.continuing_prefix.empty() || !options.end_suffix.empty();
    std::string decorated;
    const auto flush_unknown = [&] {
      if (unknown_pending) out.push_back(static_cast<uint32_t>(unknown_id));
      unknown_pending = false;
    };
    for (size_t at = 0; at < piece.size();) {
      std::string_view character = piece.substr(at, utf8_length(piece[at]));
      if (decorates) {
        decorated.assign(at == 0 ? "" : options.continuing_prefix).append(character);
        if (at + character.size() == piece.size()) decorated += options.end_suffix;
        at += character.size();
        character = decorated;
      } else {
        at += character.size();
      }
      if (const int64_t id = id_of(character); id >= 0) {
        flush_unknown();
        out.push_back(static_cast<uint32_t>(id));
      } else if (options.byte_fallback && append_bytes(character, out)) {
        continue;  // a pending unknown token stays pending behind the bytes, as in the reference
      } else if (!options.unknown_token.empty()) {
        if (unknown_id < 0) {
          malformed(fmt::format("the unknown token \"{}\" is needed and not in the vocabulary", options.unknown_token),
                    where);
        }
        if (!options.fuse_unknown) flush_unknown();
        unknown_pending = true;
      }
    }
    flush_unknown();
    return out;
  }

  std::vector<uint32_t> encode_uncached(std::string_view piece, bool raw_bytes) const {
    std::string written;
    if (raw_bytes) {
      append_byte_characters(written, piece);
      piece = written;
    }
    if (options.ignore_merges) {
      if (const int64_t id = id_of(piece); id >= 0) return {static_cast<uint32_t>(id)};
    }
    std::vector<uint32_t> out = characters_to_ids(piece);
    Merger(merges, out).run();
    return out;
  }
};

Bpe::Bpe(Vocabulary vocabulary, const Merges& merges, BpeOptions options, const std::string& where)
    : impl_(std::make_unique<Impl>()) {
  impl_->vocabulary = std::move(vocabulary);
  impl_->options = std::move(options);
  impl_->where = where;
  impl_->index_vocabulary();
  impl_->index_merges(merges);
  if (!impl_->options.unknown_token.empty()) impl_->unknown_id = id_of(impl_->options.unknown_token);
  for (int byte = 0; byte < 256; ++byte) impl_->byte_ids[byte] = id_of(fmt::format("<0x{:02X}>", byte));
}

Bpe::~Bpe() = default;

int64_t Bpe::id_of(std::string_view token) const {
  return impl_->id_of(token);
}

const Vocabulary& Bpe::vocabulary() const {
  return impl_->vocabulary;
}

void Bpe::encode(std::string_view piece, bool raw_bytes, std::vector<int64_t>& ids) const {
  if (piece.empty()) return;
  const bool cacheable = piece.size() <= kMaxCachedBytes;
  const size_t hash = cacheable ? std::hash<std::string_view>()(piece) : 0;
  if (cacheable && impl_->cache.find(hash, piece, ids)) return;
  const std::vector<uint32_t> fresh = impl_->encode_uncached(piece, raw_bytes);
  ids.insert(ids.end(), fresh.begin(), fresh.end());
  if (cacheable) impl_->cache.put(hash, piece, fresh);
}

}  // namespace plumbline
