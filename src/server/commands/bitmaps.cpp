#include "store/string/bitmaps.hpp"

#include <algorithm>
#include <array>

#include "base/number_text.hpp"
#include "server/commands/argument_shapes.hpp"
#include "server/commands/bitmap_rows.hpp"
#include "server/commands/string_replies.hpp"
#include "server/commands/tables.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {

namespace {

namespace bits = store::bits;
namespace strings = store::strings;
using strings::Status;

constexpr std::string_view kBadBit = "ERR bit is not an integer or out of range";

/// Whether a string may have this bit; answers otherwise.
bool check_offset(Call& call, std::int64_t offset) {
    if (offset >= 0 && static_cast<std::uint64_t>(offset) / 8 < string_limit(call)) {
        return true;
    }
    call.reply.error(kBadBitOffset);
    return false;
}

// SETBIT, GETBIT

struct BitArguments {
    std::string_view key;
    std::int64_t offset = 0;
};
struct SetBitArguments : BitArguments {
    /// RESP's value, read after the offset was found in range, as Redis does.
    std::string_view text;
    std::int64_t value = 0;
};
bool parse_text(Arguments& in, BitArguments& out, Reply& reply) {
    out.key = in.take();
    return in.read_integer(out.offset, reply, kBadBitOffset);
}
bool parse_text(Arguments& in, SetBitArguments& out, Reply& reply) {
    const bool is_read = parse_text(in, static_cast<BitArguments&>(out), reply);
    out.text = is_read ? in.take() : std::string_view();
    return is_read;
}
template <typename View>
bool decode_wire(const View& view, BitArguments& out, Scratch&) {
    out.key = as_text(view.key());
    out.offset = view.offset();
    return true;
}
template <typename View>
bool decode_wire(const View& view, SetBitArguments& out, Scratch& scratch) {
    out.value = view.value();
    return decode_wire(view, static_cast<BitArguments&>(out), scratch);
}

void setbit(Call& call, const SetBitArguments& args) {
    if (!check_offset(call, args.offset)) {
        return;
    }
    std::int64_t value = args.value;
    const bool is_read = args.text.data() == nullptr || parse_int64(args.text, value);
    if (!is_read || value < 0 || value > 1) {
        call.reply.error(kBadBit);
        return;
    }
    const strings::Integer old = strings::set_bit(
        call.database, args.key, static_cast<std::uint64_t>(args.offset), value == 1);
    if (!failed(call.reply, old.status)) {
        call.reply.integer(old.value);
    }
}

void getbit(Call& call, const BitArguments& args) {
    if (!check_offset(call, args.offset)) {
        return;
    }
    const strings::Text found = strings::get(call.database, args.key);
    if (!failed(call.reply, found.status)) {
        const bool bit = bits::get(as_bytes(found.text), static_cast<std::uint64_t>(args.offset));
        call.reply.integer(bit ? 1 : 0);
    }
}

// BITCOUNT, BITPOS

/// A part of a string, in bytes or in bits, both ends included and counted from the end when
/// negative.
struct BitRange {
    std::int64_t start = 0;
    std::int64_t end = -1;
    bool has_end = false;
    bool is_in_bits = false;

