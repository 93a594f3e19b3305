#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <string_view>
#include <tern/base/bytes.hpp>
#include <tern/base/check.hpp>
#include <tern/sbe/status.hpp>
#include <tern/sbe/values.hpp>
#include <type_traits>

/// Reading: what generated views are made of. Each check compares with the bytes that are left, so
/// that no sum of lengths can wrap (docs/formats/sbe-codegen.md, The walk).
namespace tern::sbe {

/// A message header's four fields, whatever their widths and places on the wire.
struct HeaderFields {
    std::uint32_t block_length = 0;
    std::uint32_t template_id = 0;
    std::uint32_t schema_id = 0;
    std::uint32_t version = 0;
};

/// A group's dimensions as they stand on the wire.
struct DimensionFields {
    std::uint64_t block_length = 0;
    std::uint64_t count = 0;
};

/// Most entries of a group whose entries take no bytes: nothing else would bound the reader's work.
inline constexpr std::uint64_t kMaxEmptyEntries = 65'535;

/// An owning range on its way out: a view of it would dangle.
template <typename Range>
concept TemporaryBuffer =
    !std::is_lvalue_reference_v<Range> && std::ranges::range<Range> &&
    !std::ranges::borrowed_range<std::remove_cvref_t<Range>> && std::convertible_to<Range, Bytes>;

/// How far a checked walk has come. After a failure it stands at the end and reads nothing more.
struct WalkCursor {
    const std::byte* at = nullptr;
    const std::byte* end = nullptr;
    std::uint32_t version = 0;
    DecodeStatus status = DecodeStatus::kOk;

    [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end - at); }
    void fail(DecodeStatus why) noexcept {
        if (status == DecodeStatus::kOk) {
            status = why;
        }
        at = end;
    }
    [[nodiscard]] bool ok() const noexcept { return status == DecodeStatus::kOk; }
};

/// A fixed block with the length and version that its writer gave it: a message's root or an entry.
class BlockView {
public:
    [[nodiscard]] std::uint32_t acting_version() const noexcept { return version_; }
    [[nodiscard]] std::uint32_t acting_block_length() const noexcept { return block_length_; }
    /// The block as it lies in the message, unknown trailing fields included.
    [[nodiscard]] Bytes block_bytes() const noexcept { return {block_, block_length_}; }

    constexpr BlockView() noexcept = default;
    constexpr BlockView(const std::byte* block,
                        std::uint32_t block_length,
                        std::uint32_t version) noexcept
        : block_(block), block_length_(block_length), version_(version) {}

protected:
    const std::byte* block_ = nullptr;
    std::uint32_t block_length_ = 0;
    std::uint32_t version_ = 0;
};

/// A message's root block, checked, and where its bytes end.
class MessageBlock : public BlockView {
public:
    constexpr MessageBlock() noexcept = default;
    constexpr MessageBlock(const std::byte* block,
                           const std::byte* end,
                           std::uint32_t block_length,
                           std::uint32_t version) noexcept
        : BlockView(block, block_length, version), end_(end) {}

protected:
    [[nodiscard]] WalkCursor after_block() const noexcept {
        return {block_ + block_length_, end_, version_, DecodeStatus::kOk};
    }

    const std::byte* end_ = nullptr;
};

/// Checks a message's header and root block, then makes `View`.
template <typename View>
[[nodiscard]] inline Decoded<View> wrap_message(Bytes message) noexcept {
    if (message.size() < View::kHeaderBytes) {
        return DecodeStatus::kBufferTooShort;
    }
    const HeaderFields header = View::Schema::read_header(message.data());
    if (header.schema_id != View::kSchemaId) {
        return DecodeStatus::kSchemaMismatch;
    }
    if (header.template_id != View::kTemplateId) {
        return DecodeStatus::kTemplateMismatch;
    }
    return View::wrap_body(
        message.subspan(View::kHeaderBytes), header.block_length, header.version);
}

/// Checks a root block whose header was read elsewhere, then makes `View`.
template <typename View>
[[nodiscard]] inline Decoded<View> wrap_body(Bytes body,
                                             std::uint32_t block_length,
                                             std::uint32_t version) noexcept {
    if (block_length < View::min_block_length(version)) {
        return DecodeStatus::kBlockTooShort;
    }
    if (block_length > body.size()) {
        return DecodeStatus::kBufferTooShort;
    }
    return View(MessageBlock(body.data(), body.data() + body.size(), block_length, version));
}

/// One var data encoding: a length of type `Length` at `LengthOffset`, then the bytes at
/// `HeaderBytes`.
template <typename Length,
          std::endian Order,
          std::uint64_t MaxLength,
          std::size_t LengthOffset,
          std::size_t HeaderBytes>
