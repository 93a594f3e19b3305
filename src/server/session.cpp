#include "server/session.hpp"

#include "server/transaction.hpp"

namespace tern::server {

// Here, where Transaction is whole.
Session::Session() = default;
Session::~Session() = default;

}  // namespace tern::server
