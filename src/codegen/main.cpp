#include "codegen/tool.hpp"

/// The generator as a program of its own, for the build; users have `tern codegen`.
int main(int argc, char** argv) {
    return tern::codegen::run_tool(argc, argv);
}
