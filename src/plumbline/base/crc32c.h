/// CRC-32C (Castagnoli), as TFRecord files use it.
#pragma once

#include <cstdint>
#include <string_view>

namespace plumbline {

/// The checksum as TFRecord masks it: rotated and shifted, so that a checksum of data with a checksum inside is no
/// special case.
uint32_t masked_crc32c(std::string_view bytes);

}  // namespace plumbline
