#include "store/hash/collection.hpp"

namespace tern::store {

Collection::Collection(Database& database, std::string_view key, Type type)
    : database_(&database),
      key_(key),
      hash_(database.hash_of(key)),
      ref_(database.find(key, hash_)),
      type_(type) {
    if (ref_ && ref_.type() != type) {
        is_wrong_type_ = true;
        ref_ = EntryRef();
    }
}

void Collection::mark_modified() {
    if (ref_) {
        database_->mark_modified(ref_);
    }
}

bool Collection::create_compact(std::size_t value_bytes) {
    TERN_CHECK(!ref_ && !is_wrong_type_);
    ref_ = database_->create(key_, hash_, type_, value_bytes, kNeverExpires);
    return static_cast<bool>(ref_);
}

bool Collection::adopt(void* object) {
    TERN_CHECK(!is_wrong_type_);
    if (ref_) {
        return database_->set_object(ref_, object);
    }
    ref_ = database_->create_object(key_, type_, object);
    return static_cast<bool>(ref_);
}

void Collection::erase_key() {
    TERN_CHECK(ref_);
    database_->erase(ref_);
    ref_ = EntryRef();
}

}  // namespace tern::store
