#pragma once

#include <span>
#include <string>
#include <tern/sbe/sbe.hpp>
#include <vector>

/// Printers of the generated codecs, by the schema they were made from.
namespace tern::codegen::test {

/// Verifies a message with generated code and prints it.
struct Codec {
    const char* schema_path;
    sbe::DecodeStatus (*print)(Bytes message, std::string& out);
};

/// Codecs of one translation unit of the generated library; made by CMake, numbered from 1.
std::span<const Codec> codecs_1();
std::span<const Codec> codecs_2();
std::span<const Codec> codecs_3();
std::span<const Codec> codecs_4();
std::span<const Codec> codecs_5();
std::span<const Codec> codecs_6();

inline std::vector<Codec> all_codecs() {
    std::vector<Codec> all;
    for (const auto& part :
         {codecs_1(), codecs_2(), codecs_3(), codecs_4(), codecs_5(), codecs_6()}) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

}  // namespace tern::codegen::test
