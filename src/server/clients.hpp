#pragma once

#include <cstdint>
#include <map>

#include "server/session.hpp"

namespace tern::server {

/// Every connected session by id, in the order of arrival.
///
/// Threads: the server's one thread. Lifetime: a session removes itself before it ends.
class Clients {
public:
    /// Registers a session and gives it the next id.
    void add(Session& session) {
        session.id = next_id_++;
        by_id_.emplace(session.id, &session);
        ++total_count_;
    }
    void remove(const Session& session) noexcept { by_id_.erase(session.id); }

    [[nodiscard]] Session* find(std::uint64_t id) const noexcept {
        const auto found = by_id_.find(id);
        return found == by_id_.end() ? nullptr : found->second;
    }
    [[nodiscard]] std::size_t size() const noexcept { return by_id_.size(); }
    /// Sessions since the start, the closed ones included.
    [[nodiscard]] std::uint64_t total_count() const noexcept { return total_count_; }

    [[nodiscard]] auto begin() const noexcept { return by_id_.begin(); }
    [[nodiscard]] auto end() const noexcept { return by_id_.end(); }

private:
    std::map<std::uint64_t, Session*> by_id_;
    std::uint64_t next_id_ = 1;
    std::uint64_t total_count_ = 0;
};

}  // namespace tern::server
