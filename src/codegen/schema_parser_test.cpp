#include "codegen/schema_parser.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace tern::codegen {
namespace {

namespace fs = std::filesystem;

std::string data_path(const std::string& name) {
    return std::string(TERN_TEST_DATA_DIR) + "/sbe/schemas/" + name;
}

/// Group sizes as layout.tsv writes them: path=dimension bytes+block length.
void append_groups(const Block& block, const std::string& prefix, std::string& text) {
    for (const auto& group : block.groups) {
        text += text.empty() ? "" : ";";
        text += prefix + group->name + "=" + std::to_string(group->dimension->size_bytes) + "+" +
                std::to_string(group->block_length);
        append_groups(*group, prefix + group->name + ".", text);
    }
}

std::string layout_row(const std::string& file, const Schema& schema, const Message& message) {
    std::string groups;
    append_groups(message, "", groups);
    std::ostringstream row;
    row << file << '\t' << schema.id << '\t' << schema.version << '\t'
        << (schema.byte_order == std::endian::big ? "bigEndian" : "littleEndian") << '\t'
        << schema.header->size_bytes << '\t' << message.name << '\t' << message.id << '\t'
        << message.block_length << '\t' << (groups.empty() ? "-" : groups);
    return row.str();
}

TEST(SchemaParser, EveryValidSchemaHasThePublishedLayout) {
    std::multimap<std::string, std::string> expected;
    std::ifstream table(data_path("layout.tsv"));
    std::string line;
    std::getline(table, line);
    while (std::getline(table, line)) {
        expected.emplace(line.substr(0, line.find('\t')), line);
    }
    ASSERT_EQ(expected.size(), 136U);
    std::size_t rows = 0;
    for (const auto& entry : fs::directory_iterator(data_path("valid"))) {
        const std::string file = entry.path().filename().string();
        if (file == "common-types.xml") {
            continue;  // only types, included by others
        }
        const ParseOutcome outcome = parse_schema(entry.path().string());
        ASSERT_TRUE(outcome.ok()) << outcome.report();
        const auto [first, last] = expected.equal_range(file);
        ASSERT_EQ(static_cast<std::size_t>(std::distance(first, last)),
                  outcome.schema->messages.size())
            << file;
        auto row = first;
        for (const auto& message : outcome.schema->messages) {
            EXPECT_EQ(layout_row(file, *outcome.schema, *message), row->second);
            ++row;
            ++rows;
        }
    }
    EXPECT_EQ(rows, 136U);
}

struct Refusal {
    const char* file;
    std::uint32_t line;
    const char* element;
    const char* rule;
};

constexpr Refusal kRefusals[] = {
    {"cyclic-refs-schema.xml", 15, "ref[selfRef]", "cyclic-type"},
    {"error-handler-dup-message-schema.xml",
     14,
     "message[AnotherMessageWithId1]",
     "duplicate-message-id"},
    {"error-handler-enum-violates-min-max-value-range.xml",
     16,
     "validValue[INVALID_ZERO]",
     "enum-value"},
    {"error-handler-enum-violates-min-max-value-range.xml",
     19,
     "validValue[INVALID_SIX]",
     "enum-value"},
    {"error-handler-enum-violates-min-max-value-range.xml",
     20,
     "validValue[INVALID_NULL_VALUE]",
     "enum-value"},
    {"error-handler-enum-violates-min-max-value-range.xml",
     23,
     "validValue[INVALID_THREE]",
     "enum-value"},
    {"error-handler-group-dimensions-schema.xml", 21, "group[Entries]", "dimension-type"},
    {"error-handler-invalid-composite-offsets-schema.xml",
     11,
     "type[schemaId]",
     "offset-too-small"},
    {"error-handler-invalid-composite-offsets-schema.xml",
     16,
     "type[numInGroup]",
     "offset-too-small"},
    {"error-handler-invalid-composite.xml", 19, "group[fuelFigures]", "unknown-element"},
    {"error-handler-invalid-composite.xml", 24, "data[password]", "unknown-element"},
    {"error-handler-invalid-name.xml", 24, "field[invalid field name]", "invalid-name"},
    {"error-handler-invalid-name.xml",
     29,
     "field[invalid field name inside group]",
     "invalid-name"},
    {"error-handler-message-schema.xml", 11, "composite[messageHeader]", "header-member"},
    {"error-handler-message-schema.xml", 25, "field[mismatched_semanticType]", "semantic-type"},
    {"error-handler-message-schema.xml", 34, "field[unknown_type]", "unknown-type"},
    {"error-handler-message-schema.xml", 37, "field[offset_too_small]", "offset-too-small"},
    {"error-handler-message-schema.xml", 40, "group[group_1]", "block-length-too-small"},
    {"error-handler-message-schema.xml", 45, "group[group_2]", "dimension-type"},
    {"error-handler-message-schema.xml", 50, "data[has_no_length_field]", "var-data-type"},
    {"error-handler-message-schema.xml", 56, "field[field_misordered]", "element-order"},
    {"error-handler-message-schema.xml", 23, "message[Message_1]", "block-length-too-small"},
    {"error-handler-since-version.xml", 22, "type[uuid_t]", "since-version"},
    {"error-handler-since-version.xml", 31, "group[group5]", "since-version"},
    {"error-handler-types-dup-schema.xml", 10, "type[TypeToTest]", "duplicate-type"},
    {"error-handler-types-schema.xml", 11, "validValue[BOGUS]", "enum-value"},
    {"error-handler-types-schema.xml", 13, "type[ConstButNoValue]", "constant-value"},
    {"issue567-invalid.xml", 30, "group[group]", "count-max"},
};

TEST(SchemaParser, EveryInvalidSchemaIsRefusedWithLineElementAndRule) {
    std::set<std::string> covered;
    for (const Refusal& refusal : kRefusals) {
        const std::string path = data_path(std::string("invalid/") + refusal.file);
        const ParseOutcome outcome = parse_schema(path);
        EXPECT_FALSE(outcome.ok()) << refusal.file;
        const bool found = std::any_of(
            outcome.diagnostics.begin(), outcome.diagnostics.end(), [&](const Diagnostic& one) {
                return one.file == path && one.line == refusal.line && one.column > 0 &&
                       one.element_path.ends_with(refusal.element) && one.rule == refusal.rule &&
                       !one.message.empty();
            });
        EXPECT_TRUE(found) << refusal.element << " " << refusal.rule << " not in\n"
                           << outcome.report();
        covered.insert(refusal.file);
    }
    for (const auto& entry : fs::directory_iterator(data_path("invalid"))) {
        EXPECT_TRUE(covered.contains(entry.path().filename().string())) << entry.path();
    }
}

// A small schema whose types, message content or root attributes a test replaces.
std::string schema_with(const std::string& types,
                        const std::string& content,
                        const std::string& version = "1") {
    return "<messageSchema id=\"1\" version=\"" + version +
           "\">\n<types>\n"
           "<composite name=\"messageHeader\"><type name=\"blockLength\" primitiveType=\"uint16\"/>"
           "<type name=\"templateId\" primitiveType=\"uint16\"/>"
           "<type name=\"schemaId\" primitiveType=\"uint16\"/>"
           "<type name=\"version\" primitiveType=\"uint16\"/></composite>\n"
           "<composite name=\"groupSizeEncoding\"><type name=\"blockLength\" "
           "primitiveType=\"uint8\"/><type name=\"numInGroup\" primitiveType=\"uint16\"/>"
           "</composite>\n" +
           types + "\n</types>\n<message name=\"M\" id=\"1\">\n" + content +
           "\n</message>\n</messageSchema>\n";
}

struct RuleCase {
    const char* name;
    const char* types;
    const char* content;
    const char* rule;
};

constexpr RuleCase kRules[] = {
    {"UnknownPrimitive", R"(<type name="T" primitiveType="uint128"/>)", "", "unknown-primitive"},
    {"NoPrimitive", R"(<type name="T"/>)", "", "missing-attribute"},
    {"NullNotOptional",
     R"(<type name="T" primitiveType="uint8" nullValue="0"/>)",
     "",
     "null-not-optional"},
    {"NullOutOfRange",
     R"(<type name="T" primitiveType="uint8" presence="optional" nullValue="256"/>)",
     "",
     "value-range"},
    {"MinAboveMax",
     R"(<type name="T" primitiveType="uint8" minValue="9" maxValue="8"/>)",
     "",
     "value-range"},
    {"MaxOutOfRange", R"(<type name="T" primitiveType="int8" maxValue="128"/>)", "", "value-range"},
    {"ConstantTooLong",
     R"(<type name="T" primitiveType="char" length="2" presence="constant">abc</type>)",
     "",
     "constant-value"},
    {"ConstantNotANumber",
     R"(<type name="T" primitiveType="uint8" presence="constant">x</type>)",
     "",
     "constant-value"},
    {"EmptyComposite", R"(<composite name="C"/>)", "", "empty-composite"},
    {"DuplicateMember",
     R"(<composite name="C"><type name="a" primitiveType="uint8"/><type name="a" primitiveType="uint8"/></composite>)",
     "",
     "duplicate-field-name"},
    {"DuplicateEnumValue",
     R"(<enum name="E" encodingType="uint8"><validValue name="A">1</validValue><validValue name="B">1</validValue></enum>)",
     "",
     "duplicate-enum-value"},
    {"DuplicateEnumName",
     R"(<enum name="E" encodingType="uint8"><validValue name="A">1</validValue><validValue name="A">2</validValue></enum>)",
     "",
     "duplicate-enum-value"},
    {"EnumOfReal", R"(<enum name="E" encodingType="float"/>)", "", "encoding-type"},
    {"EnumOfComposite", R"(<enum name="E" encodingType="messageHeader"/>)", "", "encoding-type"},
    {"SetOfSigned",
     R"(<set name="S" encodingType="int8"><choice name="a">0</choice></set>)",
     "",
     "encoding-type"},
    {"DuplicateChoice",
     R"(<set name="S" encodingType="uint8"><choice name="a">0</choice><choice name="b">0</choice></set>)",
     "",
     "duplicate-choice"},
    {"ChoiceBeyondEncoding",
     R"(<set name="S" encodingType="uint8"><choice name="a">8</choice></set>)",
     "",
     "choice-range"},
    {"ConstantEnumWithoutReference",
     R"(<enum name="E" encodingType="uint8"><validValue name="A">1</validValue></enum>)",
     R"(<field name="f" id="1" type="E" presence="constant"/>)",
     "value-ref"},
    {"ReferenceToUnknownValue",
     R"(<enum name="E" encodingType="uint8"><validValue name="A">1</validValue></enum>)",
     R"(<field name="f" id="1" type="E" presence="constant" valueRef="E.B"/>)",
     "value-ref"},
    {"ReferenceToAnotherType",
     R"(<enum name="E" encodingType="uint8"><validValue name="A">1</validValue></enum>)",
     R"(<field name="f" id="1" type="uint16" presence="constant" valueRef="E.A"/>)",
     "value-ref"},
    {"ReferenceToNoEnum",
     R"(<type name="T" primitiveType="uint8"/>)",
     R"(<field name="f" id="1" type="uint8" presence="constant" valueRef="T.A"/>)",
     "value-ref"},
    {"DuplicateFieldId",
     "",
     R"(<field name="a" id="1" type="uint8"/><field name="b" id="1" type="uint8"/>)",
     "duplicate-field-id"},
    {"DuplicateFieldName",
     "",
     R"(<field name="a" id="1" type="uint8"/><field name="a" id="2" type="uint8"/>)",
     "duplicate-field-name"},
    {"GroupAfterData",
     R"(<composite name="D"><type name="length" primitiveType="uint8"/><type name="varData" primitiveType="uint8" length="0"/></composite>)",
     R"(<data name="d" id="1" type="D"/><group name="g" id="2"/>)",
     "element-order"},
    {"SignedCount",
     R"(<composite name="G"><type name="blockLength" primitiveType="uint16"/><type name="numInGroup" primitiveType="int8"/></composite>)",
     R"(<group name="g" id="1" dimensionType="G"/>)",
     "dimension-type"},
    {"EntryTooLongForItsDimensions",
     R"(<type name="T" primitiveType="uint8" length="256"/>)",
     R"(<group name="g" id="1"><field name="f" id="2" type="T"/></group>)",
     "too-wide"},
    {"LengthWithoutMaximum",
     R"(<composite name="D"><type name="length" primitiveType="uint32"/><type name="varData" primitiveType="uint8" length="0"/></composite>)",
     R"(<data name="d" id="1" type="D"/>)",
     "count-max"},
    {"OptionalVarData",
     R"(<composite name="D"><type name="length" primitiveType="uint8" presence="optional"/><type name="varData" primitiveType="uint8" length="0"/></composite>)",
     R"(<data name="d" id="1" type="D"/>)",
     "var-data-type"},
    {"SinceOutOfOrder",
     "",
     R"(<field name="a" id="1" type="uint8" sinceVersion="1"/><field name="b" id="2" type="uint8"/>)",
     "since-order"},
    {"UnknownElementInMessage", "", R"(<fields/>)", "unknown-element"},
    {"MissingFieldId", "", R"(<field name="a" type="uint8"/>)", "missing-attribute"},
    {"IdTooLarge", "", R"(<field name="a" id="65536" type="uint8"/>)", "bad-attribute"},
    {"BadPresence",
     "",
     R"(<field name="a" id="1" type="uint8" presence="maybe"/>)",
     "bad-attribute"},
    {"ZeroLengthType", R"(<type name="T" primitiveType="uint8" length="0"/>)", "", "bad-attribute"},
};

class Rules : public testing::TestWithParam<RuleCase> {};

TEST_P(Rules, IsAnError) {
    const RuleCase& rule = GetParam();
    const ParseOutcome outcome =
        parse_schema_text("test.xml", schema_with(rule.types, rule.content));
    EXPECT_FALSE(outcome.ok());
    EXPECT_TRUE(std::any_of(outcome.diagnostics.begin(),
                            outcome.diagnostics.end(),
                            [&](const Diagnostic& one) { return one.rule == rule.rule; }))
        << outcome.report();
}

INSTANTIATE_TEST_SUITE_P(Schema, Rules, testing::ValuesIn(kRules), [](const auto& param) {
    return std::string(param.param.name);
});

TEST(SchemaParser, TheSmallSchemaOfTheRulesIsItselfValid) {
    const ParseOutcome outcome =
        parse_schema_text("test.xml", schema_with("", R"(<field name="a" id="1" type="uint8"/>)"));
    EXPECT_TRUE(outcome.ok()) << outcome.report();
}

TEST(SchemaParser, SyntaxErrorNamesLineAndColumn) {
    const ParseOutcome outcome =
        parse_schema_text("broken.xml", "<messageSchema>\n  <types>\n</x>");
    ASSERT_EQ(outcome.diagnostics.size(), 1U);
    EXPECT_EQ(outcome.diagnostics[0].rule, "xml-syntax");
    EXPECT_EQ(outcome.diagnostics[0].file, "broken.xml");
    EXPECT_EQ(outcome.diagnostics[0].line, 3U);
    EXPECT_GT(outcome.diagnostics[0].column, 0U);
}

TEST(SchemaParser, ForeignElementsAtTheTopAreKeptAside) {
    std::string text = schema_with("", "");
    text.insert(text.find("<message "),
                "<t:service xmlns:t=\"urn:tern:service:1\" name=\"S\"><t:request/></t:service>");
    const ParseOutcome outcome = parse_schema_text("test.xml", text);
    ASSERT_TRUE(outcome.ok()) << outcome.report();
    ASSERT_EQ(outcome.schema->extensions.size(), 1U);
    EXPECT_EQ(outcome.schema->extensions[0].namespace_uri, "urn:tern:service:1");
    EXPECT_EQ(outcome.schema->extensions[0].local_name, "service");
    EXPECT_NE(outcome.schema->extensions[0].xml.find("t:request"), std::string::npos);
}

/// A folder of its own that is removed afterwards.
class Includes : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "tern-schema-XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
        fs::create_directories(folder_ / "in");
    }
    void TearDown() override { fs::remove_all(folder_); }

    void write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name) << text;
    }
    ParseOutcome parse_with_include(const std::string& href) const {
        std::string text = schema_with("", R"(<field name="a" id="1" type="Extra"/>)");
        text.insert(
            text.find("<types>"),
            "<xi:include xmlns:xi=\"http://www.w3.org/2001/XInclude\" href=\"" + href + "\"/>");
        write("in/main.xml", text);
        return parse_schema((folder_ / "in/main.xml").string());
    }
    static bool has_rule(const ParseOutcome& outcome, const std::string& rule) {
        return std::any_of(outcome.diagnostics.begin(),
                           outcome.diagnostics.end(),
                           [&](const Diagnostic& one) { return one.rule == rule; });
    }

    fs::path folder_;
};

