// Random operations on a keyspace against a plain map, with a virtual clock.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "store/keyspace/keyspace_fixture.hpp"

namespace tern::store {
namespace {

struct ModelValue {
    std::string text;
    ExpireAtMs at_ms = kNeverExpires;
};

class KeyspaceModel {
public:
    explicit KeyspaceModel(std::uint64_t seed) : random_(seed), fixture_(seed) {}

    void step() {
        using Action = void (KeyspaceModel::*)();
        static constexpr Action kActions[] = {&KeyspaceModel::assign,
                                              &KeyspaceModel::assign,
                                              &KeyspaceModel::assign,
                                              &KeyspaceModel::erase,
                                              &KeyspaceModel::resize,
                                              &KeyspaceModel::expire,
                                              &KeyspaceModel::expire,
                                              &KeyspaceModel::persist,
                                              &KeyspaceModel::rename,
                                              &KeyspaceModel::copy,
                                              &KeyspaceModel::pass_time};
        (this->*kActions[random_() % std::size(kActions)])();
        check_key(random_key());
        if (random_() % 2'000 == 0) {
            db().flush();
            model_.clear();
        }
        if (random_() % 20 == 0) {
            fixture_.keyspace->maintain(now_ms_, {.expired_keys = random_() % 5});
        }
    }

    void check_all() {
        drop_expired();
        std::map<std::string, std::string> seen;
        db().for_each([&](const EntryRef& ref) {
            ASSERT_TRUE(seen.emplace(ref.key(), ref.text()).second) << "twice: " << ref.key();
        });
        ASSERT_EQ(seen.size(), model_.size());
        for (const auto& [key, value] : model_) {
            ASSERT_EQ(seen[key], value.text) << key;
        }
        db().tables().deadlines.check_invariants();
        fixture_.keyspace->maintain(now_ms_, {.expired_keys = 1'000'000});
        ASSERT_EQ(db().size(), model_.size());
        ASSERT_EQ(
            db().volatile_count(),
            static_cast<std::size_t>(std::count_if(model_.begin(), model_.end(), [](auto& item) {
                return item.second.at_ms != kNeverExpires;
            })));
    }

    void check_nothing_leaks() {
        fixture_.keyspace->flush_all();
        fixture_.keyspace->drain_now();
        EXPECT_EQ(fixture_.arena->used_bytes(), 0U);
    }

private:
    [[nodiscard]] Database& db() { return fixture_.db(); }
    [[nodiscard]] std::string random_key() { return "key:" + std::to_string(random_() % 500); }
    [[nodiscard]] ExpireAtMs random_deadline() {
        return now_ms_ + static_cast<ExpireAtMs>(random_() % 300);
    }
    [[nodiscard]] std::string random_text() {
        const std::size_t scale = random_() % 50 == 0 ? 80'000 : random_() % 5 == 0 ? 3'000 : 60;
        return std::string(random_() % scale, static_cast<char>('a' + random_() % 26));
    }

    void drop_expired() {
        std::erase_if(model_, [this](const auto& item) { return now_ms_ > item.second.at_ms; });
    }
    [[nodiscard]] ModelValue* in_model(const std::string& key) {
        drop_expired();
        const auto found = model_.find(key);
        return found == model_.end() ? nullptr : &found->second;
    }

