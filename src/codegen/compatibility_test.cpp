#include "codegen/compatibility.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "codegen/schema_parser.hpp"

namespace tern::codegen {
namespace {

/// A schema of one message; a test names what differs from the version before.
struct Variant {
    std::string version = "1";
    std::string order = "littleEndian";
    std::string types;
    std::string fields =
        R"(<field name="a" id="1" type="uint32"/><field name="e" id="2" type="E"/>)";
    std::string groups =
        R"(<group name="g" id="10"><field name="x" id="11" type="uint8"/></group>)";
    std::string data = R"(<data name="d" id="20" type="D"/>)";
    std::string more_messages;
    std::string values = R"(<validValue name="A">1</validValue>)";
};

std::unique_ptr<Schema> make(const Variant& variant) {
    const std::string text =
        "<messageSchema id=\"1\" version=\"" + variant.version + "\" byteOrder=\"" + variant.order +
        "\"><types><composite name=\"messageHeader\">"
        "<type name=\"blockLength\" primitiveType=\"uint16\"/>"
        "<type name=\"templateId\" primitiveType=\"uint16\"/>"
        "<type name=\"schemaId\" primitiveType=\"uint16\"/>"
        "<type name=\"version\" primitiveType=\"uint16\"/></composite>"
        "<composite name=\"groupSizeEncoding\"><type name=\"blockLength\" "
        "primitiveType=\"uint16\"/><type name=\"numInGroup\" primitiveType=\"uint16\"/>"
        "</composite><composite name=\"D\"><type name=\"length\" primitiveType=\"uint16\"/>"
        "<type name=\"varData\" primitiveType=\"uint8\" length=\"0\"/></composite>"
        "<enum name=\"E\" encodingType=\"uint8\">" +
        variant.values + "</enum>" + variant.types + "</types><message name=\"M\" id=\"1\">" +
        variant.fields + variant.groups + variant.data + "</message>" + variant.more_messages +
        "</messageSchema>";
    ParseOutcome outcome = parse_schema_text("next.xml", text);
    EXPECT_TRUE(outcome.ok()) << outcome.report() << text;
    return std::move(outcome.schema);
}

std::vector<std::string> rules(const Variant& old, const Variant& next) {
    std::vector<std::string> found;
    for (const Diagnostic& change : check_compatible(*make(old), *make(next))) {
        EXPECT_FALSE(change.message.empty());
        EXPECT_GT(change.line, 0U);
        found.push_back(change.rule);
    }
    return found;
}

using Found = std::vector<std::string>;

TEST(Compatibility, TheSameSchemaIsCompatible) {
    EXPECT_EQ(rules({}, {}), Found{});
}

TEST(Compatibility, AdditionsAtTheEndWithANewVersionAreCompatible) {
    Variant next;
    next.version = "2";
    next.fields += R"(<field name="n" id="3" type="uint16" sinceVersion="2"/>)";
    next.groups = R"(<group name="g" id="10"><field name="x" id="11" type="uint8"/>)"
                  R"(<field name="y" id="12" type="uint8" sinceVersion="2"/></group>)";
    next.data += R"(<data name="d2" id="21" type="D" sinceVersion="2"/>)";
    next.values += R"(<validValue name="B" sinceVersion="2">2</validValue>)";
    next.more_messages = R"(<message name="N" id="2" sinceVersion="2"/>)";
    EXPECT_EQ(rules({}, next), Found{});
}

TEST(Compatibility, AdditionWithoutSinceVersionIsNamed) {
    Variant next;
    next.version = "2";
    next.fields += R"(<field name="n" id="3" type="uint16"/>)";
    EXPECT_EQ(rules({}, next), Found{"since-version-missing"});
}

TEST(Compatibility, AdditionWithoutNewVersionIsNamed) {
    Variant next;
    next.fields += R"(<field name="n" id="3" type="uint16"/>)";
    EXPECT_EQ(rules({}, next), Found{"version-not-raised"});
}

TEST(Compatibility, RemovedReorderedAndRetypedFieldsAreNamed) {
    Variant next;
    next.fields = R"(<field name="a" id="1" type="uint32"/>)";
    EXPECT_EQ(rules({}, next), (Found{"field-removed", "block-shrunk"}));
    next.fields = R"(<field name="e" id="2" type="E"/><field name="a" id="1" type="uint32"/>)";
    EXPECT_EQ(rules({}, next), Found{"field-order"});
    next.fields = R"(<field name="a" id="1" type="int32"/><field name="e" id="2" type="E"/>)";
    EXPECT_EQ(rules({}, next), Found{"type"});
    next.fields =
        R"(<field name="a" id="1" type="uint32"/><field name="e" id="2" type="E" offset="6"/>)";
    EXPECT_EQ(rules({}, next), Found{"field-moved"});
    next.fields = R"(<field name="a" id="1" type="uint32" presence="optional"/>)"
                  R"(<field name="e" id="2" type="E"/>)";
    EXPECT_EQ(rules({}, next), Found{"presence"});
}

TEST(Compatibility, ChangedAndRemovedValuesAreNamed) {
    Variant next;
    next.values = R"(<validValue name="A">2</validValue>)";
    EXPECT_EQ(rules({}, next), Found{"value-changed"});
    next.version = "2";
    next.values = R"(<validValue name="Z" sinceVersion="2">1</validValue>)";
    EXPECT_EQ(rules({}, next), Found{"value-removed"});
}

TEST(Compatibility, NewGroupBeforeVarDataIsNamed) {
    Variant next;
    next.version = "2";
    next.groups += R"(<group name="h" id="12" sinceVersion="2"/>)";
    EXPECT_EQ(rules({}, next), Found{"group-before-data"});
}

TEST(Compatibility, NewGroupAtTheEndIsCompatible) {
    Variant old;
    old.data = "";
    Variant next = old;
    next.version = "2";
    next.groups += R"(<group name="h" id="12" sinceVersion="2"/>)";
    EXPECT_EQ(rules(old, next), Found{});
}

TEST(Compatibility, NewVarDataInsideAnEntryIsNamed) {
    Variant next;
    next.version = "2";
    next.groups = R"(<group name="g" id="10"><field name="x" id="11" type="uint8"/>)"
                  R"(<data name="t" id="13" type="D" sinceVersion="2"/></group>)";
    EXPECT_EQ(rules({}, next), Found{"part-in-group"});
}

TEST(Compatibility, RemovedPartsAndMessagesAreNamed) {
    Variant next;
    next.data = "";
    EXPECT_EQ(rules({}, next), Found{"data-order"});
    next.groups = "";
    EXPECT_EQ(rules({}, next), (Found{"group-order", "data-order"}));
    Variant old;
    old.more_messages = R"(<message name="N" id="2"/>)";
    EXPECT_EQ(rules(old, {}), Found{"message-removed"});
}

TEST(Compatibility, ExtendedCompositeIsNamed) {
    Variant old;
    old.types = R"(<composite name="C"><type name="a" primitiveType="uint8"/></composite>)";
    old.fields = R"(<field name="c" id="1" type="C"/>)";
    Variant next = old;
    next.version = "2";
    next.types = R"(<composite name="C"><type name="a" primitiveType="uint8"/>)"
                 R"(<type name="b" primitiveType="uint8" sinceVersion="2"/></composite>)";
    const Found found = rules(old, next);
    EXPECT_EQ(std::count(found.begin(), found.end(), "composite-extended"), 1);
}

TEST(Compatibility, ByteOrderAndVersionGoingBackAreNamed) {
    Variant next;
    next.order = "bigEndian";
    EXPECT_EQ(rules({}, next), Found{"byte-order"});
    Variant old;
    old.version = "3";
    EXPECT_EQ(rules(old, {}), Found{"schema-version"});
}

}  // namespace
}  // namespace tern::codegen
