#include "store/set/large_set.hpp"

#include <algorithm>
#include <cstring>

namespace tern::store::sets {

Handle LargeSet::ExactForm::make(Arena& arena, std::string_view member) noexcept {
    const Handle handle = arena.allocate(member.size());
    if (handle) {
        TERN_DCHECK(arena.slot_bytes(handle) == member.size());
        std::memcpy(arena.at(handle), member.data(), member.size());
    }
    return handle;
}

Handle LargeSet::CodedForm::make(Arena& arena, std::string_view member) noexcept {
    const std::size_t body_bytes = length_code::size_of(member.size()) + member.size();
    const auto fresh = element_slot::allocate(arena, 0, body_bytes);
    if (fresh.handle) {
        std::memcpy(length_code::write(fresh.body, member.size()), member.data(), member.size());
    }
    return fresh.handle;
}

LargeSet::~LargeSet() {
    while (!drain(SIZE_MAX)) {}
}

bool LargeSet::contains(std::string_view member) const noexcept {
    const std::uint64_t hash = (*hasher_)(member);
    const Handle handle =
        is_exact(member.size()) ? exact_.find(hash, member) : coded_.find(hash, member);
    return static_cast<bool>(handle);
}

template <typename Form>
AddOutcome LargeSet::add_to(Index<Form>& index, std::string_view member) noexcept {
    const std::uint64_t hash = (*hasher_)(member);
    if (index.find(hash, member)) {
        return AddOutcome::kPresent;
    }
    const Handle fresh = Form::make(*arena_, member);
    if (!fresh) {
        return AddOutcome::kOutOfMemory;
    }
    if (!index.insert(hash, fresh)) {
        Form::free(*arena_, fresh);
        return AddOutcome::kOutOfMemory;
    }
    member_bytes_ += Form::memory_bytes(*arena_, fresh);
    return AddOutcome::kAdded;
}

AddOutcome LargeSet::add(std::string_view member) noexcept {
    return is_exact(member.size()) ? add_to<ExactForm>(exact_, member)
                                   : add_to<CodedForm>(coded_, member);
}

template <typename Form>
bool LargeSet::erase_from(Index<Form>& index, std::string_view member) noexcept {
    const std::uint64_t hash = (*hasher_)(member);
    const Handle handle = index.find(hash, member);
    if (!handle) {
        return false;
    }
    TERN_CHECK(index.erase(hash, handle));
    free_member<Form>(handle);
    return true;
}

bool LargeSet::erase(std::string_view member) noexcept {
    return is_exact(member.size()) ? erase_from<ExactForm>(exact_, member)
                                   : erase_from<CodedForm>(coded_, member);
}

template <typename Form>
void LargeSet::free_member(Handle handle) noexcept {
    member_bytes_ -= Form::memory_bytes(*arena_, handle);
    Form::free(*arena_, handle);
}

std::string_view LargeSet::random(Random& random) const {
    TERN_CHECK(size() != 0);
    const auto draw = [&random] { return random.next(); };
    return random.below(size()) < exact_.size()
               ? ExactForm::read(*arena_, exact_.random_entry(draw))
               : CodedForm::read(*arena_, coded_.random_entry(draw));
}

bool LargeSet::copy_to(LargeSet& target) const noexcept {
    bool is_complete = true;
    for_each([&](std::string_view member) {
        is_complete = is_complete && target.add(member) != AddOutcome::kOutOfMemory;
    });
    return is_complete;
}

bool LargeSet::drain(std::size_t budget) noexcept {
    const std::size_t buckets =
        std::max<std::size_t>(budget / decltype(exact_)::kEntriesPerBucket, 1);
    return exact_.drain(buckets, [this](Handle handle) { free_member<ExactForm>(handle); }) &&
           coded_.drain(buckets, [this](Handle handle) { free_member<CodedForm>(handle); });
}

}  // namespace tern::store::sets
