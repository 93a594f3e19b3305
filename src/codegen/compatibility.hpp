#pragma once

#include "codegen/diagnostics.hpp"
#include "codegen/model.hpp"

namespace tern::codegen {

/// Compares a schema with the version before it and names each change that breaks a peer which has
/// only one of them: removed, moved, retyped, inserted (docs/formats/sbe-codegen.md, Evolution).
///
/// The places in the result are those of `next`, or of `old` for what is gone. Empty: compatible.
[[nodiscard]] Diagnostics check_compatible(const Schema& old, const Schema& next);

}  // namespace tern::codegen
