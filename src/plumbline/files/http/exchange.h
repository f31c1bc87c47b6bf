/// One request and one answer over one connection. The only place that knows the HTTP library.
#pragma once

#include "plumbline/files/http/client.h"
#include "plumbline/files/http/url.h"

namespace plumbline {

/// What the client has decided about one exchange.
struct Exchange {
  Url url;
  const HttpRequest& request;
  const HttpHeaders& headers;  ///< those to send, after dropping what may not leave the first origin
};

/// No redirect is followed and nothing is repeated. A 2xx answer goes to on_head and the sink; the body of any other is
/// kept, cut at 64 KiB. `took_body` becomes true once the sink has had a piece.
HttpReply exchange(const HttpOptions& options, const Exchange& exchange, bool& took_body);

}  // namespace plumbline
