# cmake --install: the program, the public headers, and a package config, so that find_package(tern)
# gives tern::client to programs of others. The program's own install rule is beside its target.
include_guard(GLOBAL)
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# tern_link_closure(OUT target): `target` and every target of ours that it links, however deep. A static
# library's private parts are links of its users too, so the export set has to hold them.
function(tern_link_closure out target)
    set(pending ${target})
    set(found)
    while(pending)
        list(POP_FRONT pending item)
        get_target_property(original ${item} ALIASED_TARGET)
        if(original)
            set(item ${original})
        endif()
        get_target_property(imported ${item} IMPORTED)
        if(imported OR item IN_LIST found)
            continue()
        endif()
        list(APPEND found ${item})
        foreach(property LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
            get_target_property(links ${item} ${property})
            foreach(link IN LISTS links)
                # What is linked for the build alone is no part of the package.
                if(link MATCHES "BUILD_INTERFACE")
                    continue()
                endif()
                string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" link "${link}")
                if(TARGET ${link})
                    list(APPEND pending ${link})
                endif()
            endforeach()
        endforeach()
    endwhile()
    set(${out} ${found} PARENT_SCOPE)
endfunction()

tern_link_closure(exported tern_client)
install(TARGETS ${exported} EXPORT tern-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tern DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.hpp")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tern)
install(EXPORT tern-targets NAMESPACE tern:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ternConfig.cmake.in
    ${PROJECT_BINARY_DIR}/ternConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ternConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ternConfig.cmake ${PROJECT_BINARY_DIR}/ternConfigVersion.cmake
    DESTINATION ${package_dir})
