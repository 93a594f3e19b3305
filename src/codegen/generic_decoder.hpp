#pragma once

#include <string>
#include <tern/base/bytes.hpp>
#include <tern/sbe/status.hpp>

#include "codegen/model.hpp"

namespace tern::codegen {

/// What reading a message by its schema gave.
struct GenericResult {
    sbe::DecodeStatus status = sbe::DecodeStatus::kOk;
    const Message* message = nullptr;  ///< null when the header names none
    std::size_t bytes_used = 0;        ///< header and message; 0 after a failure
};

/// Reads any message of `schema` without generated code and appends it to `out` as JSON, in the
/// shapes of docs/formats/sbe-codegen.md. Generated printers give the same text.
///
/// Errors:   a status; `out` is then as it was. No byte outside `bytes` is read.
[[nodiscard]] GenericResult print_message(const Schema& schema, Bytes bytes, std::string& out);

}  // namespace tern::codegen
