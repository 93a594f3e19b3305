# Fails when docs/commands.md is not what `tern commands --markdown` prints.
execute_process(COMMAND ${TERN} commands --markdown OUTPUT_VARIABLE made RESULT_VARIABLE status)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "tern commands --markdown: ${status}")
endif()
file(READ ${DOCUMENT} kept)
if(NOT made STREQUAL kept)
    message(FATAL_ERROR
        "docs/commands.md is out of date; run: tern commands --markdown > docs/commands.md")
endif()
