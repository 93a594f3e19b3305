#include "base/memory_map.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace tern {
namespace {

constexpr int kRingSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

Result<std::size_t> file_size(int fd) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) {
        return os_error(errno, "read the size of descriptor {}", fd);
    }
    return static_cast<std::size_t>(status.st_size);
}

}  // namespace

MemoryMap& MemoryMap::operator=(MemoryMap&& other) noexcept {
    if (this != &other) {
        unmap();
        start_ = std::exchange(other.start_, nullptr);
        length_bytes_ = std::exchange(other.length_bytes_, 0);
    }
    return *this;
}

void MemoryMap::unmap() noexcept {
    if (start_ != nullptr) {
        TERN_CHECK(::munmap(start_, length_bytes_) == 0);
        start_ = nullptr;
        length_bytes_ = 0;
    }
}

Result<MemoryMap> MemoryMap::file(int fd, const FileOptions& options) {
    auto size = file_size(fd);
    if (!size.ok()) {
        return std::move(size).error();
    }
    if (options.length_bytes == 0 || options.offset_bytes > *size ||
        options.length_bytes > *size - options.offset_bytes) {
        return error(Errc::kInvalidArgument,
                     "map {} bytes at offset {} of descriptor {}: the file has {} bytes",
                     options.length_bytes,
                     options.offset_bytes,
                     fd,
                     *size);
    }
    const int protection = options.is_writable ? PROT_READ | PROT_WRITE : PROT_READ;
    const int flags = MAP_SHARED | (options.is_prefaulted ? MAP_POPULATE : 0);
    void* start = ::mmap(nullptr,
                         options.length_bytes,
                         protection,
                         flags,
                         fd,
                         static_cast<off_t>(options.offset_bytes));
    if (start == MAP_FAILED) {
        return os_error(errno, "map {} bytes of descriptor {}", options.length_bytes, fd);
    }
    return MemoryMap(start, options.length_bytes);
}

Result<MemoryMap> MemoryMap::anonymous(const AnonymousOptions& options) {
    if (options.length_bytes == 0) {
        return error(Errc::kInvalidArgument, "map 0 bytes of memory; ask for at least one");
    }
    // The advice must come before the pages, so populating is a second step when both are wanted.
    const bool populates_at_once = options.is_prefaulted && !options.wants_huge_pages;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (populates_at_once ? MAP_POPULATE : 0);
    void* start = ::mmap(nullptr, options.length_bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (start == MAP_FAILED) {
        return os_error(errno, "map {} bytes of memory", options.length_bytes);
    }
    MemoryMap map(start, options.length_bytes);
    if (options.wants_huge_pages) {
        ::madvise(start, options.length_bytes, MADV_HUGEPAGE);  // advice: a refusal changes nothing
        if (options.is_prefaulted) {
            const std::size_t step_bytes = page_bytes();
            for (std::size_t at = 0; at < options.length_bytes; at += step_bytes) {
                *const_cast<volatile std::byte*>(map.data() + at) = std::byte{0};
            }
        }
    }
    return map;
}

Result<UniqueFd> create_sealed_memfd(const std::string& name, std::size_t length_bytes) {
    UniqueFd fd(::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!fd.is_open()) {
        return os_error(errno, "create memfd '{}'", name);
    }
    if (::ftruncate(fd.get(), static_cast<off_t>(length_bytes)) != 0) {
        return os_error(errno, "give memfd '{}' {} bytes", name, length_bytes);
    }
    if (::fcntl(fd.get(), F_ADD_SEALS, kRingSeals) != 0) {
        return os_error(errno, "seal memfd '{}'", name);
    }
    return fd;
}

Result<std::size_t> sealed_memfd_size(int fd) {
    const int seals = ::fcntl(fd, F_GET_SEALS);
    if (seals < 0) {
        return error(Errc::kProtocol, "descriptor {} is not a memfd, so it cannot be sealed", fd);
    }
    if ((seals & kRingSeals) != kRingSeals) {
        return error(Errc::kProtocol,
                     "memfd {} has seals {:#x}, needed are {:#x} (shrink, grow, seal)",
                     fd,
                     seals,
                     kRingSeals);
    }
    return file_size(fd);
}

std::size_t page_bytes() noexcept {
    return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace tern
