/// A key that must never be seen: it can be sent, and taken out of texts, and that is all.
#pragma once

#include <string>
#include <string_view>

namespace plumbline {

/// Not printable and not comparable on purpose.
class Secret {
 public:
  /// Keys shorter than this are placeholders of keyless servers ("EMPTY", "none") and not looked for in texts.
  static constexpr size_t kLeastSecret_bytes = 8;
  /// A piece of the key of this many characters is taken out of a text like the whole: providers echo keys cut short.
  static constexpr size_t kPiece_bytes = 12;

  Secret() = default;
  explicit Secret(std::string value) : value_(std::move(value)) {}

  bool empty() const { return value_.empty(); }
  /// For the Authorization header and nothing else.
  const std::string& reveal() const { return value_; }
  /// `text` with the key, and every piece of it of kPiece_bytes or more, replaced by "[key]". A text that spells one
  /// with escapes of JSON or of addresses (\u0073, %73, also escaped again) is withheld whole: whoever decodes it later
  /// would have the key.
  std::string redact(std::string_view text) const;

 private:
  std::string redact_plain(std::string_view text) const;
  std::string value_;
};

}  // namespace plumbline
