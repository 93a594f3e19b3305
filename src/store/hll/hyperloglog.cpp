#include "store/hll/hyperloglog.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/random.hpp"
#include "store/hll/sparse.hpp"
#include "store/string/strings.hpp"

namespace tern::store::hll {

HyperLogLog::HyperLogLog(Database& database, std::string_view key, std::size_t sparse_bytes_max)
    : database_(database),
      key_(key),
      sparse_bytes_max_(sparse_bytes_max),
      ref_(database.find(key)) {
    if (!ref_) {
        status_ = Status::kMissing;
    } else if (ref_.type() != Type::kString) {
        status_ = Status::kWrongType;
    } else {
        status_ = has_valid_header(ref_.value()) ? Status::kOk : Status::kNotValid;
    }
}

bool HyperLogLog::create() {
    const std::size_t size_bytes = kHeaderBytes + run_bytes(0, kRegisterCount);
    ref_ = database_.create(key_, Type::kString, size_bytes);
    if (!ref_) {
        return false;
    }
    write_header(ref_.value().data(), Encoding::kSparse);
    write_run(ref_.value().data() + kHeaderBytes, 0, kRegisterCount);
    strings::set_edited(ref_);
    status_ = Status::kOk;
    return true;
}

Status HyperLogLog::add(std::string_view element, bool& has_changed) {
    return raise(mark_of(element), has_changed);
}

Status HyperLogLog::raise(const Registers& registers) {
    bool has_changed = false;
    for (std::size_t i = 0; i < kRegisterCount; ++i) {
        if (registers[i] == 0) {
            continue;
        }
        const Status status = raise(Mark{i, registers[i]}, has_changed);
        if (status != Status::kOk) {
            return status;
        }
    }
    return Status::kOk;
}

Status HyperLogLog::raise(Mark mark, bool& has_changed) {
    return encoding() == Encoding::kDense ? raise_dense(mark, has_changed)
                                          : raise_sparse(mark, has_changed);
}

Status HyperLogLog::raise_dense(Mark mark, bool& has_changed) {
    if (dense_get(ref_.value(), mark.index) < mark.value) {
        dense_set(ref_.value(), mark.index, mark.value);
        has_changed = true;
    }
    return Status::kOk;
}

Status HyperLogLog::raise_sparse(Mark mark, bool& has_changed) {
    const auto become_dense_first = [&] {
        const Status status = become_dense();
        return status == Status::kOk ? raise_dense(mark, has_changed) : status;
    };
    if (mark.value > kSparseValueMax) {
        return become_dense_first();
    }
    const RunPosition at = find_run(bytes(), mark.index);
    if (!at.is_found) {
        return Status::kCorrupt;
    }
    if (at.run.value >= mark.value) {
        return Status::kOk;
    }
    const std::size_t before = mark.index - at.first;
    const std::size_t behind = at.run.length - before - 1;
    const std::size_t added_bytes =
        run_bytes(at.run.value, before) + 1 + run_bytes(at.run.value, behind);
    const Splice splice{at.offset, at.run.size_bytes, added_bytes};
    const std::size_t size_bytes = splice.size_after(bytes().size());
    if (added_bytes > splice.removed_bytes && size_bytes > sparse_bytes_max_) {
        return become_dense_first();
    }
    if (!splice.keeps_size() && !database_.splice_value(ref_, splice)) {
        return Status::kOutOfMemory;
    }
    std::byte* to = write_run(ref_.value().data() + at.offset, at.run.value, before);
    to = write_run(to, mark.value, 1);
    write_run(to, at.run.value, behind);
    const std::size_t joined_bytes = join_runs(ref_.value(), at.offset_before);
    has_changed = true;
    return joined_bytes == size_bytes || database_.resize_value(ref_, joined_bytes)
               ? Status::kOk
               : Status::kOutOfMemory;
}

Status HyperLogLog::become_dense() {
    if (encoding() == Encoding::kDense) {
        return Status::kOk;
    }
    Registers registers{};
    if (!merge_into(registers, bytes())) {
        return Status::kCorrupt;
    }
    if (!database_.resize_value(ref_, kDenseBytes)) {
        return Status::kOutOfMemory;
    }
    const MutableBytes dense = ref_.value();
    set_encoding(dense, Encoding::kDense);
    for (std::size_t i = 0; i < kRegisterCount; ++i) {
        dense_set(dense, i, registers[i]);
    }
    strings::set_edited(ref_);
    return Status::kOk;
}

Status HyperLogLog::count(std::uint64_t& cardinality) {
    if (has_cached_count(bytes())) {
        cardinality = cached_count(bytes());
        return Status::kOk;
    }
    Registers registers{};
    if (!merge_into(registers, bytes())) {
        return Status::kCorrupt;
    }
    cardinality = estimate(histogram_of(registers));
    set_cached_count(ref_.value(), cardinality);
    database_.mark_modified(ref_);
    return Status::kOk;
}

void HyperLogLog::mark_modified() {
    invalidate_cached_count(ref_.value());
    strings::set_edited(ref_);
    database_.mark_modified(ref_);
}

bool describe_sparse(Bytes bytes, std::string& text) {
    const bool is_whole = for_each_run(bytes, [&](std::size_t, const Run& run) {
        if (run.value != 0) {
            text += fmt::format("v:{},{} ", run.value, run.length);
        } else {
            text += fmt::format("{}:{} ", run.size_bytes == 1 ? 'z' : 'Z', run.length);
        }
    });
    if (!text.empty()) {
        text.pop_back();
    }
    return is_whole;
}

namespace {

/// Registers of a dense string against plain bytes.
bool registers_keep_values(Random& random) noexcept {
    std::array<std::byte, kDenseBytes> dense{};
    Registers plain{};
    for (int round = 0; round < 4; ++round) {
        for (std::size_t i = 0; i < kRegisterCount; ++i) {
            plain[i] = static_cast<std::uint8_t>(random.below(kRegisterMax + 1));
            dense_set(dense, i, plain[i]);
        }
        for (std::size_t i = 0; i < kRegisterCount; ++i) {
            if (dense_get(dense, i) != plain[i]) {
                return false;
            }
        }
    }
    return true;
}

/// Estimates while 100,000 different elements arrive: within six standard errors.
bool estimates_are_near(Random& random) noexcept {
    constexpr std::uint64_t kElementCount = 100'000;
    const double error = 6 * 1.04 / std::sqrt(static_cast<double>(kRegisterCount));
    Registers registers{};
    std::uint64_t next_check = 10;
    for (std::uint64_t count = 1; count <= kElementCount; ++count) {
        const std::uint64_t element = random.next();
        const Mark mark = mark_of(as_text(std::as_bytes(std::span(&element, 1))));
        registers[mark.index] = std::max(registers[mark.index], mark.value);
        if (count != next_check) {
            continue;
        }
        next_check *= 10;
        const auto exact = static_cast<double>(count);
        const double off = std::abs(static_cast<double>(estimate(histogram_of(registers))) - exact);
        if (off > error * exact + 1) {
            return false;
        }
    }
    return true;
}

}  // namespace

bool self_test() noexcept {
    Random random(0x5eed);
    return registers_keep_values(random) && estimates_are_near(random);
}

}  // namespace tern::store::hll
