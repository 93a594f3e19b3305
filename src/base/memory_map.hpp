#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tern/base/bytes.hpp>
#include <tern/base/result.hpp>
#include <utility>

#include "base/unique_fd.hpp"

namespace tern {

/// Owns one mapping of memory and unmaps it.
///
/// Threads:  the object is one thread's; the mapped bytes are whoever's its user says.
class MemoryMap {
public:
    struct FileOptions {
        std::size_t length_bytes = 0;
        std::uint64_t offset_bytes = 0;  ///< a multiple of the page size
        bool is_writable = true;
        bool is_prefaulted = false;  ///< every page is there when the call returns
    };
    struct AnonymousOptions {
        std::size_t length_bytes = 0;
        bool is_prefaulted = false;
        bool wants_huge_pages = false;  ///< advice; silently ordinary pages where there are none
    };

    MemoryMap() = default;
    MemoryMap(MemoryMap&& other) noexcept
        : start_(std::exchange(other.start_, nullptr)),
          length_bytes_(std::exchange(other.length_bytes_, 0)) {}
    MemoryMap& operator=(MemoryMap&& other) noexcept;
    ~MemoryMap() { unmap(); }

    /// Maps a file, memfd or device, shared with whoever else maps it. `fd` may be closed
    /// afterwards.
    ///
    /// Errors:   kInvalidArgument for an empty length or one beyond the end of the file, whose
    ///           pages would kill the process when touched; kOs as mmap says.
    [[nodiscard]] static Result<MemoryMap> file(int fd, const FileOptions& options);

    /// Maps private memory of zeros.
    [[nodiscard]] static Result<MemoryMap> anonymous(const AnonymousOptions& options);

    [[nodiscard]] bool is_mapped() const noexcept { return start_ != nullptr; }
    [[nodiscard]] std::byte* data() const noexcept { return start_; }
    [[nodiscard]] std::size_t size() const noexcept { return length_bytes_; }
    [[nodiscard]] MutableBytes bytes() const noexcept { return {start_, length_bytes_}; }
    void unmap() noexcept;

private:
    MemoryMap(void* start, std::size_t length_bytes) noexcept
        : start_(static_cast<std::byte*>(start)), length_bytes_(length_bytes) {}

    std::byte* start_ = nullptr;
    std::size_t length_bytes_ = 0;
};

/// Makes a memfd of `length_bytes` zeros that nobody can shrink, grow or unseal: a mapping of it
/// can never be pulled away by the process on the other side.
///
/// `name` is what /proc/PID/maps shows.
[[nodiscard]] Result<UniqueFd> create_sealed_memfd(const std::string& name,
                                                   std::size_t length_bytes);

/// Checks that `fd` came from `create_sealed_memfd`, or is sealed as tightly, and returns its size.
///
/// Errors:   kProtocol when a seal is missing or `fd` is no memfd.
[[nodiscard]] Result<std::size_t> sealed_memfd_size(int fd);

/// The size of a page of ordinary memory.
[[nodiscard]] std::size_t page_bytes() noexcept;

}  // namespace tern
