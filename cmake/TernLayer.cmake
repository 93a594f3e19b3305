# tern_layer(NAME base SOURCES a.cpp ... LINK tern::x ... [PRIVATE_LINK ...])
#
# Makes the static library tern_<name> (alias tern::<name>) of one layer. Its headers are included as
# "<name>/file.hpp", and only by targets that link the layer: each layer is exported through a folder
# of its own that holds nothing but a link to it, so an include of a layer that is not linked fails.
include_guard(GLOBAL)

function(tern_layer)
    cmake_parse_arguments(arg "" "NAME" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
    set(view "${PROJECT_BINARY_DIR}/layers/${arg_NAME}")
    file(MAKE_DIRECTORY "${view}")
    if(NOT EXISTS "${view}/${arg_NAME}")
        file(CREATE_LINK "${PROJECT_SOURCE_DIR}/src/${arg_NAME}" "${view}/${arg_NAME}" SYMBOLIC)
    endif()
    if(arg_SOURCES)
        add_library(tern_${arg_NAME} STATIC ${arg_SOURCES})
        set(scope PUBLIC)
        # For the build alone: an installed library brings no warnings to its users.
        target_link_libraries(tern_${arg_NAME} PRIVATE $<BUILD_INTERFACE:tern::options>)
        target_link_libraries(tern_${arg_NAME} PRIVATE ${arg_PRIVATE_LINK})
    else()
        add_library(tern_${arg_NAME} INTERFACE)
        set(scope INTERFACE)
    endif()
    add_library(tern::${arg_NAME} ALIAS tern_${arg_NAME})
    set_target_properties(tern_${arg_NAME} PROPERTIES EXPORT_NAME ${arg_NAME})
    target_include_directories(tern_${arg_NAME} ${scope}
        $<BUILD_INTERFACE:${view}> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:include>)
    target_compile_features(tern_${arg_NAME} ${scope} cxx_std_20)
    target_link_libraries(tern_${arg_NAME} ${scope} ${arg_LINK})
endfunction()
