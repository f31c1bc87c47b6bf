/// The part of inspect that shows a prompt of a preset.
#pragma once

#include <string>

#include "plumbline/preset/options.h"
#include "plumbline/text/model_text.h"

namespace plumbline {

/// The first training problem of a preset as the model sees it, hint applied.
RenderedPrompt first_prompt(const Preset& preset, const ModelText& text);

}  // namespace plumbline