    /// Empty for BITCOUNT; for BITPOS both ends may meet at the front.
    [[nodiscard]] bool is_reversed() const noexcept { return start < 0 && end < 0 && start > end; }
    /// The bits of a string of `size_bytes`; none when the range is empty.
    [[nodiscard]] bits::BitSpan resolve(std::size_t size_bytes) const noexcept {
        const auto unit_bits = is_in_bits ? 1 : 8;
        const auto total = static_cast<std::int64_t>(size_bytes) * 8 / unit_bits;
        const std::int64_t first = std::max<std::int64_t>(start < 0 ? start + total : start, 0);
        const std::int64_t last =
            std::min(std::max<std::int64_t>(end < 0 ? end + total : end, 0), total - 1);
        if (first > last) {
            return {};
        }
        return {static_cast<std::uint64_t>(first * unit_bits),
                static_cast<std::uint64_t>((last - first + 1) * unit_bits)};
    }
};

/// BYTE or BIT.
bool read_unit(std::string_view word, BitRange& out) {
    out.is_in_bits = equals_word(word, "BIT");
    return out.is_in_bits || equals_word(word, "BYTE");
}

template <typename View>
void decode_range(const View& view, BitRange& out) {
    out.start = view.start();
    out.has_end = view.flags().has_end();
    out.end = out.has_end ? view.end() : -1;
    out.is_in_bits = view.flags().in_bits();
}

struct BitCountArguments {
    std::string_view key;
    BitRange range;
    /// What is wrong with the range: told after the key was found to be a string, as Redis does.
    std::string_view range_error;
};
std::string_view read_count_range(std::span<const std::string_view> words, BitRange& out) {
    if (words.empty()) {
        return {};
    }
    if (words.size() == 1 || words.size() > 3) {
        return kSyntaxError;
    }
    if (!parse_int64(words[0], out.start) || !parse_int64(words[1], out.end)) {
        return kNotInteger;
    }
    // Nothing is counted from behind to before: Redis knows before it looks at the unit.
    const bool has_unit = words.size() == 3 && !out.is_reversed();
    return has_unit && !read_unit(words[2], out) ? kSyntaxError : std::string_view();
}
bool parse_text(Arguments& in, BitCountArguments& out, Reply&) {
    out.key = in.take();
    out.range_error = read_count_range(in.take_rest(), out.range);
    return true;
}
template <typename View>
bool decode_wire(const View& view, BitCountArguments& out, Scratch&) {
    out.key = as_text(view.key());
    decode_range(view, out.range);
    return true;
}

void bitcount(Call& call, const BitCountArguments& args) {
    const strings::Text found = strings::get(call.database, args.key);
    if (failed(call.reply, found.status)) {
        return;
    }
    if (found.status == Status::kMissing) {
        call.reply.integer(0);
        return;
    }
    if (!args.range_error.empty()) {
        call.reply.error(args.range_error);
        return;
    }
    const bits::BitSpan span =
        args.range.is_reversed() ? bits::BitSpan{} : args.range.resolve(found.text.size());
    call.reply.integer(static_cast<std::int64_t>(bits::count_ones(as_bytes(found.text), span)));
}

struct BitPosArguments : BitCountArguments {
    bool value = false;
};
std::string_view read_position_range(std::span<const std::string_view> words, BitRange& out) {
    if (words.empty()) {
        return {};
    }
    if (words.size() > 3) {
        return kSyntaxError;
    }
    if (!parse_int64(words[0], out.start)) {
        return kNotInteger;
    }
    if (words.size() == 3 && !read_unit(words[2], out)) {
        return kSyntaxError;
    }
    out.has_end = words.size() > 1;
    return out.has_end && !parse_int64(words[1], out.end) ? kNotInteger : std::string_view();
}
bool parse_text(Arguments& in, BitPosArguments& out, Reply& reply) {
    out.key = in.take();
    std::int64_t value = 0;
    if (!in.read_integer(value, reply)) {
        return false;
    }
    if (value < 0 || value > 1) {
        reply.error("ERR The bit argument must be 1 or 0.");
        return false;
    }
    out.value = value == 1;
    out.range_error = read_position_range(in.take_rest(), out.range);
    return true;
}
template <typename View>
bool decode_wire(const View& view, BitPosArguments& out, Scratch& scratch) {
    out.value = view.bit() == 1;
    return view.bit() <= 1 && decode_wire(view, static_cast<BitCountArguments&>(out), scratch);
}

void bitpos(Call& call, const BitPosArguments& args) {
    const strings::Text found = strings::get(call.database, args.key);
    if (failed(call.reply, found.status)) {
        return;
    }
    if (found.status == Status::kMissing) {
        call.reply.integer(args.value ? -1 : 0);  // a missing string is zeroes without an end
        return;
    }
    if (!args.range_error.empty()) {
        call.reply.error(args.range_error);
        return;
    }
    const bits::BitSpan span = args.range.resolve(found.text.size());
    const auto at = bits::find(as_bytes(found.text), span, args.value);
    if (at) {
        call.reply.integer(static_cast<std::int64_t>(*at));
    } else if (!args.value && !args.range.has_end && span.count != 0) {
        // Without an end the string is thought to go on with zeroes.
        call.reply.integer(static_cast<std::int64_t>(found.text.size()) * 8);
    } else {
        call.reply.integer(-1);
    }
}

// BITOP

struct BitOpArguments {
    bits::Operation operation = bits::Operation::kAnd;
    std::string_view destination;
    std::span<const std::string_view> keys;
    std::span<Bytes> sources;  ///< room for as many as keys
};
struct NamedOperation {
    std::string_view name;  ///< in capitals
    bits::Operation operation;
};
constexpr std::array kOperations = {
    NamedOperation{"AND", bits::Operation::kAnd},
    NamedOperation{"OR", bits::Operation::kOr},
    NamedOperation{"XOR", bits::Operation::kXor},
    NamedOperation{"NOT", bits::Operation::kNot},
};
bool parse_text(Arguments& in, BitOpArguments& out, Reply& reply) {
    const auto* const named =
        std::find_if(kOperations.begin(), kOperations.end(), [&](const NamedOperation& one) {
            return equals_word(in.peek(), one.name);
        });
    if (named == kOperations.end()) {
        return syntax_error(reply);
    }
    static_cast<void>(in.take());
    out.operation = named->operation;
    out.destination = in.take();
    out.keys = in.take_rest();
    out.sources = in.scratch().array<Bytes>(out.keys.size());
    return true;
}
template <typename View>
bool decode_wire(const View& view, BitOpArguments& out, Scratch& scratch) {
    const auto operation = static_cast<std::size_t>(view.operation().raw());
    KeysArguments keys;
    if (operation >= kOperations.size() || view.destinations().size() != 1 ||
        !server::decode_wire(view, keys, scratch)) {
        return false;
    }
    out.operation = kOperations[operation].operation;
    out.destination = as_text((*view.destinations().begin()).key());
    out.keys = keys.keys;
    out.sources = scratch.array<Bytes>(out.keys.size());
    return true;
}

void bitop(Call& call, const BitOpArguments& args) {
    if (args.operation == bits::Operation::kNot && args.keys.size() != 1) {
        call.reply.error("ERR BITOP NOT must be called with a single source key.");
        return;
    }
    const strings::Length length = strings::combine_bits(
        call.database, args.operation, args.destination, args.keys, args.sources);
    if (!failed(call.reply, length.status)) {
        call.reply.integer(static_cast<std::int64_t>(length.length_bytes));
    }
}

#define TERN_BITMAP_ROW(function, View, ...) \
    row<function, wire::Verified##View##RequestView>(bitmap_info(__VA_ARGS__))

constexpr std::array kTable = {
    TERN_BITMAP_ROW(bitcount,
                    BitCount,
                    "bitcount",
                    -2,
                    kReadonly,
                    kOneKey,
                    "2.6.0",
                    "O(N)",
                    "key [start end [BYTE | BIT]]",
                    "Counts the ones of a string."),
    TERN_BITMAP_ROW(bitop,
                    BitOp,
                    "bitop",
                    -4,
                    kWrite | kDenyOom,
                    (KeyPositions{2, -1, 1}),
                    "2.6.0",
                    "O(N)",
                    "<AND | OR | XOR | NOT> destkey key [key ...]",
                    "Combines strings bit by bit and stores the result."),
    TERN_BITMAP_ROW(bitpos,
                    BitPos,
                    "bitpos",
                    -3,
                    kReadonly,
                    kOneKey,
                    "2.8.7",
                    "O(N)",
                    "key bit [start [end [BYTE | BIT]]]",
                    "Finds the first one or the first zero of a string."),
    TERN_BITMAP_ROW(getbit,
                    GetBit,
                    "getbit",
                    3,
                    kReadonly | kFast,
                    kOneKey,
                    "2.2.0",
                    "O(1)",
                    "key offset",
                    "Gets a bit of a string."),
    TERN_BITMAP_ROW(setbit,
                    SetBit,
                    "setbit",
                    4,
                    kWrite | kDenyOom,
                    kOneKey,
                    "2.2.0",
                    "O(1)",
                    "key offset value",
                    "Sets a bit of a string and returns the old one."),
};

#undef TERN_BITMAP_ROW

}  // namespace

std::span<const CommandSpec> bitmap_table() {
    return kTable;
}

}  // namespace tern::server::commands
