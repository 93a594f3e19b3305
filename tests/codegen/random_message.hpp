#pragma once

#include <random>
#include <tern/base/bytes.hpp>
#include <vector>

#include "codegen/model.hpp"

/// Random messages of any schema, written from the model alone: no generated code takes part.
namespace tern::codegen::test {

class RandomMessage {
public:
    RandomMessage(const Schema& schema, std::mt19937_64& random)
        : schema_(schema), random_(random) {}

    /// A valid message as a writer of `version` would send it, with random content.
    std::vector<std::byte> write(const Message& message, std::uint32_t version) {
        version_ = version;
        bytes_.clear();
        const std::uint32_t least = message.min_block_length(version);
        const std::uint32_t block_length =
            version >= schema_.version ? message.block_length + extra(version) : least;
        bytes_.resize(schema_.header->size_bytes);
        put(0, *schema_.header, "blockLength", block_length);
        put(0, *schema_.header, "templateId", message.id);
        put(0, *schema_.header, "schemaId", schema_.id);
        put(0, *schema_.header, "version", version);
        append_random(block_length);
        append_parts(message);
        return bytes_;
    }

private:
    std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
    /// A later version's block is longer, as far as one byte of block length can say.
    std::uint32_t extra(std::uint32_t version) {
        return version > schema_.version ? static_cast<std::uint32_t>(below(3)) : 0;
    }

    void put(std::size_t base, const Type& composite, const char* name, std::uint64_t value) {
        const Field& field = *composite.member(name);
        if (!field.on_the_wire()) {
            return;
        }
        for (std::uint32_t i = 0; i < field.size_bytes; ++i) {
            const std::uint32_t shift =
                schema_.byte_order == std::endian::little ? i : field.size_bytes - 1 - i;
            bytes_[base + field.offset + i] = static_cast<std::byte>(value >> (8 * shift));
        }
    }

    void append_random(std::uint64_t length) {
        const bool zeroes = below(8) == 0;
        const bool text = below(2) == 0;
        for (std::uint64_t i = 0; i < length; ++i) {
            const std::uint64_t value = zeroes ? 0 : text ? 0x20 + below(0x60) : below(256);
            bytes_.push_back(static_cast<std::byte>(value));
        }
    }

    void append_parts(const Block& block) {
        for (const auto& group : block.groups) {
            if (group->effective_since <= version_) {
                append_group(*group);
            }
        }
        for (const Data& data : block.data) {
            if (data.effective_since <= version_) {
                append_data(data);
            }
        }
    }

    void append_group(const Group& group) {
        const std::uint64_t least = min_count(*group.dimension, "numInGroup");
        const std::uint64_t most = max_count(*group.dimension, "numInGroup");
        const std::uint64_t count = std::min(most, least + below(4));
        const std::uint32_t block_length =
            version_ >= schema_.version ? group.block_length : group.min_block_length(version_);
        const std::size_t at = bytes_.size();
        bytes_.resize(at + group.dimension->size_bytes);
        put(at, *group.dimension, "blockLength", block_length);
        put(at, *group.dimension, "numInGroup", count);
        for (std::uint64_t entry = 0; entry < count; ++entry) {
            append_random(block_length);
            append_parts(group);
        }
    }

    void append_data(const Data& data) {
        const std::uint64_t length = std::min(data.max_length(), below(20));
        const std::size_t at = bytes_.size();
        bytes_.resize(at + data.header_bytes());
        put(at, *data.type, "length", length);
        append_random(length);
    }

    const Schema& schema_;
    std::mt19937_64& random_;
    std::uint32_t version_ = 0;
    std::vector<std::byte> bytes_;
};

}  // namespace tern::codegen::test
