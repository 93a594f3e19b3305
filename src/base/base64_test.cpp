#include "base/base64.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace tern {
namespace {

// RFC 4648, section 10.
TEST(Base64, EncodesThePublishedVectors) {
    const std::pair<std::string_view, std::string_view> cases[] = {{"", ""},
                                                                   {"f", "Zg=="},
                                                                   {"fo", "Zm8="},
                                                                   {"foo", "Zm9v"},
                                                                   {"foob", "Zm9vYg=="},
                                                                   {"fooba", "Zm9vYmE="},
                                                                   {"foobar", "Zm9vYmFy"}};
    for (const auto& [plain, encoded] : cases) {
        EXPECT_EQ(encode_base64(as_bytes(plain)), encoded);
        std::string decoded;
        EXPECT_TRUE(decode_base64(encoded, decoded));
        EXPECT_EQ(decoded, plain);
    }
}

TEST(Base64, RoundTripsRandomBytes) {
    Random random(3);
    for (std::size_t size = 0; size < 200; ++size) {
        std::string plain(size, '\0');
        for (char& c : plain) {
            c = static_cast<char>(random.next());
        }
        std::string decoded;
        ASSERT_TRUE(decode_base64(encode_base64(as_bytes(plain)), decoded));
        ASSERT_EQ(decoded, plain);
    }
}

TEST(Base64, RefusesWhatIsNotBase64) {
    std::string decoded;
    for (const std::string_view text :
         {"Z", "Zg", "Zg=", "Z===", "Zm9v\n", "Zm 9", "=m9v", "Z=9v", "Zg==Zg==", "Zm9-"}) {
        EXPECT_FALSE(decode_base64(text, decoded)) << text;
    }
}

}  // namespace
}  // namespace tern
