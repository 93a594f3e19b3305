#include "store/rdb/crc64.hpp"

#include <array>

namespace tern::store::rdb {
namespace {

constexpr std::uint64_t kReflectedPolynomial = 0x95ac9329ac4bc9b5;
/// Table k tells what a byte does that k more bytes follow in the same word.
using Tables = std::array<std::array<std::uint64_t, 256>, 8>;

constexpr Tables make_tables() {
    Tables tables{};
    for (std::uint64_t byte = 0; byte < 256; ++byte) {
        std::uint64_t crc = byte;
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc & 1) != 0 ? crc >> 1 ^ kReflectedPolynomial : crc >> 1;
        }
        tables[0][byte] = crc;
    }
    for (std::size_t k = 1; k < tables.size(); ++k) {
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const std::uint64_t before = tables[k - 1][byte];
            tables[k][byte] = before >> 8 ^ tables[0][before & 0xFF];
        }
    }
    return tables;
}

constexpr Tables kTables = make_tables();

}  // namespace

std::uint64_t crc64(Bytes bytes, std::uint64_t crc) noexcept {
    std::size_t at = 0;
    for (; at + 8 <= bytes.size(); at += 8) {
        crc ^= load<std::uint64_t>(bytes.data() + at);
        std::uint64_t next = 0;
        for (std::size_t i = 0; i < 8; ++i) {
            next ^= kTables[7 - i][crc >> 8 * i & 0xFF];
        }
        crc = next;
    }
    for (; at < bytes.size(); ++at) {
        crc = crc >> 8 ^ kTables[0][(crc ^ std::to_integer<std::uint64_t>(bytes[at])) & 0xFF];
    }
    return crc;
}

}  // namespace tern::store::rdb
