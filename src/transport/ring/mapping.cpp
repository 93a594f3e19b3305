#include "transport/ring/mapping.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "transport/magic.hpp"

#ifndef MADV_POPULATE_WRITE
    #define MADV_POPULATE_WRITE 23  // Linux 5.14; in the C library's headers since glibc 2.35
#endif

namespace tern::transport {
namespace {

constexpr int kSizeSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

RingHeader header_of(const RingSpec& spec) {
    RingHeader header{};
    std::memcpy(header.magic.data(), kRingMagic.data(), kMagicBytes);
    header.version = kRingVersion;
    header.header_page_bytes = kRingHeaderPageBytes;
    header.instance_id = spec.instance_id;
    header.total_bytes = spec.geometry.total_bytes();
    header.request_offset = spec.geometry.request_offset();
    header.request_capacity_bytes = spec.geometry.request_capacity_bytes;
    header.reply_offset = spec.geometry.reply_offset();
    header.reply_capacity_bytes = spec.geometry.reply_capacity_bytes;
    header.line_bytes = kRingLineBytes;
    header.protocol = static_cast<std::uint8_t>(spec.protocol);
    header.client_policy = static_cast<std::uint8_t>(spec.client_policy);
    header.server_policy = static_cast<std::uint8_t>(spec.server_policy);
    return header;
}

Result<void> check_geometry(const RingGeometry& geometry) {
    if (!is_valid_ring_capacity(geometry.request_capacity_bytes) ||
        !is_valid_ring_capacity(geometry.reply_capacity_bytes)) {
        return error(Errc::kInvalidArgument,
                     "ring capacities {} and {}: each must be a power of two from {} to {}",
                     geometry.request_capacity_bytes,
                     geometry.reply_capacity_bytes,
                     kRingCapacityBytesMin,
                     kRingCapacityBytesMax);
    }
    return {};
}

/// The memory can neither shrink under a reader (which would kill it) nor be something else.
Result<void> check_memory(int fd, std::uint64_t total_bytes) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) {
        return os_error(errno, "ring memory: fstat");
    }
    if (status.st_size < 0 || static_cast<std::uint64_t>(status.st_size) != total_bytes) {
        return error(Errc::kProtocol,
                     "ring memory: the server announced {} bytes and sent {}",
                     total_bytes,
                     status.st_size);
    }
    const int seals = ::fcntl(fd, F_GET_SEALS);
    if (seals < 0 || (seals & kSizeSeals) != kSizeSeals) {
        return error(Errc::kProtocol,
                     "ring memory: seals are {:#x}, expected at least {:#x} (shrink, grow, seal); "
                     "refused because the server could take the memory away",
                     seals < 0 ? 0 : seals,
                     kSizeSeals);
    }
    return {};
}

Result<void> check_header(const std::byte* memory, const RingSpec& spec) {
    RingHeader met{};
    std::memcpy(&met, memory, sizeof met);
    const RingHeader expected = header_of(spec);
    if (met.magic != expected.magic || met.version != expected.version) {
        return error(Errc::kProtocol,
                     "ring memory: not a ring of version {} (version field {})",
                     expected.version,
                     met.version);
    }
    if (met.instance_id != expected.instance_id) {
        return error(Errc::kProtocol,
                     "ring memory: instance {:016x}, expected {:016x}; it belongs to another ring",
                     met.instance_id,
                     expected.instance_id);
    }
    if (std::memcmp(&met, &expected, sizeof met) != 0) {
        return error(Errc::kProtocol, "ring memory: header differs from the server's answer");
    }
    return {};
}

}  // namespace

RingMapping& RingMapping::operator=(RingMapping&& other) noexcept {
    std::swap(spec_, other.spec_);
    std::swap(memory_, other.memory_);
    std::swap(fd_, other.fd_);
    return *this;
}

RingMapping::~RingMapping() {
    if (memory_ != nullptr) {
        ::munmap(memory_, spec_.geometry.total_bytes());
    }
}

Result<void> RingMapping::map() {
    void* at = ::mmap(
        nullptr, spec_.geometry.total_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0);
    if (at == MAP_FAILED) {
        return os_error(errno, "ring memory: map {} bytes", spec_.geometry.total_bytes());
    }
    memory_ = static_cast<std::byte*>(at);
    return {};
}

Result<RingMapping> RingMapping::create(const RingSpec& spec) {
    if (auto checked = check_geometry(spec.geometry); !checked) {
        return std::move(checked).error();
    }
    RingMapping mapping;
    mapping.spec_ = spec;
    mapping.fd_.reset(::memfd_create("tern-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!mapping.fd_.is_open()) {
        return os_error(errno, "ring memory: memfd_create");
    }
    const auto total_bytes = static_cast<off_t>(spec.geometry.total_bytes());
    if (::ftruncate(mapping.fd_.get(), total_bytes) != 0) {
        return os_error(errno, "ring memory: size it to {} bytes", total_bytes);
    }
    if (::fcntl(mapping.fd_.get(), F_ADD_SEALS, kSizeSeals) != 0) {
        return os_error(errno, "ring memory: seal its size");
    }
    if (auto mapped = mapping.map(); !mapped) {
        return std::move(mapped).error();
    }
    const RingHeader header = header_of(spec);
    std::memcpy(mapping.memory_, &header, sizeof header);
    return mapping;
}

Result<RingMapping> RingMapping::attach(UniqueFd memory_fd, const RingSpec& spec) {
    if (auto checked = check_geometry(spec.geometry); !checked) {
        return std::move(checked).error();
    }
    if (auto checked = check_memory(memory_fd.get(), spec.geometry.total_bytes()); !checked) {
        return std::move(checked).error();
    }
    RingMapping mapping;
    mapping.spec_ = spec;
    mapping.fd_ = std::move(memory_fd);
    if (auto mapped = mapping.map(); !mapped) {
        return std::move(mapped).error();
    }
    if (auto checked = check_header(mapping.memory_, spec); !checked) {
        return std::move(checked).error();
    }
    mapping.close_fd();
    return mapping;
}

RingEnd RingMapping::end(RingSide side) const noexcept {
    TERN_CHECK(is_mapped());
    const bool is_server = side == RingSide::kServer;
    return make_ring_end(
        memory_, spec_.geometry, side, is_server ? spec_.client_policy : spec_.server_policy);
}

bool RingMapping::prefault() const noexcept {
    return ::madvise(memory_, spec_.geometry.total_bytes(), MADV_POPULATE_WRITE) == 0;
}

}  // namespace tern::transport
