# tern_test(NAME ring_test SOURCES ring/ring_test.cpp LINK tern::transport LABELS unit [TIMEOUT s] [SERIAL])
#
# One GoogleTest program; each of its cases is a ctest entry of its own, so that skips are counted.
# SERIAL: its cases run alone, for those whose threads would starve beside others on two cores.
include_guard(GLOBAL)

if(TERN_TESTS)
    enable_testing()
    find_package(GTest REQUIRED)
    include(GoogleTest)
endif()

function(tern_test)
    if(NOT TERN_TESTS)
        return()
    endif()
    cmake_parse_arguments(arg "SERIAL" "NAME;TIMEOUT" "SOURCES;LINK;LABELS" ${ARGN})
    if(NOT arg_LABELS)
        set(arg_LABELS unit)
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 120)
    endif()
    add_executable(${arg_NAME} ${arg_SOURCES})
    target_link_libraries(${arg_NAME} PRIVATE tern::options ${arg_LINK} GTest::gmock GTest::gtest_main)
    target_compile_definitions(${arg_NAME} PRIVATE
        TERN_TEST_DATA_DIR="${PROJECT_SOURCE_DIR}/tests/data"
        TERN_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TERN_BINARY_DIR="${PROJECT_BINARY_DIR}")
    gtest_discover_tests(${arg_NAME} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
        PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} RUN_SERIAL "${arg_SERIAL}")
endfunction()

# tern_fuzz_corpus_target(NAME resp_fuzz SOURCES resp_fuzz.cpp LINK tern::resp)
#
# With TERN_FUZZ: a libFuzzer program. Always: a replay program that runs fuzz/corpus/<name>/* once,
# as the ctest entry <name>_corpus (label fuzz-corpus). The source defines LLVMFuzzerTestOneInput.
function(tern_fuzz_target)
    cmake_parse_arguments(arg "" "NAME" "SOURCES;LINK" ${ARGN})
    if(TERN_FUZZ)
        add_executable(${arg_NAME} ${arg_SOURCES})
        target_link_libraries(${arg_NAME} PRIVATE tern::options ${arg_LINK})
        target_link_options(${arg_NAME} PRIVATE -fsanitize=fuzzer)
    endif()
    if(TERN_TESTS)
        add_executable(${arg_NAME}_replay ${arg_SOURCES} ${PROJECT_SOURCE_DIR}/fuzz/replay_main.cpp)
        target_link_libraries(${arg_NAME}_replay PRIVATE tern::options ${arg_LINK})
        add_test(NAME ${arg_NAME}_corpus
            COMMAND ${arg_NAME}_replay ${PROJECT_SOURCE_DIR}/fuzz/corpus/${arg_NAME})
        set_tests_properties(${arg_NAME}_corpus PROPERTIES LABELS fuzz-corpus TIMEOUT 120)
    endif()
endfunction()
