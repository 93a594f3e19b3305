#include "base/affinity.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace tern {
namespace {

TEST(Affinity, PinsAThreadToEachAllowedCore) {
    const auto cores = allowed_cores();
    ASSERT_TRUE(cores.ok()) << cores.error().message;
    ASSERT_FALSE(cores->empty());
    EXPECT_EQ(core_count(), static_cast<int>(cores->size()));
    std::thread([&] {
        for (const int core : *cores) {
            const auto pinned = pin_thread_to_core(core);
            ASSERT_TRUE(pinned.ok()) << pinned.error().message;
            EXPECT_EQ(current_core(), core);
        }
    }).join();
}

TEST(Affinity, NamesTheAllowedCoresWhenTheCoreIsNone) {
    for (const int core : {-1, 8191, 1'000'000}) {
        const auto pinned = pin_thread_to_core(core);
        ASSERT_FALSE(pinned.ok());
        EXPECT_EQ(pinned.error().code, Errc::kInvalidArgument);
        EXPECT_NE(pinned.error().message.find("may use cores "), std::string::npos)
            << pinned.error().message;
    }
}

TEST(Affinity, CutsAThreadNameThatIsTooLong) {
    std::thread([] {
        name_thread("a-name-of-more-than-15");
        char name[32] = {};
        ASSERT_EQ(::pthread_getname_np(::pthread_self(), name, sizeof name), 0);
        EXPECT_STREQ(name, "a-name-of-more-");
    }).join();
}

}  // namespace
}  // namespace tern
