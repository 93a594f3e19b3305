#include "store/rdb/value_parts.hpp"
#include "store/set/set.hpp"

namespace tern::store::rdb {
namespace {

using Form = PackedReader::Form;

LoadStatus add_member(LoadTarget& target, sets::Set& set, std::string_view member) {
    switch (set.add(member, target.limits.set)) {
        case sets::AddOutcome::kAdded:
            return LoadStatus::kOk;
        case sets::AddOutcome::kOutOfMemory:
            return LoadStatus::kOutOfMemory;
        default:
            return LoadStatus::kBad;
    }
}

LoadStatus load_packed_set(LoadTarget& target, Form form) {
    sets::Set set(target.database, target.key);
    RdbText packed;
    if (!target.reader.text(packed)) {
        return LoadStatus::kBad;
    }
    return load_packed(form, packed.bytes(), [&](std::string_view member) {
        return add_member(target, set, member);
    });
}

void save_integers(RdbWriter& writer, const sets::IntegerSet& integers) {
    constexpr std::size_t kHeadBytes = 8;
    const std::size_t width = integers.width();
    BufferSink packed;
    const auto size_bytes = kHeadBytes + integers.size() * width;
    char* const to = packed.reserve(size_bytes + sizeof(std::int64_t));
    store_value(to, static_cast<std::uint32_t>(width));
    store_value(to + 4, static_cast<std::uint32_t>(integers.size()));
    for (std::size_t i = 0; i < integers.size(); ++i) {
        store_value(to + kHeadBytes + i * width, integers.at(i));
    }
    packed.advance(size_bytes);
    writer.kind(ValueKind::kSetIntset);
    writer.text(packed.view());
}

}  // namespace

void save_set(RdbWriter& writer, const EntryRef& ref) {
    if (ref.is_object()) {
        const auto& large = ref.object<sets::LargeSet>();
        writer.kind(ValueKind::kSet);
        writer.length(large.size());
        large.for_each([&](std::string_view member) { writer.text(member); });
        return;
    }
    if (!sets::PackedSet::is_packed(ref.value())) {
        save_integers(writer, sets::IntegerSet(ref.value()));
        return;
    }
    ListpackBuilder pack;
    sets::PackedSet(ref.value()).for_each([&](const sets::PackedSet::Entry& entry) {
        pack.append(entry.text);
        return true;
    });
    writer.kind(ValueKind::kSetListpack);
    writer.text(pack.finish());
}

void mix_set(Digest& sum, const EntryRef& ref) {
    const auto mix_member = [&](std::string_view member) {
        Digest part;
        part.append(member);
        sum.mix(part);
    };
    if (ref.is_object()) {
        ref.object<sets::LargeSet>().for_each(mix_member);
    } else if (sets::PackedSet::is_packed(ref.value())) {
        sets::PackedSet(ref.value()).for_each([&](const sets::PackedSet::Entry& entry) {
            mix_member(entry.text);
            return true;
        });
    } else {
        const sets::IntegerSet integers(ref.value());
        for (std::size_t i = 0; i < integers.size(); ++i) {
            mix_member(int64_text(integers.at(i)));
        }
    }
}

LoadStatus load_set(LoadTarget& target) {
    std::uint64_t count = 0;
    if (!target.reader.length(count)) {
        return LoadStatus::kBad;
    }
    sets::Set set(target.database, target.key);
    RdbText member;
    for (; count != 0; --count) {
        if (!target.reader.text(member)) {
            return LoadStatus::kBad;
        }
        if (const LoadStatus status = add_member(target, set, member.view());
            status != LoadStatus::kOk) {
            return status;
        }
    }
    return LoadStatus::kOk;
}

LoadStatus load_set_intset(LoadTarget& target) {
    return load_packed_set(target, Form::kIntset);
}

LoadStatus load_set_listpack(LoadTarget& target) {
    return load_packed_set(target, Form::kListpack);
}

}  // namespace tern::store::rdb
