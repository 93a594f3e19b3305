#include "server/transaction.hpp"

#include <cstring>

#include "server/command/registry.hpp"
#include "server/command/scratch.hpp"
#include "server/server.hpp"

namespace tern::server {

namespace {

using Length = std::uint32_t;  // in front of each word

}  // namespace

char* Transaction::allocate(std::size_t size_bytes) {
    if (size_bytes > chunk_left_bytes_) {
        const std::size_t chunk_bytes = size_bytes > kChunkBytes ? size_bytes : kChunkBytes;
        chunks_.push_back(std::make_unique_for_overwrite<char[]>(chunk_bytes));
        chunk_next_ = chunks_.back().get();
        chunk_left_bytes_ = chunk_bytes;
        memory_bytes_ += chunk_bytes;
    }
    char* const at = chunk_next_;
    chunk_next_ += size_bytes;
    chunk_left_bytes_ -= size_bytes;
    return at;
}

void Transaction::add_text(const Command& command,
                           std::span<const std::string_view> words,
                           std::size_t name_words) {
    std::size_t size_bytes = 0;
    for (const std::string_view word : words) {
        size_bytes += sizeof(Length) + word.size();
    }
    char* const start = allocate(size_bytes);
    char* out = start;
    for (const std::string_view word : words) {
        const auto length = static_cast<Length>(word.size());
        std::memcpy(out, &length, sizeof length);
        put_text(out + sizeof length, word);
        out += sizeof length + word.size();
    }
    items_.push_back({&command,
                      start,
                      size_bytes,
                      static_cast<std::uint32_t>(words.size()),
                      static_cast<std::uint32_t>(name_words)});
    flags_ |= command.spec->info.flags;
}

void Transaction::add_wire(const Command& command, Bytes message) {
    char* const start = allocate(message.size());
    put_text(start, as_text(message));
    items_.push_back({&command, start, message.size(), 0, 0});
    flags_ |= command.spec->info.flags;
}

std::span<const std::string_view> Transaction::words_of(const Item& item, Scratch& scratch) {
    const std::span<std::string_view> words = scratch.array<std::string_view>(item.word_count);
    const char* in = item.bytes;
    for (std::string_view& word : words) {
        Length length = 0;
        std::memcpy(&length, in, sizeof length);
        word = {in + sizeof length, length};
        in += sizeof length + length;
    }
    return words;
}

void end_transaction(Server& server, Session& session) {
    session.transaction.reset();
    server.watches().forget(session);
    server.key_events().update();
}

}  // namespace tern::server
