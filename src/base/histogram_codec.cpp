// HdrHistogram's V2 encoding. Facts: the project's published format, all fields big-endian.
//
//   compressed:  cookie 0x1c849314 (4) | length of the rest (4) | zlib stream of
//   plain:       cookie 0x1c849313 (4) | length of the counts (4) | index offset (4) | digits (4) |
//                lowest value (8) | highest value (8) | conversion ratio (8, double) | counts
//   counts:      from index 0 to the last that is not zero, each a ZigZag LEB128 of at most nine
//                bytes; a negative number -n stands for n zeros
//
// Index offset and ratio belong to floating-point histograms. The counts are in the order of their
// values whatever they say, and hdr-histogram-js writes other numbers there: they are not read.

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <tern/base/bytes.hpp>
#include <tern/base/check.hpp>
#include <tern/base/histogram.hpp>

#include "base/base64.hpp"

namespace tern {
namespace {

constexpr std::uint32_t kPlainCookie = 0x1c849313;
constexpr std::uint32_t kCompressedCookie = 0x1c849314;
constexpr std::size_t kCompressedHeaderBytes = 8;
constexpr std::size_t kPlainHeaderBytes = 40;
constexpr std::size_t kCountBytesMax = 9;

template <typename T>
void append_number(std::string& to, T value) {
    char raw[sizeof(T)];
    store_value<std::endian::big>(raw, value);
    to.append(raw, sizeof raw);
}

template <typename T>
T number_at(std::string_view bytes, std::size_t offset) noexcept {
    return load<T, std::endian::big>(bytes.data() + offset);
}

void append_count(std::string& to, std::int64_t value) {
    auto bits = (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
    for (std::size_t i = 1; i < kCountBytesMax && bits >= 0x80; ++i) {
        to.push_back(static_cast<char>(bits | 0x80));
        bits >>= 7;
    }
    to.push_back(static_cast<char>(bits));  // the ninth byte has all eight bits
}

bool take_count(std::string_view& from, std::int64_t& value) noexcept {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < kCountBytesMax; ++i) {
        if (i == from.size()) {
            return false;
        }
        const auto byte = static_cast<std::uint8_t>(from[i]);
        const bool is_ninth = i == kCountBytesMax - 1;
        bits |= std::uint64_t{is_ninth ? byte : static_cast<std::uint8_t>(byte & 0x7f)} << (7 * i);
        if (is_ninth || byte < 0x80) {
            from.remove_prefix(i + 1);
            value = static_cast<std::int64_t>((bits >> 1) ^ (0 - (bits & 1)));
            return true;
        }
    }
    return false;
}

/// Inflates `compressed`, which must be a whole zlib stream of at most `length_bytes_max`.
bool inflate_all(std::string_view compressed, std::size_t length_bytes_max, std::string& plain) {
    constexpr std::size_t kStepBytes = 64 << 10;
    z_stream stream{};
    if (::inflateInit(&stream) != Z_OK) {
        return false;
    }
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
    stream.avail_in = static_cast<uInt>(compressed.size());
    int status = Z_OK;
    while (status == Z_OK && plain.size() < length_bytes_max) {
        const std::size_t used_bytes = plain.size();
        const std::size_t step_bytes = std::min(kStepBytes, length_bytes_max - used_bytes);
        plain.resize(used_bytes + step_bytes);
        stream.next_out = reinterpret_cast<Bytef*>(plain.data() + used_bytes);
        stream.avail_out = static_cast<uInt>(step_bytes);
        status = ::inflate(&stream, Z_NO_FLUSH);
        plain.resize(used_bytes + step_bytes - stream.avail_out);
    }
    ::inflateEnd(&stream);
    return status == Z_STREAM_END;
}

}  // namespace

/// Reads and writes a Histogram's inside.
class HistogramCodec {
public:
    static std::string encode_plain(const Histogram& histogram) {
        std::string counts;
        const auto& all = histogram.counts_;
        const auto last =
            std::find_if(all.rbegin(), all.rend(), [](auto count) { return count != 0; });
        const auto used_count = static_cast<std::size_t>(all.rend() - last);
        for (std::size_t i = 0; i < used_count;) {
            if (all[i] != 0) {
                append_count(counts, static_cast<std::int64_t>(all[i++]));
                continue;
            }
            const std::size_t start = i;
            while (all[i] == 0) {
                ++i;
            }
            const auto zero_count = static_cast<std::int64_t>(i - start);
            append_count(counts, zero_count == 1 ? 0 : -zero_count);
        }
        std::string plain;
        plain.reserve(kPlainHeaderBytes + counts.size());
        append_number(plain, kPlainCookie);
        append_number(plain, static_cast<std::uint32_t>(counts.size()));
        append_number(plain, std::uint32_t{0});
        append_number(plain, static_cast<std::uint32_t>(histogram.options_.significant_digits));
        append_number(plain, histogram.options_.lowest_value);
        append_number(plain, histogram.options_.highest_value);
        append_number(plain, 1.0);
        return plain + counts;
    }

