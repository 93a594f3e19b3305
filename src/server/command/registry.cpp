#include "server/command/registry.hpp"

#include <string>
#include <tern/base/check.hpp>

namespace tern::server {

namespace {

bool is_brief(const CommandInfo& info) noexcept {
    return (info.flags & kFast) != 0 || info.complexity == "O(1)";
}

char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

bool equals_lower(std::string_view any_case, std::string_view lower_case) noexcept {
    if (any_case.size() != lower_case.size()) {
        return false;
    }
    for (std::size_t i = 0; i < any_case.size(); ++i) {
        if (lower(any_case[i]) != lower_case[i]) {
            return false;
        }
    }
    return true;
}

}  // namespace

const Command* Command::find_subcommand(std::string_view name) const noexcept {
    for (const Command& command : subcommands) {
        if (equals_lower(name, command.spec->info.name)) {
            return &command;
        }
    }
    return nullptr;
}

Registry::Registry(std::span<const std::span<const CommandSpec>> tables) {
    std::size_t row_count = 0;
    std::size_t name_count = 0;
    for (const auto table : tables) {
        row_count += table.size();
        for (const CommandSpec& spec : table) {
            name_count += spec.subcommands.size();
        }
    }
    // Both vectors keep their addresses from here on: views and pointers into them are handed out.
    commands_.reserve(row_count);
    names_.reserve(name_count);
    for (const auto table : tables) {
        for (const CommandSpec& spec : table) {
            Command& command = commands_.emplace_back();
            command.spec = &spec;
            command.full_name = spec.info.name;
            command.call_name = spec.info.name;
            command.is_brief = is_brief(spec.info);
            for (const CommandSpec& sub : spec.subcommands) {
                Command& child = command.subcommands.emplace_back();
                child.spec = &sub;
                child.is_brief = is_brief(sub.info);
                names_.push_back(std::string(spec.info.name) + "|" + std::string(sub.info.name));
                child.full_name = names_.back();
            }
        }
    }
    TERN_CHECK(commands_.size() < kSlotCount / 2);
    fill_slots();
    for (Command& command : commands_) {
        TERN_CHECK(find(command.full_name) == &command);  // no two rows have one name
        for (Command& child : command.subcommands) {
            child.container = &command;
        }
        add_templates(command);
    }
}

void Registry::fill_slots() {
    slots_.fill(0);
    for (std::size_t i = 0; i < commands_.size(); ++i) {
        if (commands_[i].call_name.empty()) {
            continue;
        }
        std::size_t slot = slot_of(commands_[i].call_name);
        while (slots_[slot] != 0) {
            slot = (slot + 1) % kSlotCount;
        }
        slots_[slot] = static_cast<std::uint16_t>(i + 1);
    }
}

Result<void> Registry::rename(std::string_view from, std::string_view to) {
    const Command* found = find(from);
    if (found == nullptr) {
        return error(Errc::kNotFound, "there is no command '{}' to rename", from);
    }
    const Command* other = to.empty() ? nullptr : find(to);
    if (other != nullptr && other != found) {
        return error(Errc::kAlreadyExists, "there is a command '{}' already", to);
    }
    std::string& name = new_names_.emplace_back(to);
    for (char& c : name) {
        c = lower(c);
    }
    commands_[static_cast<std::size_t>(found - commands_.data())].call_name = name;
    fill_slots();
    return {};
}

void Registry::add_templates(const Command& command) {
    const auto add = [this](const Command& one) {
        const std::uint16_t id = one.spec->template_id;
        if (id == 0) {
            return;
        }
        if (by_template_.size() <= id) {
            by_template_.resize(std::size_t{id} + 1, nullptr);
        }
        TERN_CHECK(by_template_[id] == nullptr);
        by_template_[id] = &one;
    };
    add(command);
    for (const Command& child : command.subcommands) {
        add(child);
    }
}

std::size_t Registry::slot_of(std::string_view name) noexcept {
    // FNV-1a over the lower-case letters; names are short.
    std::uint32_t hash = 2166136261U;
    for (const char c : name) {
        hash = (hash ^ static_cast<std::uint8_t>(lower(c))) * 16777619U;
    }
    return (hash ^ (hash >> 15)) % kSlotCount;
}

const Command* Registry::find(std::string_view name) const noexcept {
    constexpr std::size_t kLongestNameBytes = 32;
    if (name.size() > kLongestNameBytes) {
        return nullptr;
    }
    for (std::size_t slot = slot_of(name); slots_[slot] != 0; slot = (slot + 1) % kSlotCount) {
        const Command& command = commands_[slots_[slot] - 1U];
        if (equals_lower(name, command.call_name)) {
            return &command;
        }
    }
    return nullptr;
}

const Command* Registry::find_full(std::string_view full_name) const noexcept {
    const std::size_t bar = full_name.find('|');
    const Command* command = find(full_name.substr(0, bar));
    if (command == nullptr || bar == std::string_view::npos) {
        return command;
    }
    return command->find_subcommand(full_name.substr(bar + 1));
}

}  // namespace tern::server
