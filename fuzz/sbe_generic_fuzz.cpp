#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <tern/base/check.hpp>
#include <tern/sbe/json.hpp>

#include "codegen/generic_decoder.hpp"
#include "codegen/schema_parser.hpp"
#include "sbe_fuzz_wide/all.hpp"

/// Any bytes as a message: the generic decoder and the generated codec agree in status and in text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tern;
    static const codegen::ParseOutcome outcome = codegen::parse_schema(SBE_FUZZ_SCHEMA);
    TERN_CHECK(outcome.ok());
    // A copy of exactly the message's size, so that a read behind it is seen.
    const std::unique_ptr<std::byte[]> copy(new std::byte[size]);
    if (size != 0) {
        std::memcpy(copy.get(), data, size);
    }
    const Bytes message(copy.get(), size);
    std::string generic;
    std::string generated;
    const codegen::GenericResult result = codegen::print_message(*outcome.schema, message, generic);
    const sbe::DecodeStatus status = fuzz_wide::dispatch(
        message, [&generated](const auto& view) { sbe::to_json(view, generated); });
    TERN_CHECK(status == result.status);
    TERN_CHECK(generated == generic);
    return 0;
}