    static Result<Histogram> decode_plain(std::string_view plain) {
        if (plain.size() < kPlainHeaderBytes ||
            number_at<std::uint32_t>(plain, 0) != kPlainCookie) {
            return error(Errc::kProtocol, "decode histogram: not a V2 histogram inside");
        }
        const auto length_bytes = number_at<std::uint32_t>(plain, 4);
        Histogram::Options options;
        options.significant_digits = number_at<std::int32_t>(plain, 12);
        options.lowest_value = number_at<std::int64_t>(plain, 16);
        options.highest_value = number_at<std::int64_t>(plain, 24);
        std::string_view counts = plain.substr(kPlainHeaderBytes);
        if (length_bytes > counts.size()) {
            return error(Errc::kProtocol,
                         "decode histogram: {} bytes of counts announced, {} there",
                         length_bytes,
                         counts.size());
        }
        auto shape = Histogram::shape_of(options);
        if (!shape.ok()) {
            return Error{Errc::kProtocol, shape.error().message, 0}.add_context("decode histogram");
        }
        if (shape->bucket_count > Histogram::kDecodedBucketsMax) {
            return error(Errc::kTooLarge,
                         "decode histogram: {} buckets, at most {} are allowed",
                         shape->bucket_count,
                         Histogram::kDecodedBucketsMax);
        }
        Histogram histogram(options, *shape);
        return fill(histogram, counts.substr(0, length_bytes));
    }

private:
    static Result<Histogram> fill(Histogram& histogram, std::string_view counts) {
        std::size_t index = 0;
        while (!counts.empty()) {
            std::int64_t count = 0;
            if (!take_count(counts, count)) {
                return error(Errc::kProtocol, "decode histogram: counts end inside a number");
            }
            const std::size_t left_count = histogram.counts_.size() - index;
            const std::uint64_t step_count =
                count < 0 ? 0 - static_cast<std::uint64_t>(count) : std::uint64_t{1};
            if (step_count > left_count) {
                return error(Errc::kProtocol, "decode histogram: more counts than buckets");
            }
            if (count > 0) {
                add_bucket(histogram, index, static_cast<std::uint64_t>(count));
            }
            index += step_count;
        }
        return std::move(histogram);
    }

    static void add_bucket(Histogram& histogram, std::size_t index, std::uint64_t count) noexcept {
        histogram.counts_[index] = count;
        histogram.total_count_ += count;
        histogram.min_ = std::min(histogram.min_, histogram.lowest_of(index));
        histogram.max_ = std::max(histogram.max_, histogram.highest_of(index));
    }
};

std::string Histogram::encode() const {
    const std::string plain = HistogramCodec::encode_plain(*this);
    uLongf compressed_bytes = ::compressBound(plain.size());
    std::string encoded(kCompressedHeaderBytes + compressed_bytes, '\0');
    const int status = ::compress(reinterpret_cast<Bytef*>(encoded.data() + kCompressedHeaderBytes),
                                  &compressed_bytes,
                                  reinterpret_cast<const Bytef*>(plain.data()),
                                  plain.size());
    TERN_CHECK(status == Z_OK);  // the only failures are memory and a bound that is too small
    store_value<std::endian::big>(encoded.data(), kCompressedCookie);
    store_value<std::endian::big>(encoded.data() + 4, static_cast<std::uint32_t>(compressed_bytes));
    encoded.resize(kCompressedHeaderBytes + compressed_bytes);
    return encode_base64(as_bytes(encoded));
}

Result<Histogram> Histogram::decode(std::string_view base64) {
    constexpr std::size_t kEncodedBytesMax = std::size_t{64} << 20;
    if (base64.size() > kEncodedBytesMax) {
        return error(Errc::kTooLarge, "decode histogram: {} bytes of text", base64.size());
    }
    std::string encoded;
    if (!decode_base64(base64, encoded)) {
        return error(Errc::kProtocol, "decode histogram: not base64");
    }
    if (encoded.size() < kCompressedHeaderBytes ||
        number_at<std::uint32_t>(encoded, 0) != kCompressedCookie) {
        return error(Errc::kProtocol, "decode histogram: not a compressed V2 histogram");
    }
    const auto compressed_bytes = number_at<std::uint32_t>(encoded, 4);
    const std::string_view compressed = std::string_view(encoded).substr(kCompressedHeaderBytes);
    std::string plain;
    if (compressed_bytes > compressed.size() ||
        !inflate_all(compressed.substr(0, compressed_bytes),
                     kPlainHeaderBytes + kCountBytesMax * kDecodedBucketsMax,
                     plain)) {
        return error(Errc::kProtocol, "decode histogram: the zlib stream inside is damaged");
    }
    return HistogramCodec::decode_plain(plain);
}

}  // namespace tern
