#include "server/command/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/command/acl_categories.hpp"
#include "server/command/key_usage.hpp"
#include "server/commands/tables.hpp"

namespace tern::server {
namespace {

using testing::ElementsAre;

const Registry& registry() {
    static const Registry all(commands::all_tables());
    return all;
}

std::vector<std::string_view> keys_of(std::vector<std::string_view> words, KeyLookup expected) {
    const Command* command = registry().find(words[0]);
    EXPECT_NE(command, nullptr);
    if (!command->subcommands.empty()) {
        command = command->find_subcommand(words[1]);
    }
    std::vector<UsedKey> used;
    EXPECT_EQ(find_keys(*command, words, used), expected) << words[0];
    std::vector<std::string_view> keys;
    if (expected == KeyLookup::kFound) {
        for (const UsedKey& one : used) {
            keys.push_back(one.key);
        }
    }
    return keys;
}

TEST(Registry, FindsNamesInAnyCaseAndSubcommands) {
    const Command* get = registry().find("GeT");
    ASSERT_NE(get, nullptr);
    EXPECT_EQ(get->full_name, "get");
    EXPECT_EQ(registry().find("gett"), nullptr);
    EXPECT_EQ(registry().find(std::string(1000, 'g')), nullptr);
    const Command* list = registry().find_full("CLIENT|LIST");
    ASSERT_NE(list, nullptr);
    EXPECT_EQ(list->full_name, "client|list");
    EXPECT_EQ(list->container, registry().find("client"));
    EXPECT_EQ(registry().find_full("client|foo"), nullptr);
}

TEST(Registry, RenamedCommandsAnswerToTheirNewNameOnly) {
    Registry all(commands::all_tables());
    ASSERT_TRUE(all.rename("CONFIG", "Guarded"));
    EXPECT_EQ(all.find("config"), nullptr);
    ASSERT_NE(all.find("GUARDED"), nullptr);
    EXPECT_EQ(all.find("guarded")->full_name, "config");
    ASSERT_TRUE(all.rename("flushall", ""));
    EXPECT_EQ(all.find("flushall"), nullptr);
    EXPECT_EQ(all.find(""), nullptr);
    EXPECT_TRUE(all.rename("get", "GET"));
    EXPECT_EQ(all.rename("get", "set").error().code, Errc::kAlreadyExists);
    EXPECT_EQ(all.rename("flushall", "x").error().code, Errc::kNotFound);
    for (const Command& command : all.commands()) {
        if (!command.call_name.empty()) {
            EXPECT_EQ(all.find(command.call_name), &command);
        }
    }
}

TEST(Registry, TemplatesLeadToTheirRows) {
    for (const Command& command : registry().commands()) {
        if (command.spec->template_id != 0) {
            EXPECT_EQ(registry().find_template(command.spec->template_id), &command);
            EXPECT_NE(command.spec->wire, nullptr);
        }
    }
    EXPECT_EQ(registry().find_template(65535), nullptr);
}

TEST(Registry, ArityCountsTheName) {
    const CommandInfo exact{.arity = 2};
    EXPECT_TRUE(arity_accepts(exact, 2));
    EXPECT_FALSE(arity_accepts(exact, 3));
    const CommandInfo least{.arity = -2};
    EXPECT_TRUE(arity_accepts(least, 5));
    EXPECT_FALSE(arity_accepts(least, 1));
}

TEST(KeyUsage, FindsKeysOfCalls) {
    EXPECT_THAT(keys_of({"get", "a"}, KeyLookup::kFound), ElementsAre("a"));
    EXPECT_THAT(keys_of({"mset", "a", "1", "b", "2"}, KeyLookup::kFound), ElementsAre("a", "b"));
    EXPECT_THAT(keys_of({"del", "a", "b", "c"}, KeyLookup::kFound), ElementsAre("a", "b", "c"));
    EXPECT_THAT(keys_of({"rename", "a", "b"}, KeyLookup::kFound), ElementsAre("a", "b"));
    EXPECT_THAT(keys_of({"zunion", "2", "a", "b"}, KeyLookup::kFound), ElementsAre("a", "b"));
    EXPECT_THAT(keys_of({"zunionstore", "d", "1", "a"}, KeyLookup::kFound), ElementsAre("d", "a"));
    EXPECT_THAT(keys_of({"bzpopmin", "a", "b", "0"}, KeyLookup::kFound), ElementsAre("a", "b"));
    EXPECT_THAT(keys_of({"object", "encoding", "a"}, KeyLookup::kFound), ElementsAre("a"));
    keys_of({"zunion", "3", "a"}, KeyLookup::kInvalid);
    keys_of({"zunion", "0", "a"}, KeyLookup::kInvalid);
    keys_of({"zunion", "x", "a"}, KeyLookup::kInvalid);
    keys_of({"ping"}, KeyLookup::kNoKeys);
}

TEST(KeyUsage, SaysWhatHappensToEachKey) {
    const Command* rename = registry().find("rename");
    EXPECT_EQ(key_usage(*rename).first, "RW access delete");
    EXPECT_EQ(key_usage(*rename).rest, "OW update");
    EXPECT_EQ(key_usage(*registry().find("get")).first, "RO access");
    EXPECT_EQ(key_usage(*registry().find("hset")).first, "RW update");
}

TEST(AclCategories, FollowFromRowAndFlags) {
    const auto is_in = [](std::string_view command, std::string_view category) {
        return is_in_category(registry().find_full(command)->spec->info,
                              find_acl_category(category));
    };
    EXPECT_TRUE(is_in("get", "READ"));
    EXPECT_TRUE(is_in("get", "string"));
    EXPECT_TRUE(is_in("get", "fast"));
    EXPECT_FALSE(is_in("get", "slow"));
    EXPECT_FALSE(is_in("get", "write"));
    EXPECT_TRUE(is_in("config|set", "dangerous"));
    EXPECT_TRUE(is_in("bzpopmin", "blocking"));
    EXPECT_EQ(find_acl_category("nothing"), acl_category_names().size());
}

}  // namespace
}  // namespace tern::server
