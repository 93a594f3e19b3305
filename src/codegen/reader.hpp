#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/model.hpp"
#include "codegen/xml_source.hpp"

/// Reading a schema's elements into the model. One Reader serves one schema; errors go to the
/// source's diagnostics and reading goes on, so that one run names everything that is wrong.
namespace tern::codegen {

inline constexpr std::uint32_t kMaxNesting = 32;            // groups, composites: choice
inline constexpr std::uint32_t kMaxFlatMembers = 65'536;    // members of a composite at all depths
inline constexpr std::uint64_t kMaxBlockBytes = 16u << 20;  // choice; header types bound it further
inline constexpr std::uint64_t kMaxCount32 = 2'147'483'647;  // reference/sbe.md §5

class Reader {
public:
    Reader(XmlSource& source, Schema& schema) : source_(source), schema_(schema) {}

    /// Registers the types of a `types` element; they are read when all are known.
    void collect_types(const Element& types);
    void read_types();
    void check_header(const Element& root);
    void read_message(const Element& element);

    void fail(const Element& element, std::string rule, std::string message) {
        source_.report(Severity::kError, element, std::move(rule), std::move(message));
    }
    /// An unsigned attribute; `fallback` when it is absent, an error when it is no number up to
    /// `most`.
    std::uint32_t number_attribute(const Element& element,
                                   const char* name,
                                   std::uint32_t fallback,
                                   std::uint32_t most);
    void read_named(const Element& element, Named& named);

private:
    enum class SlotState : std::uint8_t { kUnread, kReading, kRead };
    struct TypeSlot {
        Element element;
        std::string package;
        SlotState state = SlotState::kUnread;
        Type* type = nullptr;
    };
    /// The latest versions seen at one level: as the elements say, and with those of their types.
    struct Versions {
        std::uint32_t declared = 0;
        std::uint32_t effective = 0;
    };
    struct BlockEnd {
        std::uint64_t bytes = 0;
        Versions latest;
    };

    // type_reader.cpp
    const Type* resolve(std::string_view name, const Element& user);
    const Type* builtin(Primitive primitive);
    Type* read_type_element(const Element& element, Type* enclosing, std::uint32_t depth);
    void read_simple(const Element& element, Type& type);
    void read_bounds(const Element& element, Type& type);
    void read_constant(const Element& element, Type& type);
    void read_enum(const Element& element, Type& type);
    void read_set(const Element& element, Type& type);
    void read_composite(const Element& element, Type& type, std::uint32_t depth);
    std::optional<Field> read_member(const Element& element, Type& composite, std::uint32_t depth);
    void place_member(const Element& element, Type& composite, Field& member);
    const Type* read_encoding(const Element& element, Type& type);
    void check_enum_value(const Element& element,
                          const Type& type,
                          const EnumMember& value,
                          const Type* encoding);
    std::optional<Constant> resolve_value_ref(const Element& element,
                                              std::string_view reference,
                                              const Type& wanted);
    Presence read_presence(const Element& element, Presence fallback);
    std::string read_text(const Element& element, Primitive primitive);

    // message_reader.cpp
    void read_block(const Element& element, Block& block, std::uint32_t depth);
    void read_field(const Element& element, Block& block, BlockEnd& end);
    void resolve_presence(const Element& element, Field& field);
    void place_field(const Element& element, Field& field, BlockEnd& end);
    void read_group(const Element& element, Block& block, std::uint32_t depth);
    void read_data(const Element& element, Block& block);
    bool check_dimension(const Element& element, const Type& type);
    bool check_var_data(const Element& element, const Type& type);
    bool check_unsigned_member(const Element& element,
                               const Type& type,
                               const char* member,
                               const char* rule);
    void check_count_bound(const Element& element, const Type& type, const char* member);
    void check_fits(const Element& element,
                    const Type& composite,
                    const char* member,
                    std::uint64_t value,
                    std::string_view what);
    void check_since_order(const Element& element, Versions since, Versions& latest);
    void close_block(const Element& element, Block& block, const BlockEnd& end);

    XmlSource& source_;
    Schema& schema_;
    std::map<std::string, TypeSlot, std::less<>> slots_;
    std::vector<TypeSlot*> slot_order_;
    std::map<Primitive, const Type*> builtins_;
    std::uint32_t resolve_depth_ = 0;
};

[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;
[[nodiscard]] bool is_valid_name(std::string_view name) noexcept;

}  // namespace tern::codegen
