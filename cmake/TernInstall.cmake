# cmake --install: the program, the headers, and a package config for find_package(tern).
include_guard(GLOBAL)
include(GNUInstallDirs)
