#pragma once

#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tern/base/bytes.hpp>
#include <vector>

/// Reading the published messages, and memory that ends where a message ends.
namespace tern::codegen::test {

inline std::string data_path(const std::string& name) {
    return std::string(TERN_TEST_DATA_DIR) + "/sbe/" + name;
}

inline std::string read_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw std::runtime_error("cannot read " + path);
    }
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

inline std::vector<std::byte> from_hex(std::string_view text) {
    std::vector<std::byte> bytes;
    std::string digits;
    for (const char c : text) {
        if (std::isxdigit(static_cast<unsigned char>(c)) != 0) {
            digits += c;
        }
        if (digits.size() == 2) {
            bytes.push_back(static_cast<std::byte>(std::stoul(digits, nullptr, 16)));
            digits.clear();
        }
    }
    return bytes;
}

/// The bytes of messages/<name>.hex.
inline std::vector<std::byte> load_message(const std::string& name) {
    std::istringstream lines(read_text(data_path("messages/" + name + ".hex")));
    std::string digits;
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with('#')) {
            digits += line;
        }
    }
    return from_hex(digits);
}

inline std::string to_hex(Bytes bytes) {
    constexpr std::string_view kHex = "0123456789abcdef";
    std::string text;
    for (const std::byte byte : bytes) {
        text += kHex[std::to_integer<std::size_t>(byte) >> 4];
        text += kHex[std::to_integer<std::size_t>(byte) & 15];
    }
    return text;
}

/// A copy on the heap of exactly the message's size: reading one byte more is an error that
/// AddressSanitizer sees.
class ExactBuffer {
public:
    explicit ExactBuffer(Bytes bytes)
        : size_(bytes.size()), bytes_(std::make_unique<std::byte[]>(size_)) {
        if (size_ != 0) {
            std::memcpy(bytes_.get(), bytes.data(), size_);
        }
    }
    [[nodiscard]] Bytes bytes() const { return {bytes_.get(), size_}; }

private:
    std::size_t size_;
    std::unique_ptr<std::byte[]> bytes_;
};

}  // namespace tern::codegen::test
