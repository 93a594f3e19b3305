#include "base/base64.hpp"

#include <array>
#include <cstdint>

namespace tern {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoDigit = 0xff;

constexpr std::array<std::uint8_t, 256> kDigits = [] {
    std::array<std::uint8_t, 256> digits{};
    digits.fill(kNoDigit);
    for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
        digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
    }
    return digits;
}();

}  // namespace

std::string encode_base64(Bytes bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::size_t count = bytes.size() - at < 3 ? bytes.size() - at : 3;
        std::uint32_t group = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            group = group << 8 | (i < count ? std::to_integer<std::uint32_t>(bytes[at + i]) : 0);
        }
        for (std::size_t i = 0; i < 4; ++i) {
            text.push_back(i <= count ? kAlphabet[(group >> (18 - 6 * i)) & 63] : '=');
        }
    }
    return text;
}

bool decode_base64(std::string_view text, std::string& bytes) {
    bytes.clear();
    if (text.size() % 4 != 0) {
        return false;
    }
    const std::size_t padding_count = text.ends_with("==") ? 2 : (text.ends_with('=') ? 1 : 0);
    bytes.reserve(text.size() / 4 * 3);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_padding = i + padding_count >= text.size();
        const std::uint8_t digit = is_padding ? 0 : kDigits[static_cast<unsigned char>(text[i])];
        if (digit == kNoDigit) {
            return false;
        }
        group = group << 6 | digit;
        if (i % 4 == 3) {
            for (const int shift : {16, 8, 0}) {
                bytes.push_back(static_cast<char>(group >> shift & 0xff));
            }
            group = 0;
        }
    }
    bytes.resize(bytes.size() - padding_count);
    return true;
}

}  // namespace tern
