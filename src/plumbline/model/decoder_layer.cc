#include "plumbline/model/decoder_layer.h"

namespace plumbline {

std::vector<Linear*> DecoderLayer::linears() {
  std::vector<Linear*> all = {&q, &k, &v, &o};
  const auto add = [&](Mlp& part) { all.insert(all.end(), {&part.gate, &part.up, &part.down}); };
  if (Moe* mixture = moe()) {
    all.push_back(&mixture->router);
    for (Mlp& expert : mixture->experts) add(expert);
  } else {
    add(mlp());
  }
  return all;
}

}  // namespace plumbline
