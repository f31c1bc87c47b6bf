/// TensorBoard event files: TFRecord framing (length, masked CRC-32C, data, masked CRC-32C) and, of the Event message,
/// the few fields that scalars need. Written by hand from the format's definition; every length is checked.
#pragma once

#include <string>
#include <string_view>

#include "plumbline/doctor/readers/collector.h"

namespace plumbline::doctor {

/// Whether the bytes begin as an event file does.
bool is_event_file(std::string_view head);

/// Streams the records. Scalars that no finding looks at are passed over. A cut last record is said and left out.
/// Throws DataError(data.json) for a record whose checksum is wrong or that claims more than 64 MiB.
void read_event_file(const std::string& path, std::string head, ByteSource& source, Collector& out);

}  // namespace plumbline::doctor
