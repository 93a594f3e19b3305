#include "store/rdb/value_digest.hpp"

#include <fmt/format.h>

#include "store/hash/compact_hash.hpp"
#include "store/hash/large_hash.hpp"
#include "store/index/key_hash.hpp"
#include "store/rdb/value_parts.hpp"
#include "store/zset/compact_zset.hpp"
#include "store/zset/large_zset.hpp"

namespace tern::store::rdb {
namespace {

template <typename T>
std::string_view bytes_of(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

void mix_field(Digest& sum, std::string_view field, std::string_view value) {
    Digest part;
    part.append(field);
    part.append(value);
    sum.mix(part);
}

void mix_hash(Digest& sum, const EntryRef& ref) {
    if (ref.is_object()) {
        ref.object<hashes::LargeHash>().for_each([&](const hashes::FieldValue& element) {
            mix_field(sum, element.field, element.value);
        });
    } else {
        hashes::CompactHash(ref.value()).for_each([&](const hashes::CompactHash::Entry& entry) {
            mix_field(sum, entry.field, entry.value);
        });
    }
}

void mix_zset(Digest& sum, const EntryRef& ref) {
    const auto visit = [&](const zsets::Element& element) {
        const double score = element.score == 0 ? 0 : element.score;  // -0 is 0
        mix_field(sum, element.member, bytes_of(score));
    };
    if (ref.is_object()) {
        const auto& large = ref.object<zsets::LargeZset>();
        large.visit({0, large.size()}, visit);
    } else {
        const zsets::CompactZset compact(ref.value());
        compact.visit({0, compact.size()}, visit);
    }
}

}  // namespace

void Digest::append(std::string_view part) {
    static const std::array kHashers = {
        KeyHasher(std::uint64_t{1}), KeyHasher(std::uint64_t{2}), KeyHasher(std::uint64_t{3})};
    std::string text(bytes_of(words_));
    text += part;
    for (std::size_t i = 0; i < words_.size(); ++i) {
        words_[i] = kHashers[i](text);
    }
}

void Digest::mix(const Digest& part) noexcept {
    for (std::size_t i = 0; i < words_.size(); ++i) {
        words_[i] ^= part.words_[i];
    }
}

std::string Digest::text() const {
    constexpr std::size_t kDigits = 40;
    return fmt::format("{:016x}{:016x}{:016x}", words_[0], words_[1], words_[2]).substr(0, kDigits);
}

Digest digest_of(const EntryRef& ref) {
    Digest sum;
    switch (ref.type()) {
        case Type::kString:
            sum.append(ref.text());
            break;
        case Type::kHash:
            mix_hash(sum, ref);
            break;
        case Type::kZset:
            mix_zset(sum, ref);
            break;
        case Type::kList:
            mix_list(sum, ref);
            break;
        case Type::kSet:
            mix_set(sum, ref);
            break;
        case Type::kStream:
            mix_stream(sum, ref);
            break;
    }
    if (ref.has_expiry()) {
        Digest expiry;
        expiry.append("expires");
        sum.mix(expiry);
    }
    return sum;
}

Digest digest_of(Database& database) {
    Digest sum;
    database.for_each([&](const EntryRef& ref) {
        Digest key;
        const Type type = ref.type();
        key.append(bytes_of(type));
        key.append(ref.key());
        key.append(digest_of(ref).text());
        sum.mix(key);
    });
    return sum;
}

}  // namespace tern::store::rdb