constexpr const char* kExtraTypes =
    "<types><type name=\"Extra\" primitiveType=\"uint8\"/>\n"
    "<type name=\"Wrong\" primitiveType=\"no\"/></types>";

TEST_F(Includes, ErrorsInAnIncludedFileNameThatFile) {
    write("in/extra.xml", kExtraTypes);
    const ParseOutcome outcome = parse_with_include("extra.xml");
    ASSERT_EQ(outcome.diagnostics.size(), 1U) << outcome.report();
    EXPECT_EQ(outcome.diagnostics[0].file, (folder_ / "in/extra.xml").string());
    EXPECT_EQ(outcome.diagnostics[0].line, 2U);
}

TEST_F(Includes, FilesOutsideTheFolderAreNotRead) {
    write("extra.xml", "<types><type name=\"Extra\" primitiveType=\"uint8\"/></types>");
    EXPECT_TRUE(has_rule(parse_with_include("../extra.xml"), "xinclude"));
    EXPECT_TRUE(has_rule(parse_with_include((folder_ / "extra.xml").string()), "xinclude"));
    fs::create_symlink("../extra.xml", folder_ / "in/link.xml");
    EXPECT_TRUE(has_rule(parse_with_include("link.xml"), "xinclude"));
    EXPECT_TRUE(has_rule(parse_with_include("http://example.org/x.xml"), "xinclude"));
    EXPECT_TRUE(has_rule(parse_with_include("missing.xml"), "xinclude"));
}