struct VarData {
    static constexpr std::size_t kHeaderBytes = HeaderBytes;
    static constexpr std::uint64_t kMaxLength = MaxLength;

    /// Reads at the cursor and steps over it; empty after a failure.
    static Bytes read(WalkCursor& cursor) noexcept {
        if (cursor.left() < HeaderBytes) {
            cursor.fail(DecodeStatus::kBufferTooShort);
            return {};
        }
        const std::uint64_t length = load<Length, Order>(cursor.at + LengthOffset);
        // The null is the type's maximum, and no schema's maximum reaches it.
        if (length > MaxLength) {
            cursor.fail(DecodeStatus::kLengthOutOfRange);
            return {};
        }
        if (length > cursor.left() - HeaderBytes) {
            cursor.fail(DecodeStatus::kBufferTooShort);
            return {};
        }
        const Bytes data(cursor.at + HeaderBytes, static_cast<std::size_t>(length));
        cursor.at += HeaderBytes + data.size();
        return data;
    }

    /// The data at `at`, which a walk has checked.
    static Bytes trusted(const std::byte* at) noexcept {
        return {at + HeaderBytes, static_cast<std::size_t>(load<Length, Order>(at + LengthOffset))};
    }
    static const std::byte* skip_trusted(const std::byte* at) noexcept {
        const Bytes data = trusted(at);
        return data.data() + data.size();
    }
    static void store_length(std::byte* at, std::size_t length) noexcept {
        store_value<Order>(at + LengthOffset, static_cast<Length>(length));
    }
};

/// A repeating group that a walk has checked to its end: iterating it and reading its entries, with
/// all that is nested in them, cannot fail.
///
/// `Entry` is generated and says its dimensions, its smallest block and whether it has parts of
/// variable length; without them the group is random access.
///
/// Lifetime: that of the message's bytes.
template <typename Entry>
class GroupView {
public:
    class Iterator {
    public:
        using value_type = Entry;
        using difference_type = std::ptrdiff_t;
        using iterator_category = std::input_iterator_tag;
        using iterator_concept = std::forward_iterator_tag;

        constexpr Iterator() noexcept = default;
        constexpr Iterator(Entry entry, std::size_t left) noexcept : entry_(entry), left_(left) {}
        Entry operator*() const noexcept { return entry_; }
        const Entry* operator->() const noexcept { return &entry_; }
        Iterator& operator++() noexcept {
            entry_ = Entry(BlockView(
                entry_.end_of_entry(), entry_.acting_block_length(), entry_.acting_version()));
            --left_;
            return *this;
        }
        Iterator operator++(int) noexcept {
            Iterator before = *this;
            ++*this;
            return before;
        }
        friend bool operator==(const Iterator& a, const Iterator& b) noexcept {
            return a.left_ == b.left_;
        }

    private:
        Entry entry_;
        std::size_t left_ = 0;
    };

    constexpr GroupView() noexcept = default;

