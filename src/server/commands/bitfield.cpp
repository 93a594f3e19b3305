#include "store/string/bitfield.hpp"

#include <array>

#include "base/number_text.hpp"
#include "server/commands/argument_shapes.hpp"
#include "server/commands/bitmap_rows.hpp"
#include "server/commands/string_replies.hpp"
#include "server/commands/tables.hpp"
#include "store/string/bitmaps.hpp"
#include "tern_store_wire/all.hpp"

namespace tern::server::commands {

namespace {

namespace bits = store::bits;
namespace strings = store::strings;
using strings::Status;

enum class FieldAction : std::uint8_t { kGet, kSet, kIncrBy };

/// One operation of BITFIELD.
struct FieldOperation {
    FieldAction action = FieldAction::kGet;
    bits::Overflow overflow = bits::Overflow::kWrap;
    bits::FieldType type;
    std::uint64_t offset = 0;  ///< in bits
    std::int64_t value = 0;

    [[nodiscard]] std::uint64_t end_bytes() const noexcept {
        return (offset + type.width - 1) / 8 + 1;
    }
};

/// RESP's operations are words: how long a string may be is asked when they are read.
struct BitFieldArguments {
    std::string_view key;
    std::span<const std::string_view> words;
    std::span<FieldOperation> operations;  ///< decoded, or room for those that `words` say
};
struct BitFieldRoArguments : BitFieldArguments {};

bool parse_text(Arguments& in, BitFieldArguments& out, Reply&) {
    out.key = in.take();
    out.operations = in.scratch().array<FieldOperation>(in.left() / 2);
    out.words = in.take_rest();
    return true;
}

template <typename View>
bool decode_wire(const View& view, BitFieldArguments& out, Scratch& scratch) {
    const auto entries = view.operations();
    out.operations = scratch.array<FieldOperation>(entries.size());
    std::size_t i = 0;
    for (const auto entry : entries) {
        FieldOperation& one = out.operations[i++];
        one.type = {entry.flags().is_signed(), entry.width()};
        one.offset = entry.offset();
        const unsigned action = entry.action().raw();
        const unsigned overflow = entry.overflow().raw();
        if (action > 2 || overflow > 2 || !one.type.is_valid()) {
            return false;
        }
        one.action = static_cast<FieldAction>(action);
        one.overflow = static_cast<bits::Overflow>(overflow);
        one.value = entry.value();
    }
    return decode_only_key(view, out.key);
}

bool read_type(std::string_view text, bits::FieldType& out) {
    std::int64_t width = 0;
    const bool has_sign = !text.empty() && (text[0] == 'i' || text[0] == 'u');
    if (!has_sign || !parse_int64(text.substr(1), width) || width < 1 || width > 64) {
        return false;
    }
    out = {text[0] == 'i', static_cast<std::uint8_t>(width)};
    return out.is_valid();
}

/// An offset in bits, or with '#' in fields of `width` bits.
bool read_offset(Call& call, std::string_view text, unsigned width, std::uint64_t& out) {
    const bool is_multiple = text.starts_with('#');
    std::int64_t offset = 0;
    const bool is_read = parse_int64(text.substr(is_multiple ? 1 : 0), offset) && offset >= 0 &&
                         !__builtin_mul_overflow(offset, is_multiple ? width : 1U, &offset);
    out = static_cast<std::uint64_t>(offset);
    return is_read && out / 8 < string_limit(call);
}

bool read_overflow(std::string_view word, bits::Overflow& out) {
    constexpr std::array<std::string_view, 3> kNames = {"WRAP", "SAT", "FAIL"};
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        if (equals_word(word, kNames[i])) {
            out = static_cast<bits::Overflow>(i);
            return true;
        }
    }
    return false;
}

/// Reads the next operation with its type, offset and value; an error's text otherwise.
std::string_view read_operation(Call& call, Arguments& in, FieldOperation& out) {
    constexpr std::array<std::string_view, 3> kNames = {"GET", "SET", "INCRBY"};
    std::size_t action = 0;
    while (action < kNames.size() && !equals_word(in.peek(), kNames[action])) {
        ++action;
    }
    const std::size_t word_count = action == 0 ? 3 : 4;
    if (action == kNames.size() || in.left() < word_count) {
        return kSyntaxError;
    }
    static_cast<void>(in.take());
    out.action = static_cast<FieldAction>(action);
    if (!read_type(in.take(), out.type)) {
        return "ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not "
               "supported but i64 is.";
    }
    if (!read_offset(call, in.take(), out.type.width, out.offset)) {
        return kBadBitOffset;
    }
    return action != 0 && !parse_int64(in.take(), out.value) ? kNotInteger : std::string_view();
}

/// Reads `words` into `room`; returns an error's text, or nothing and how many there are.
std::string_view read_operations(Call& call,
                                 std::span<const std::string_view> words,
                                 std::span<FieldOperation> room,
                                 std::size_t& count) {
    Arguments in(words, call.scratch);
    bits::Overflow overflow = bits::Overflow::kWrap;
    while (!in.is_empty()) {
        if (in.left() > 1 && in.take_option("OVERFLOW")) {
            if (!read_overflow(in.take(), overflow)) {
                return "ERR Invalid OVERFLOW type specified";
            }
            continue;
        }
        FieldOperation one;
        one.overflow = overflow;
        if (const std::string_view error = read_operation(call, in, one); !error.empty()) {
            return error;
        }
        room[count++] = one;
    }
    return {};
}

void run_get(Reply& reply, const FieldOperation& one, Bytes bytes) {
    reply.integer(bits::value_of(bits::read_field(bytes, one.offset, one.type.width), one.type));
}

void run_get_all(Call& call, std::string_view key, std::span<const FieldOperation> operations) {
    const strings::Text found = strings::get(call.database, key);
    if (failed(call.reply, found.status)) {
        return;
    }
    call.reply.array(operations.size());
    for (const FieldOperation& one : operations) {
        run_get(call.reply, one, as_bytes(found.text));
    }
}

/// Runs a SET or INCRBY; whether it changed anything.
bool run_change(Reply& reply, const FieldOperation& one, MutableBytes bytes) {
    const std::int64_t old =
        bits::value_of(bits::read_field(bytes, one.offset, one.type.width), one.type);
    const bool is_set = one.action == FieldAction::kSet;
    const auto fresh = is_set ? bits::fit(one.value, one.type, one.overflow)
                              : bits::fit_sum(old, one.value, one.type, one.overflow);
    if (!fresh) {
        reply.null();
        return false;
    }
    bits::write_field(bytes, one.offset, one.type.width, static_cast<std::uint64_t>(*fresh));
    reply.integer(is_set ? old : *fresh);
    return *fresh != old;
}

void run_all(Call& call,
             std::string_view key,
             std::span<const FieldOperation> operations,
             std::uint64_t size_bytes) {
    strings::Writable open = strings::open_writable(call.database, key, size_bytes);
    if (failed(call.reply, open.status)) {
        return;
    }
    bool has_changed = open.has_grown;
    call.reply.array(operations.size());
    for (const FieldOperation& one : operations) {
        if (one.action == FieldAction::kGet) {
            run_get(call.reply, one, open.ref.value());
        } else {
            has_changed = run_change(call.reply, one, open.ref.value()) || has_changed;
        }
    }
    if (has_changed) {
        call.database.mark_modified(open.ref);
    }
}

void run_bitfield(Call& call, const BitFieldArguments& args, bool only_reads) {
    std::span<FieldOperation> operations = args.operations;
    if (args.words.data() != nullptr) {
        std::size_t count = 0;
        const std::string_view error = read_operations(call, args.words, operations, count);
        if (!error.empty()) {
            call.reply.error(error);
            return;
        }
        operations = operations.first(count);
    }
    std::uint64_t written_bytes = 0;
    for (const FieldOperation& one : operations) {
        if (one.offset / 8 >= string_limit(call)) {
            call.reply.error(kBadBitOffset);
            return;
        }
        if (one.action != FieldAction::kGet) {
            written_bytes = std::max(written_bytes, one.end_bytes());
        }
    }
    if (written_bytes == 0) {
        run_get_all(call, args.key, operations);
    } else if (only_reads) {
        call.reply.error("ERR BITFIELD_RO only supports the GET subcommand");
    } else {
        run_all(call, args.key, operations, written_bytes);
    }
}

void bitfield(Call& call, const BitFieldArguments& args) {
    run_bitfield(call, args, false);
}
void bitfield_ro(Call& call, const BitFieldRoArguments& args) {
    run_bitfield(call, args, true);
}

}  // namespace

std::span<const CommandSpec> bitfield_table() {
    static constexpr std::array kTable = {
        row<bitfield, wire::VerifiedBitFieldRequestView>(
            bitmap_info("bitfield",
                        -2,
                        kWrite | kDenyOom,
                        kOneKey,
                        "3.2.0",
                        "O(1)",
                        "key [GET encoding offset | [OVERFLOW <WRAP | SAT | FAIL>] <SET encoding "
                        "offset value | INCRBY encoding offset increment> [GET encoding offset | "
                        "[OVERFLOW <WRAP | SAT | FAIL>] <SET encoding offset value | INCRBY "
                        "encoding offset increment> ...]]",
                        "Reads and changes integers of any width in a string.")),
        row<bitfield_ro, wire::VerifiedBitFieldRoRequestView>(
            bitmap_info("bitfield_ro",
                        -2,
                        kReadonly | kFast,
                        kOneKey,
                        "6.0.0",
                        "O(1)",
                        "key [GET encoding offset [GET encoding offset ...]]",
                        "Reads integers of any width in a string.")),
    };
    return kTable;
}

}  // namespace tern::server::commands
