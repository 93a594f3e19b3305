#include "server/commands/string_replies.hpp"

#include "server/command/arguments.hpp"
#include "server/server.hpp"

namespace tern::server::commands {

std::size_t string_limit(Call& call) {
    return static_cast<std::size_t>(call.server.config().proto_max_bulk_len);
}

bool failed(Reply& reply, store::strings::Status status) {
    using store::strings::Status;
    switch (status) {
        case Status::kOk:
        case Status::kMissing:
        case Status::kRefused:
            return false;
        case Status::kWrongType:
            reply.error(kWrongType);
            break;
        case Status::kNotInteger:
            reply.error(kNotInteger);
            break;
        case Status::kNotFloat:
            reply.error(kNotFloat);
            break;
        case Status::kOverflow:
            reply.error("ERR increment or decrement would overflow");
            break;
        case Status::kNotFinite:
            reply.error("ERR increment would produce NaN or Infinity");
            break;
        case Status::kTooLarge:
            reply.error("ERR string exceeds maximum allowed size (proto-max-bulk-len)");
            break;
        case Status::kOutOfMemory:
            reply.error(kOutOfMemory);
            break;
    }
    return true;
}

}  // namespace tern::server::commands
