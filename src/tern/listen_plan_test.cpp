#include "tern/listen_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace tern::tool {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> planned(std::vector<std::string_view> arguments) {
    server::Settings settings;
    const Result<void> loaded = settings.load_options(arguments);
    EXPECT_TRUE(loaded) << loaded.error().message;
    const Result<std::vector<transport::Endpoint>> endpoints = plan_listening(settings);
    EXPECT_TRUE(endpoints) << endpoints.error().message;
    std::vector<std::string> texts;
    if (endpoints) {
        for (const transport::Endpoint& endpoint : *endpoints) {
            texts.push_back(transport::to_string(endpoint));
        }
    }
    return texts;
}

TEST(ListenPlan, DefaultIsTheLoopbackPort) {
    EXPECT_THAT(planned({}), ElementsAre("tcp:127.0.0.1:6379"));
}

TEST(ListenPlan, ExplicitEndpointsReplaceTheDefault) {
    EXPECT_THAT(planned({"--listen", "unix:/a", "--listen", "tcp:127.0.0.1:1"}),
                ElementsAre("unix:/a", "tcp:127.0.0.1:1"));
    EXPECT_THAT(planned({"--unixsocket", "/a"}), ElementsAre("unix:/a"));
}

TEST(ListenPlan, GivenPortStandsBesideTheOthers) {
    EXPECT_THAT(planned({"--listen", "unix:/a", "--port", "7"}),
                ElementsAre("unix:/a", "tcp:127.0.0.1:7"));
    EXPECT_THAT(planned({"--unixsocket", "/a", "--port", "0"}), ElementsAre("unix:/a"));
}

TEST(ListenPlan, BindNamesAddressesAndSkipsOptionalOnesThatAreNotHere) {
    // 192.0.2.1 is of the range that documentation uses and nobody has.
    EXPECT_THAT(planned({"--port", "7", "--bind", "127.0.0.1", "-192.0.2.1", "*"}),
                ElementsAre("tcp:127.0.0.1:7", "tcp:*:7"));
}

TEST(ListenPlan, NothingToListenOnIsRefused) {
    server::Settings settings;
    constexpr std::string_view kArguments[] = {"--port", "0"};
    ASSERT_TRUE(settings.load_options(kArguments));
    const Result<std::vector<transport::Endpoint>> endpoints = plan_listening(settings);
    ASSERT_FALSE(endpoints);
    EXPECT_THAT(endpoints.error().message, HasSubstr("--listen"));
}

}  // namespace
}  // namespace tern::tool
