# tern_options: language level, warnings and sanitizers, linked by every target of ours.
include_guard(GLOBAL)

add_library(tern_options INTERFACE)
add_library(tern::options ALIAS tern_options)
target_compile_features(tern_options INTERFACE cxx_std_20)
target_compile_options(tern_options INTERFACE
    -Wall -Wextra -Wconversion -Wshadow -Wnon-virtual-dtor -Werror
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>  # false alarms of GCC 12 with -O2 and variants
    -fno-omit-frame-pointer)
if(TERN_SANITIZE)
    target_compile_options(tern_options INTERFACE -fsanitize=${TERN_SANITIZE} -fno-sanitize-recover=all)
    target_link_options(tern_options INTERFACE -fsanitize=${TERN_SANITIZE})
    target_compile_definitions(tern_options INTERFACE TERN_SANITIZED=1)
    if(TERN_SANITIZE MATCHES "thread")
        # GCC's warning about fences under tsan; every fence here is beside an atomic that tsan sees.
        target_compile_options(tern_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
    endif()
endif()
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(TERN_CCACHE ccache)
if(TERN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # Paths relative to the clone, so that a second clone finds what the first one compiled; and what
    # ccache has to overlook when a precompiled header is used.
    set(TERN_CCACHE_COMMAND ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${TERN_CCACHE})
    set(CMAKE_C_COMPILER_LAUNCHER ${TERN_CCACHE_COMMAND})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${TERN_CCACHE_COMMAND})
endif()
find_program(TERN_MOLD mold)
if(TERN_MOLD)
    target_link_options(tern_options INTERFACE -fuse-ld=mold)
endif()
