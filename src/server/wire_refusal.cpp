#include "server/executor.hpp"

/// In place of wire_executor.cpp until the schema's codecs are part of the build; goes with that.
namespace tern::server {

Outcome Executor::run_wire(Session& session, Bytes /*message*/, ByteSink& output) {
    Reply reply(output, Protocol::kSbe, 0);
    reply.error("ERR this build has no SBE");
    session.close_requested = true;
    return Outcome::kDone;
}

}  // namespace tern::server
