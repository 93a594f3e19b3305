#include "base/memory_map.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace tern {
namespace {

TEST(MemoryMap, GivesZeroedPrivateMemory) {
    for (const bool is_prefaulted : {false, true}) {
        for (const bool wants_huge_pages : {false, true}) {
            auto map = MemoryMap::anonymous({.length_bytes = 3 * page_bytes() + 1,
                                             .is_prefaulted = is_prefaulted,
                                             .wants_huge_pages = wants_huge_pages});
            ASSERT_TRUE(map.ok()) << map.error().message;
            EXPECT_EQ(map->size(), 3 * page_bytes() + 1);
            EXPECT_TRUE(std::all_of(map->bytes().begin(), map->bytes().end(), [](std::byte b) {
                return b == std::byte{0};
            }));
            map->bytes().back() = std::byte{7};
        }
    }
}

TEST(MemoryMap, SharesAMemfdBetweenTwoMappings) {
    const std::size_t length_bytes = 2 * page_bytes();
    auto fd = create_sealed_memfd("tern-test", length_bytes);
    ASSERT_TRUE(fd.ok()) << fd.error().message;
    auto writer = MemoryMap::file(fd->get(), {.length_bytes = length_bytes, .is_prefaulted = true});
    auto reader = MemoryMap::file(
        fd->get(),
        {.length_bytes = page_bytes(), .offset_bytes = page_bytes(), .is_writable = false});
    ASSERT_TRUE(writer.ok() && reader.ok());
    fd->reset();
    writer->bytes()[page_bytes() + 5] = std::byte{42};
    EXPECT_EQ(reader->bytes()[5], std::byte{42});
}

TEST(MemoryMap, RefusesMoreThanTheFileHas) {
    auto fd = create_sealed_memfd("tern-test", page_bytes());
    ASSERT_TRUE(fd.ok());
    for (const MemoryMap::FileOptions& options :
         {MemoryMap::FileOptions{.length_bytes = page_bytes() + 1},
          MemoryMap::FileOptions{.length_bytes = page_bytes(), .offset_bytes = page_bytes()},
          MemoryMap::FileOptions{.length_bytes = 1, .offset_bytes = ~std::uint64_t{0} - 4095},
          MemoryMap::FileOptions{.length_bytes = 0}}) {
        const auto map = MemoryMap::file(fd->get(), options);
        ASSERT_FALSE(map.ok());
        EXPECT_EQ(map.error().code, Errc::kInvalidArgument);
    }
    EXPECT_FALSE(MemoryMap::file(-1, {.length_bytes = 1}).ok());
    EXPECT_FALSE(MemoryMap::anonymous({.length_bytes = 0}).ok());
}

TEST(MemoryMap, MovesItsOwnership) {
    auto map = MemoryMap::anonymous({.length_bytes = page_bytes()});
    ASSERT_TRUE(map.ok());
    MemoryMap other = std::move(map).value();
    MemoryMap third;
    third = std::move(other);
    EXPECT_TRUE(third.is_mapped());
    EXPECT_FALSE(other.is_mapped());  // NOLINT: what a moved-from map is, is the point
    third.unmap();
    EXPECT_FALSE(third.is_mapped());
}

TEST(SealedMemfd, CanNeitherShrinkNorGrow) {
    auto fd = create_sealed_memfd("tern-test", page_bytes());
    ASSERT_TRUE(fd.ok());
    EXPECT_EQ(*sealed_memfd_size(fd->get()), page_bytes());
    EXPECT_EQ(::ftruncate(fd->get(), 0), -1);
    EXPECT_EQ(errno, EPERM);
    EXPECT_EQ(::ftruncate(fd->get(), static_cast<off_t>(2 * page_bytes())), -1);
    EXPECT_EQ(::fcntl(fd->get(), F_ADD_SEALS, F_SEAL_WRITE), -1);
}

TEST(SealedMemfd, IsToldFromOneThatAnyoneCanShrink) {
    const UniqueFd open(::memfd_create("tern-test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    ASSERT_EQ(::ftruncate(open.get(), 4096), 0);
    const auto unsealed = sealed_memfd_size(open.get());
    ASSERT_FALSE(unsealed.ok());
    EXPECT_EQ(unsealed.error().code, Errc::kProtocol);
    const UniqueFd device(::open("/dev/null", O_RDWR | O_CLOEXEC));
    EXPECT_FALSE(sealed_memfd_size(device.get()).ok());
}

}  // namespace
}  // namespace tern
