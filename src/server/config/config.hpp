#pragma once

#include <cstdint>
#include <string>

namespace tern::server {

/// The server's settings, by Redis's names where Redis has them.
struct Config {
    std::uint64_t maxmemory = 0;  ///< bytes; 0: no limit
    std::string requirepass;
    std::int64_t proto_max_bulk_len = 512LL * 1024 * 1024;
    std::int64_t maxclients = 10000;
    std::int64_t timeout_s = 0;
    std::int64_t databases = 16;
    std::uint64_t output_limit_bytes =
        0;  ///< hard limit of client-output-buffer-limit normal; 0: none
};

}  // namespace tern::server
