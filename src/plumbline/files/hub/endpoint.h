/// Which hub is spoken to and as whom.
#pragma once

#include <string>

#include "plumbline/files/http/client.h"

namespace plumbline {

/// $HF_ENDPOINT without a slash at its end, else https://huggingface.co. Throws ConfigError(config.url).
std::string hub_endpoint();

/// Authorization for the hub, or nothing: $HF_TOKEN, $HUGGING_FACE_HUB_TOKEN, else the file $HF_TOKEN_PATH or
/// hub_home()/token, unless HF_HUB_DISABLE_IMPLICIT_TOKEN says that the file shall not be used.
HttpHeaders hub_headers();

}  // namespace plumbline