TEST_F(Includes, AFileThatIncludesItselfIsAnError) {
    const ParseOutcome outcome = parse_with_include("main.xml");
    EXPECT_FALSE(outcome.ok());
    EXPECT_TRUE(has_rule(outcome, "xinclude")) << outcome.report();
}

TEST_F(Includes, ASchemaInMemoryCannotIncludeFiles) {
    const ParseOutcome outcome = parse_schema_text(
        "memory.xml",
        "<messageSchema id=\"1\"><xi:include xmlns:xi=\"http://www.w3.org/2001/XInclude\" "
        "href=\"extra.xml\"/></messageSchema>");
    EXPECT_TRUE(has_rule(outcome, "xinclude")) << outcome.report();
}

TEST(SchemaParser, DeepNestingIsALimitAndNoCrash) {
    std::string open;
    std::string close;
    for (int depth = 0; depth < 200; ++depth) {
        open += "<group name=\"g\" id=\"1\">";
        close += "</group>";
    }
    const ParseOutcome groups = parse_schema_text("deep.xml", schema_with("", open + close));
    EXPECT_FALSE(groups.ok());
    std::string types =
        R"(<composite name="C0"><type name="a" primitiveType="uint8" presence="constant">1</type></composite>)";
    for (int level = 1; level < 64; ++level) {
        const std::string below = "C" + std::to_string(level - 1);
        types += "<composite name=\"C" + std::to_string(level) + "\"><ref name=\"a\" type=\"" +
                 below + "\"/><ref name=\"b\" type=\"" + below + "\"/></composite>";
    }
    const ParseOutcome doubling = parse_schema_text("doubling.xml", schema_with(types, ""));
    EXPECT_FALSE(doubling.ok());
}

}  // namespace
}  // namespace tern::codegen
