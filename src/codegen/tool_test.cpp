#include "codegen/tool.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace tern::codegen {
namespace {

namespace fs = std::filesystem;

class Tool : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "tern-codegen-XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
    }
    void TearDown() override { fs::remove_all(folder_); }

    static std::string schema(const std::string& name) {
        return std::string(TERN_TEST_DATA_DIR) + "/sbe/schemas/valid/" + name;
    }
    int run(const ToolOptions& options) { return run_tool(options, out_, err_); }

    fs::path folder_;
    std::ostringstream out_;
    std::ostringstream err_;
};

TEST_F(Tool, WritesOneHeaderAMessageAndALeavesUnchangedFilesAlone) {
    const ToolOptions options{schema("example-schema.xml"), folder_.string(), "demo", "", ""};
    ASSERT_EQ(run(options), 0) << err_.str();
    for (const char* name : {"schema.hpp", "car.hpp", "engine.hpp", "model.hpp", "all.hpp"}) {
        EXPECT_TRUE(fs::exists(folder_ / name)) << name;
    }
    const auto written = fs::last_write_time(folder_ / "car.hpp");
    ASSERT_EQ(run(options), 0);
    EXPECT_EQ(fs::last_write_time(folder_ / "car.hpp"), written);
}

TEST_F(Tool, CheckingAloneWritesNothing) {
    EXPECT_EQ(run({schema("example-schema.xml"), "", "", "", ""}), 0);
    EXPECT_NE(out_.str().find("1 messages"), std::string::npos) << out_.str();
    EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(Tool, AnInvalidSchemaFailsWithItsPlace) {
    const std::string path =
        std::string(TERN_TEST_DATA_DIR) + "/sbe/schemas/invalid/issue567-invalid.xml";
    EXPECT_EQ(run({path, folder_.string(), "", "", ""}), 1);
    EXPECT_NE(err_.str().find("issue567-invalid.xml:30:9: error:"), std::string::npos)
        << err_.str();
    EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(Tool, AMissingFileAndABadNamespaceAreOneLineEach) {
    EXPECT_EQ(run({"/nowhere.xml", "", "", "", ""}), 1);
    EXPECT_NE(err_.str().find("/nowhere.xml"), std::string::npos);
    err_.str("");
    EXPECT_EQ(run({schema("basic-schema.xml"), folder_.string(), "a b", "", ""}), 1);
    EXPECT_NE(err_.str().find("namespace \"a b\""), std::string::npos) << err_.str();
}

TEST_F(Tool, TheExtensionIsCompatibleWithTheBaselineAndNotTheOtherWay) {
    const std::string base = schema("example-schema.xml");
    const std::string extension = schema("example-extension-schema.xml");
    EXPECT_EQ(run({extension, "", "", base, ""}), 0) << err_.str();
    EXPECT_EQ(run({base, "", "", extension, ""}), 1);
    EXPECT_NE(err_.str().find("field uuid is gone"), std::string::npos) << err_.str();
}

}  // namespace
}  // namespace tern::codegen
