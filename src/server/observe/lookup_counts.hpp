#pragma once

#include "server/command/command_spec.hpp"
#include "store/keyspace/keyspace.hpp"

namespace tern::server {

/// keyspace_hits and keyspace_misses are of commands that read, as in Redis, while the store counts
/// every look-up. Around a command: what one that is no reader looked up is taken back, so that
/// readers pay for one addition only.
class LookupCounts {
public:
    LookupCounts(store::Keyspace& keyspace, std::uint32_t flags) noexcept
        : keyspace_(keyspace), counts_(keyspace.lookups()), is_reader_((flags & kWrite) == 0) {}

    /// The command is over.
    void settle() const noexcept {
        if (!is_reader_) {
            keyspace_.set_lookups(counts_);
        }
    }

private:
    store::Keyspace& keyspace_;
    store::LookupStats counts_;
    bool is_reader_;
};

}  // namespace tern::server