    [[nodiscard]] std::size_t size() const noexcept { return count_; }
    [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
    [[nodiscard]] Iterator begin() const noexcept {
        return Iterator(Entry(BlockView(first_, block_length_, version_)), count_);
    }
    [[nodiscard]] Iterator end() const noexcept { return Iterator(Entry(), 0); }
    [[nodiscard]] Entry operator[](std::size_t index) const noexcept requires(!Entry::kHasParts) {
        TERN_DCHECK(index < count_);
        return Entry(BlockView(first_ + index * block_length_, block_length_, version_));
    }

    /// Checks the group at the cursor with everything in it and steps over it; empty after a
    /// failure, and when the writer's version had no such group.
    static GroupView read(WalkCursor& cursor) noexcept {
        using Dimensions = typename Entry::Dimensions;
        if (cursor.version < Entry::kSinceVersion || !cursor.ok()) {
            return {};
        }
        if (cursor.left() < Dimensions::kBytes) {
            cursor.fail(DecodeStatus::kBufferTooShort);
            return {};
        }
        const DimensionFields wire = Dimensions::read(cursor.at);
        if (wire.count < Dimensions::kMinCount || wire.count > Dimensions::kMaxCount) {
            cursor.fail(DecodeStatus::kCountOutOfRange);
            return {};
        }
        cursor.at += Dimensions::kBytes;
        GroupView group(cursor.at, wire, cursor.version);
        if (wire.count != 0 && !group.check_entries(cursor)) {
            return {};
        }
        return group;
    }

    /// The group at `at`, which a walk has checked.
    static GroupView trusted(const std::byte* at, std::uint32_t version) noexcept {
        using Dimensions = typename Entry::Dimensions;
        if (version < Entry::kSinceVersion) {
            return {};
        }
        return GroupView(at + Dimensions::kBytes, Dimensions::read(at), version);
    }
    static const std::byte* skip_trusted(const std::byte* at, std::uint32_t version) noexcept {
        if (version < Entry::kSinceVersion) {
            return at;
        }
        return trusted(at, version).end_of_group();
    }

private:
    GroupView(const std::byte* first, DimensionFields wire, std::uint32_t version) noexcept
        : first_(first),
          count_(static_cast<std::size_t>(wire.count)),
          block_length_(static_cast<std::uint32_t>(wire.block_length)),
          version_(version) {}

    bool check_entries(WalkCursor& cursor) const noexcept {
        if (block_length_ < Entry::min_block_length(version_)) {
            cursor.fail(DecodeStatus::kBlockTooShort);
            return false;
        }
        // Dimensions::kMaxCount is below 2^31 and a block length below 2^32: no product wraps.
        const std::uint64_t block_bytes = std::uint64_t{count_} * block_length_;
        if (block_bytes > cursor.left()) {
            cursor.fail(DecodeStatus::kBufferTooShort);
            return false;
        }
        if (!Entry::kHasParts || !Entry::has_parts_in(version_)) {
            if (block_length_ == 0 && count_ > kMaxEmptyEntries) {
                cursor.fail(DecodeStatus::kCountOutOfRange);
                return false;
            }
            cursor.at += block_bytes;
            return true;
        }
        for (std::size_t entry = 0; entry < count_ && cursor.ok(); ++entry) {
            if (cursor.left() < block_length_) {
                cursor.fail(DecodeStatus::kBufferTooShort);
                return false;
            }
            cursor.at += block_length_;
            Entry::check_parts(cursor);
        }
        return cursor.ok();
    }

    const std::byte* end_of_group() const noexcept {
        if constexpr (!Entry::kHasParts) {
            return first_ + count_ * block_length_;
        } else {
            const std::byte* at = first_;
            for (std::size_t entry = 0; entry < count_; ++entry) {
                at = Entry(BlockView(at, block_length_, version_)).end_of_entry();
            }
            return at;
        }
    }

    const std::byte* first_ = nullptr;
    std::size_t count_ = 0;
    std::uint32_t block_length_ = 0;
    std::uint32_t version_ = 0;
};

/// Reads one var data at the cursor; empty when the writer's version had none.
template <typename Codec, std::uint32_t Since>
inline Bytes read_data(WalkCursor& cursor) noexcept {
    if constexpr (Since > 0) {
        if (cursor.version < Since) {
            return {};
        }
    }
    return Codec::read(cursor);
}

/// The var data at `at`, which a walk has checked.
template <typename Codec, std::uint32_t Since>
[[nodiscard]] inline Bytes trusted_data(const std::byte* at,
                                        [[maybe_unused]] std::uint32_t version) noexcept {
    if constexpr (Since > 0) {
        if (version < Since) {
            return {};
        }
    }
    return Codec::trusted(at);
}

/// Where the part behind the var data at `at` begins.
template <typename Codec, std::uint32_t Since>
[[nodiscard]] inline const std::byte* skip_data(const std::byte* at,
                                                [[maybe_unused]] std::uint32_t version) noexcept {
    if constexpr (Since > 0) {
        if (version < Since) {
            return at;
        }
    }
    return Codec::skip_trusted(at);
}

/// A stage of a checked walk: generated ones have one method each, named after the part that is
/// next.
class WalkStage {
public:
    WalkStage(const WalkCursor& cursor, const std::byte* block) noexcept
        : cursor_(cursor), block_(block) {}

    [[nodiscard]] DecodeStatus decode_status() const noexcept { return cursor_.status; }

protected:
    WalkCursor cursor_;
    const std::byte* block_;
};

/// The end of a checked walk: what a reader may ask once every group and var data is behind it.
class WalkEnd : public WalkStage {
public:
    explicit WalkEnd(const WalkStage& stage) noexcept : WalkStage(stage) {}

    explicit operator bool() const noexcept { return cursor_.ok(); }
    /// Bytes from the root block's start to the end of the last part.
    [[nodiscard]] std::size_t body_bytes() const noexcept {
        return static_cast<std::size_t>(cursor_.at - block_);
    }
    /// Bytes behind the last part: those of a newer writer, or of the next message.
    [[nodiscard]] std::size_t bytes_left() const noexcept { return cursor_.left(); }
};

/// Checks a whole message, then hands its verified view to `visitor`.
template <typename Verified, typename Visitor>
inline DecodeStatus visit_message(Bytes message, Visitor&& visitor) {
    const Decoded<Verified> verified = Verified::wrap(message);
    if (verified) {
        visitor(*verified);
    }
    return verified.status();
}

}  // namespace tern::sbe
