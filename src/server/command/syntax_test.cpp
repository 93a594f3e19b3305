#include "server/command/syntax.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/command/registry.hpp"
#include "server/commands/tables.hpp"

namespace tern::server {
namespace {

using Kind = SyntaxNode::Kind;
using testing::IsEmpty;
using testing::SizeIs;

TEST(Syntax, ValuesAreNamedAndTyped) {
    const auto nodes = parse_syntax("key seconds value");
    ASSERT_THAT(nodes, SizeIs(3));
    EXPECT_EQ(nodes[0].kind, Kind::kKey);
    EXPECT_EQ(nodes[1].kind, Kind::kInteger);
    EXPECT_EQ(nodes[2].kind, Kind::kString);
    EXPECT_EQ(nodes[2].name, "value");
    EXPECT_THAT(parse_syntax(""), IsEmpty());
}

TEST(Syntax, ChoicesOfTokensMayBeOptional) {
    const auto nodes = parse_syntax("[NX | XX] <EX seconds | KEEPTTL>");
    ASSERT_THAT(nodes, SizeIs(2));
    EXPECT_EQ(nodes[0].kind, Kind::kOneOf);
    EXPECT_TRUE(nodes[0].is_optional);
    ASSERT_THAT(nodes[0].children, SizeIs(2));
    EXPECT_EQ(nodes[0].children[1].kind, Kind::kPureToken);
    EXPECT_EQ(nodes[0].children[1].token, "XX");
    EXPECT_FALSE(nodes[1].is_optional);
    EXPECT_EQ(nodes[1].children[0].token, "EX");
    EXPECT_EQ(nodes[1].children[0].kind, Kind::kInteger);
    EXPECT_EQ(nodes[1].children[0].name, "seconds");
}

TEST(Syntax, RepetitionMarksWhatStandsBefore) {
    const auto one = parse_syntax("key [key ...]");
    ASSERT_THAT(one, SizeIs(1));
    EXPECT_TRUE(one[0].is_multiple);
    EXPECT_FALSE(one[0].is_optional);
    const auto pair = parse_syntax("key score member [score member ...]");
    ASSERT_THAT(pair, SizeIs(2));
    EXPECT_EQ(pair[1].kind, Kind::kBlock);
    EXPECT_TRUE(pair[1].is_multiple);
    EXPECT_THAT(pair[1].children, SizeIs(2));
    const auto optional = parse_syntax("[section [section ...]]");
    ASSERT_THAT(optional, SizeIs(1));
    EXPECT_TRUE(optional[0].is_optional && optional[0].is_multiple);
}

TEST(Syntax, TokensStandBeforeValuesBlocksAndChoices) {
    const auto nodes =
        parse_syntax("[WEIGHTS weight [weight ...]] [LIMIT offset count] [AGGREGATE <SUM | MIN>]");
    ASSERT_THAT(nodes, SizeIs(3));
    EXPECT_EQ(nodes[0].token, "WEIGHTS");
    EXPECT_TRUE(nodes[0].is_multiple && nodes[0].is_optional);
    EXPECT_FALSE(nodes[0].repeats_token);
    EXPECT_EQ(nodes[1].token, "LIMIT");
    EXPECT_EQ(nodes[1].kind, Kind::kBlock);
    EXPECT_THAT(nodes[1].children, SizeIs(2));
    EXPECT_EQ(nodes[2].token, "AGGREGATE");
    EXPECT_EQ(nodes[2].name, "aggregate");
    EXPECT_EQ(nodes[2].kind, Kind::kOneOf);
}

TEST(Syntax, RepeatedTokenIsSaid) {
    const auto nodes = parse_syntax("[PREFIX prefix [PREFIX prefix ...]]");
    ASSERT_THAT(nodes, SizeIs(1));
    EXPECT_EQ(nodes[0].token, "PREFIX");
    EXPECT_TRUE(nodes[0].repeats_token);
}

std::size_t count_leaves(const std::vector<SyntaxNode>& nodes) {
    std::size_t count = 0;
    for (const SyntaxNode& node : nodes) {
        EXPECT_FALSE(node.name.empty());
        count += node.children.empty() ? 1 : count_leaves(node.children);
    }
    return count;
}

TEST(Syntax, EveryRowOfTheTableReads) {
    const Registry registry(commands::all_tables());
    const auto check = [](const Command& command) {
        const CommandInfo& info = command.spec->info;
        const auto nodes = parse_syntax(info.syntax);
        EXPECT_EQ(count_leaves(nodes) == 0, info.syntax.empty()) << command.full_name;
        EXPECT_EQ(std::count(info.syntax.begin(), info.syntax.end(), '['),
                  std::count(info.syntax.begin(), info.syntax.end(), ']'))
            << command.full_name;
        EXPECT_FALSE(info.summary.empty()) << command.full_name;
        EXPECT_FALSE(info.since.empty()) << command.full_name;
        EXPECT_FALSE(info.group.empty()) << command.full_name;
        EXPECT_NE(info.arity, 0) << command.full_name;
    };
    for (const Command& command : registry.commands()) {
        check(command);
        for (const Command& sub : command.subcommands) {
            check(sub);
        }
    }
}

}  // namespace
}  // namespace tern::server