    void assign() {
        const std::string key = random_key();
        const std::string text = random_text();
        const auto dice = random_() % 4;
        const Deadline deadline = dice == 0   ? Deadline::keep()
                                  : dice == 1 ? Deadline::at(random_deadline())
                                              : Deadline::none();
        const ModelValue* old = in_model(key);
        const ExpireAtMs kept_ms = old == nullptr ? kNeverExpires : old->at_ms;
        fixture_.set(key, text, deadline);
        model_[key] = {text, dice == 0 ? kept_ms : dice == 1 ? deadline.at_ms : kNeverExpires};
    }
    void erase() {
        const std::string key = random_key();
        const bool is_there = in_model(key) != nullptr;
        ASSERT_EQ(db().erase(key), is_there);
        model_.erase(key);
    }
    void resize() {
        const std::string key = random_key();
        EntryRef ref = db().find(key);
        if (ModelValue* value = in_model(key)) {
            const std::size_t old_bytes = value->text.size();
            value->text.resize(random_() % (2 * old_bytes + 20), 'z');
            ASSERT_TRUE(db().resize_value(ref, value->text.size()));
            if (value->text.size() > old_bytes) {
                std::fill(ref.value().begin() + static_cast<std::ptrdiff_t>(old_bytes),
                          ref.value().end(),
                          std::byte{'z'});
            }
        }
    }
    void expire() {
        const std::string key = random_key();
        EntryRef ref = db().find(key);
        if (ModelValue* value = in_model(key)) {
            value->at_ms = random_deadline();
            ASSERT_TRUE(db().set_expiry(ref, value->at_ms));
            ASSERT_EQ(ref.text(), value->text);
        }
    }
    void persist() {
        const std::string key = random_key();
        EntryRef ref = db().find(key);
        if (ModelValue* value = in_model(key)) {
            value->at_ms = kNeverExpires;
            ASSERT_TRUE(db().persist(ref));
            ASSERT_EQ(ref.text(), value->text);
        }
    }
    void rename() {
        const std::string from = random_key();
        const std::string to = random_key();
        if (const ModelValue* value = in_model(from)) {
            const ModelValue moved = *value;
            ASSERT_TRUE(db().rename(db().find(from), to));
            model_.erase(from);
            model_[to] = moved;
            check_key(from);
            check_key(to);
        }
    }
    void copy() {
        const std::string from = random_key();
        const std::string to = random_key();
        if (const ModelValue* value = in_model(from)) {
            const ModelValue copied = *value;
            ASSERT_TRUE(db().copy(db().find(from), db(), to));
            model_[to] = copied;
            check_key(from);
            check_key(to);
        }
    }
    void pass_time() {
        now_ms_ += static_cast<std::int64_t>(random_() % 20);
        fixture_.keyspace->set_now_ms(now_ms_);
    }

    void check_key(const std::string& key) {
        const ModelValue* value = in_model(key);
        const EntryRef ref = db().find(key);
        ASSERT_EQ(static_cast<bool>(ref), value != nullptr) << key;
        if (value != nullptr) {
            ASSERT_EQ(ref.key(), key);
            ASSERT_EQ(ref.text(), value->text) << key;
            ASSERT_EQ(ref.expire_at_ms(), value->at_ms) << key;
        }
    }

    std::mt19937_64 random_;
    KeyspaceFixture fixture_;
    std::map<std::string, ModelValue> model_;
    std::int64_t now_ms_ = 0;
};

TEST(KeyspaceProperty, AgreesWithAPlainMapThroughExpiryAndRename) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        KeyspaceModel model(seed);
        for (int i = 0; i < 6'000 && !HasFatalFailure(); ++i) {
            model.step();
            if (i % 500 == 0) {
                model.check_all();
            }
        }
        model.check_all();
        model.check_nothing_leaks();
        ASSERT_FALSE(HasFailure());
    }
}

TEST(KeyspaceProperty, ScanReturnsEveryLastingKeyWhileOthersComeAndGo) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::mt19937_64 random(seed);
        KeyspaceFixture fixture(seed);
        for (int i = 0; i < 500; ++i) {
            fixture.set("lasting:" + std::to_string(i), "v");
        }
        std::set<std::string> seen;
        std::uint64_t cursor = 0;
        do {
            cursor = fixture.db().scan(
                cursor, 10, [&](const EntryRef& ref) { seen.insert(std::string(ref.key())); });
            for (std::uint64_t i = random() % 200; i != 0; --i) {
                const std::string key = "passing:" + std::to_string(random() % 3'000);
                if (random() % 2 == 0) {
                    fixture.set(key, "v");
                } else {
                    fixture.db().erase(key);
                }
            }
        } while (cursor != 0);
        for (int i = 0; i < 500; ++i) {
            ASSERT_TRUE(seen.contains("lasting:" + std::to_string(i))) << i;
        }
    }
}

}  // namespace
}  // namespace tern::store
