#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <tern/base/bytes.hpp>
#include <vector>

namespace tern::server {

struct Command;
class Scratch;
class Server;
struct Session;

/// What MULTI queues: commands with their arguments, copied, in the order in which they came.
///
/// The copies lie in chunks that never move, so that a queue of any length grows and goes without a
/// long step.
///
/// Threads: the server's one thread. Lifetime: owned by the session from MULTI to EXEC or DISCARD.
class Transaction {
public:
    /// One queued command: its words as RESP sends them, or the SBE request.
    struct Item {
        const Command* command = nullptr;
        const char* bytes = nullptr;
        std::size_t size_bytes = 0;
        std::uint32_t word_count = 0;  ///< 0: an SBE request
        std::uint32_t name_words = 0;  ///< words of the name: 1, or 2 with a subcommand
    };

    void add_text(const Command& command,
                  std::span<const std::string_view> words,
                  std::size_t name_words);
    void add_wire(const Command& command, Bytes message);

    /// An error while queueing: EXEC will refuse the whole.
    void abort() noexcept { is_aborted_ = true; }
    [[nodiscard]] bool is_aborted() const noexcept { return is_aborted_; }

    [[nodiscard]] const std::deque<Item>& items() const noexcept { return items_; }
    /// All CommandFlag bits of the queued commands together.
    [[nodiscard]] std::uint32_t flags() const noexcept { return flags_; }
    /// What the queue holds, for the limit and CLIENT LIST's multi-mem.
    [[nodiscard]] std::size_t memory_bytes() const noexcept {
        return memory_bytes_ + items_.size() * sizeof(Item);
    }

    /// The words of a text item, valid as long as the transaction.
    [[nodiscard]] static std::span<const std::string_view> words_of(const Item& item,
                                                                    Scratch& scratch);

private:
    static constexpr std::size_t kChunkBytes = 16 * 1024;
    /// Room of `size_bytes` that stays where it is.
    char* allocate(std::size_t size_bytes);

    std::deque<Item> items_;
    std::deque<std::unique_ptr<char[]>> chunks_;
    std::size_t chunk_left_bytes_ = 0;
    char* chunk_next_ = nullptr;
    std::size_t memory_bytes_ = 0;
    std::uint32_t flags_ = 0;
    bool is_aborted_ = false;
};

/// Ends a session's transaction, if it is in one, and its watching: EXEC, DISCARD, RESET.
void end_transaction(Server& server, Session& session);

}  // namespace tern::server
