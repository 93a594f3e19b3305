#pragma once

#include <string>
#include <tern/base/result.hpp>
#include <vector>

#include "codegen/model.hpp"

namespace tern::codegen {

struct CppOptions {
    std::string name_space;  ///< for example tern::wire; empty: from the schema's package
};

/// A file that the generator made: its name without a folder, and its text.
struct GeneratedFile {
    std::string name;
    std::string text;
};

/// Makes the C++ headers of a schema: one a message, one a shared type, schema.hpp and all.hpp.
///
/// The same schema gives the same bytes. The order of files is that of the schema.
/// Errors:   kInvalidArgument when the namespace is none.
[[nodiscard]] Result<std::vector<GeneratedFile>> generate_cpp(const Schema& schema,
                                                              const CppOptions& options);

/// Writes the files into `folder`, made if need be; a file whose bytes stay the same is not
/// touched.
[[nodiscard]] Result<void> write_files(const std::vector<GeneratedFile>& files,
                                       const std::string& folder);

}  // namespace tern::codegen
