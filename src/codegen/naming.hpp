#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/model.hpp"

/// From a schema's names to C++ names that compile, are stable, and collide with nothing.
namespace tern::codegen {

/// camelCase, PascalCase and ALL_CAPS to snake_case: ClOrdID is cl_ord_id.
[[nodiscard]] std::string snake_case(std::string_view name);
/// To PascalCase, keeping capitals inside words: GetRequest stays, MONTH_YEAR is MonthYear.
[[nodiscard]] std::string pascal_case(std::string_view name);
/// Whether C++ or a common macro claims the word.
[[nodiscard]] bool is_claimed_word(std::string_view word) noexcept;
/// A C++ namespace from a schema's package, or from the user: a::b.
[[nodiscard]] std::string namespace_from(std::string_view package);
/// Whether `name` is a namespace as users give it: identifiers joined by "::".
[[nodiscard]] bool is_namespace(std::string_view name);

/// The names of one C++ scope. A taken or claimed name gets "_" appended until it is free.
class NameScope {
public:
    NameScope() = default;
    explicit NameScope(std::span<const std::string_view> reserved)
        : used_(reserved.begin(), reserved.end()) {}

    std::string take(std::string wanted);
    void reserve(const std::string& name) { used_.insert(name); }
    [[nodiscard]] const std::set<std::string, std::less<>>& used() const noexcept { return used_; }

private:
    std::set<std::string, std::less<>> used_;
};

/// C++ names and file names of a schema's types and messages.
class SchemaNames {
public:
    explicit SchemaNames(const Schema& schema);

    /// The enum's or set's class, or a composite's name without View or Encoder.
    [[nodiscard]] const std::string& of(const Type& type) const { return types_.at(&type); }
    [[nodiscard]] const std::string& of(const Message& message) const {
        return messages_.at(&message);
    }
    [[nodiscard]] const std::string& header_of(const Type& type) const {
        return type_headers_.at(&type);
    }
    [[nodiscard]] const std::string& header_of(const Message& message) const {
        return message_headers_.at(&message);
    }
    /// Every name at namespace level: nested names avoid them.
    [[nodiscard]] const NameScope& scope() const noexcept { return scope_; }

private:
    void name_type(const Type& type, const std::string& prefix);

    NameScope scope_;
    std::map<const Type*, std::string> types_;
    std::map<const Message*, std::string> messages_;
    std::map<const Type*, std::string> type_headers_;
    std::map<const Message*, std::string> message_headers_;
};

/// Names of a schema that C++ claims, as "class -> class_", sorted.
[[nodiscard]] std::vector<std::string> claimed_names(const Schema& schema);

}  // namespace tern::codegen
