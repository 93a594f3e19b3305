#include "store/list/list.hpp"
#include "store/rdb/value_parts.hpp"

namespace tern::store::rdb {
namespace {

using Form = PackedReader::Form;
using lists::Entry;
using lists::List;

/// How a node of a list holds its elements.
constexpr std::uint64_t kPlainNode = 1;
constexpr std::uint64_t kPackedNode = 2;
/// What a packed node that is written may take.
constexpr std::size_t kNodeBytesMax = 8192;

LoadStatus add_element(List& list, std::string_view text, const lists::ListLimits& limits) {
    const bool is_added = list.prepare_growth(text.size(), 1, limits) &&
                          list.push(lists::End::kTail, lists::Value(text), limits);
    return is_added ? LoadStatus::kOk : LoadStatus::kOutOfMemory;
}

/// Writes packed nodes into `nodes` and returns how many: their number comes in front of them.
std::uint64_t save_nodes(RdbWriter& nodes, const EntryRef& ref) {
    ListpackBuilder pack;
    std::uint64_t node_count = 0;
    const auto finish = [&] {
        if (pack.count() != 0) {
            nodes.length(kPackedNode);
            nodes.text(pack.finish());
            pack.clear();
            ++node_count;
        }
    };
    List::visit(ref, [&](const Entry& entry) {
        if (pack.size_bytes() + entry.text.size() > kNodeBytesMax) {
            finish();
        }
        pack.append(lists::Text(entry).view());
        return true;
    });
    finish();
    return node_count;
}

template <typename AddNode>
LoadStatus load_nodes(LoadTarget& target, AddNode&& add_node) {
    std::uint64_t node_count = 0;
    if (!target.reader.length(node_count)) {
        return LoadStatus::kBad;
    }
    List list(target.database, target.key);
    RdbText node;
    for (; node_count != 0; --node_count) {
        if (const LoadStatus status = add_node(list, node); status != LoadStatus::kOk) {
            return status;
        }
    }
    return LoadStatus::kOk;
}

LoadStatus add_packed(LoadTarget& target, List& list, Form form, Bytes bytes) {
    return load_packed(form, bytes, [&](std::string_view text) {
        return add_element(list, text, target.limits.list);
    });
}

}  // namespace

void save_list(RdbWriter& writer, const EntryRef& ref) {
    BufferSink sink;
    RdbWriter nodes(sink, writer.compresses());
    const std::uint64_t node_count = save_nodes(nodes, ref);
    writer.kind(ValueKind::kListQuicklist2);
    writer.length(node_count);
    writer.raw(sink.view());
}

void mix_list(Digest& sum, const EntryRef& ref) {
    // The order counts: each text goes on where the one before ended.
    List::visit(ref, [&](const Entry& entry) {
        sum.append(lists::Text(entry).view());
        return true;
    });
}

LoadStatus load_list(LoadTarget& target) {
    return load_nodes(target, [&](List& list, RdbText& text) {
        return target.reader.text(text) ? add_element(list, text.view(), target.limits.list)
                                        : LoadStatus::kBad;
    });
}

LoadStatus load_list_ziplist(LoadTarget& target) {
    RdbText packed;
    if (!target.reader.text(packed)) {
        return LoadStatus::kBad;
    }
    List list(target.database, target.key);
    return add_packed(target, list, Form::kZiplist, packed.bytes());
}

LoadStatus load_list_quicklist(LoadTarget& target) {
    return load_nodes(target, [&](List& list, RdbText& node) {
        return target.reader.text(node) ? add_packed(target, list, Form::kZiplist, node.bytes())
                                        : LoadStatus::kBad;
    });
}

LoadStatus load_list_quicklist2(LoadTarget& target) {
    return load_nodes(target, [&](List& list, RdbText& node) {
        std::uint64_t container = 0;
        if (!target.reader.length(container) || !target.reader.text(node)) {
            return LoadStatus::kBad;
        }
        if (container == kPlainNode) {
            return add_element(list, node.view(), target.limits.list);
        }
        return container == kPackedNode ? add_packed(target, list, Form::kListpack, node.bytes())
                                        : LoadStatus::kBad;
    });
}

}  // namespace tern::store::rdb
