#include "server/wire_cases.hpp"

namespace tern::test {

namespace {

using namespace wire;  // NOLINT: the names of the schema

struct Field {
    FieldAction action;
    bool is_signed;
    std::uint8_t width;
    std::uint64_t offset;
    std::int64_t value = 0;
    FieldOverflow overflow = FieldOverflow::kWrap;
};

std::string setbit(std::string_view name, std::int64_t offset, std::uint8_t value) {
    return encode<SetBitRequestEncoder>(
        [&](SetBitRequestEncoder& e) { return e.offset(offset).value(value).key(name); });
}
std::string getbit(std::string_view name, std::int64_t offset) {
    return encode<GetBitRequestEncoder>(
        [&](GetBitRequestEncoder& e) { return e.offset(offset).key(name); });
}
template <typename Encoder>
Encoder& with_range(Encoder& e, std::int64_t start, std::int64_t end, BitRangeFlags flags) {
    return e.start(start).end(end).flags(flags);
}
std::string bitcount(std::string_view name,
                     std::int64_t start,
                     std::int64_t end,
                     BitRangeFlags flags) {
    return encode<BitCountRequestEncoder>(
        [&](BitCountRequestEncoder& e) { return with_range(e, start, end, flags).key(name); });
}
std::string bitpos(std::string_view name,
                   std::uint8_t bit,
                   std::int64_t start,
                   std::int64_t end,
                   BitRangeFlags flags) {
    return encode<BitPosRequestEncoder>([&](BitPosRequestEncoder& e) {
        return with_range(e, start, end, flags).bit(bit).key(name);
    });
}
std::string bitop(BitOperation operation, std::string_view destination, const Words& names) {
    return encode<BitOpRequestEncoder>([&](BitOpRequestEncoder& e) {
        return e.operation(operation)
            .destinations(1, [&](auto& entry, std::size_t) { return entry.key(destination); })
            .keys(names.size(), [&](auto& entry, std::size_t i) { return entry.key(names[i]); });
    });
}
template <typename Encoder>
std::string bitfield(std::string_view name, const std::vector<Field>& list) {
    return encode<Encoder>([&](Encoder& e) {
        return e.keys(1, [&](auto& entry, std::size_t) { return entry.key(name); })
            .operations(list.size(), [&](auto& entry, std::size_t i) {
                const Field& one = list[i];
                return entry.offset(one.offset)
                    .value(one.value)
                    .action(one.action)
                    .overflow(one.overflow)
                    .flags(FieldFlags{}.is_signed(one.is_signed))
                    .width(one.width);
            });
    });
}

}  // namespace

std::vector<WireCase> bitmap_wire_cases() {
    const auto ended = BitRangeFlags{}.has_end(true);
    const auto in_bits = BitRangeFlags{}.has_end(true).in_bits(true);
    using enum FieldAction;
    return {
        {{"SETBIT", "bits", "7", "1"}, setbit("bits", 7, 1)},
        {{"SETBIT", "bits", "7", "2"}, setbit("bits", 7, 2)},
        {{"SETBIT", "bits", "-1", "1"}, setbit("bits", -1, 1)},
        {{"SETBIT", "bits", "17", "1"}, setbit("bits", 17, 1)},
        {{"GETBIT", "bits", "17"}, getbit("bits", 17)},
        {{"GETBIT", "none", "17"}, getbit("none", 17)},
        {{"BITCOUNT", "bits"}, bitcount("bits", 0, 0, {})},
        {{"BITCOUNT", "bits", "1", "-1"}, bitcount("bits", 1, -1, ended)},
        {{"BITCOUNT", "bits", "7", "16", "BIT"}, bitcount("bits", 7, 16, in_bits)},
        {{"BITPOS", "bits", "1"}, bitpos("bits", 1, 0, 0, {})},
        {{"BITPOS", "bits", "0", "2", "-1", "BIT"}, bitpos("bits", 0, 2, -1, in_bits)},
        {{"BITPOS", "bits", "1", "2", "5"}, bitpos("bits", 1, 2, 5, ended)},
        {{"BITOP", "NOT", "inverse", "bits"}, bitop(BitOperation::kNot, "inverse", {"bits"})},
        {{"BITOP", "AND", "bits", "bits", "inverse", "none"},
         bitop(BitOperation::kAnd, "bits", {"bits", "inverse", "none"})},
        {{"BITOP", "NOT", "x", "bits", "inverse"},
         bitop(BitOperation::kNot, "x", {"bits", "inverse"})},
        {{"BITFIELD", "bits", "SET", "i5", "3", "-9", "GET", "u4", "1"},
         bitfield<BitFieldRequestEncoder>("bits", {{kSet, true, 5, 3, -9}, {kGet, false, 4, 1}})},
        {{"BITFIELD",
          "bits",
          "OVERFLOW",
          "FAIL",
          "INCRBY",
          "u2",
          "100",
          "4",
          "OVERFLOW",
          "SAT",
          "INCRBY",
          "u2",
          "102",
          "4"},
         bitfield<BitFieldRequestEncoder>("bits",
                                          {{kIncrBy, false, 2, 100, 4, FieldOverflow::kFail},
                                           {kIncrBy, false, 2, 102, 4, FieldOverflow::kSaturate}})},
        {{"BITFIELD_RO", "bits", "GET", "i64", "0"},
         bitfield<BitFieldRoRequestEncoder>("bits", {{kGet, true, 64, 0}})},
        {{"BITFIELD_RO", "bits", "SET", "i64", "0", "1"},
         bitfield<BitFieldRoRequestEncoder>("bits", {{kSet, true, 64, 0, 1}})},
    };
}

}  // namespace tern::test
