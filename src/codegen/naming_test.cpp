#include "codegen/naming.hpp"

#include <gtest/gtest.h>

namespace tern::codegen {
namespace {

TEST(Naming, SnakeCaseSplitsWordsAndKeepsRunsOfCapitals) {
    EXPECT_EQ(snake_case("serialNumber"), "serial_number");
    EXPECT_EQ(snake_case("ClOrdID"), "cl_ord_id");
    EXPECT_EQ(snake_case("EDTField"), "edt_field");
    EXPECT_EQ(snake_case("Tag40001"), "tag40001");
    EXPECT_EQ(snake_case("int64Field"), "int64_field");
    EXPECT_EQ(snake_case("optional__float_"), "optional_float");
    EXPECT_EQ(snake_case("_"), "_");
    EXPECT_EQ(snake_case("_1"), "_1");
}

TEST(Naming, PascalCaseKeepsInnerCapitals) {
    EXPECT_EQ(pascal_case("GetRequest"), "GetRequest");
    EXPECT_EQ(pascal_case("fuelFigures"), "FuelFigures");
    EXPECT_EQ(pascal_case("MONTH_YEAR"), "MonthYear");
    EXPECT_EQ(pascal_case("TURBO"), "Turbo");
    EXPECT_EQ(pascal_case("uuid_t"), "UuidT");
    EXPECT_EQ(pascal_case("_"), "X");
}

TEST(Naming, ClaimedAndTakenNamesGetUnderscores) {
    NameScope scope;
    EXPECT_EQ(scope.take("class"), "class_");
    EXPECT_EQ(scope.take("class"), "class__");
    EXPECT_EQ(scope.take("value"), "value");
    EXPECT_EQ(scope.take("value"), "value_");
}

TEST(Naming, NamespaceComesFromThePackage) {
    EXPECT_EQ(namespace_from("code.generation.test"), "code::generation::test");
    EXPECT_EQ(namespace_from("SBE tests"), "SBE_tests");
    EXPECT_EQ(namespace_from("std.new"), "std_::new_");
    EXPECT_EQ(namespace_from(""), "n");
    EXPECT_TRUE(is_namespace("tern::wire"));
    EXPECT_FALSE(is_namespace("tern::"));
    EXPECT_FALSE(is_namespace("a;b"));
    EXPECT_FALSE(is_namespace("class"));
}

}  // namespace
}  // namespace tern::codegen
