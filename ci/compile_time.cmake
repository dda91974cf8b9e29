# What makes compiling shorter, and what fuzzers want of the libraries; included when all targets are there.
#
# Several files of a library are compiled as one (CMAKE_UNITY_BUILD, in the presets that many build from nothing): names of
# a library's files are then in one room, as they are for who reads them. Tests have the same words in each file, and a
# namespace of each file's name around them.
#
# The standard library's headers are most of what compiling takes: these are read once for all libraries, and once, with
# GoogleTest's, for all unit tests, which a compiler sees as parts of programs (-fPIE). With <string> in a precompiled header
# gcc warns, where it optimises, of memcpy beyond a std::string's own buffer (-Warray-bounds) where nothing is wrong: the few
# files that this touches read their headers themselves.
# CMAKE_DISABLE_PRECOMPILE_HEADERS turns this off; the preset tidy does, and has each file alone, so that clang-tidy finds
# an #include that is missing.

# targets_below(FOLDER RESULT): the targets of a folder and of those that it adds.
function(targets_below folder result)
  get_directory_property(found DIRECTORY ${folder} BUILDSYSTEM_TARGETS)
  get_directory_property(folders DIRECTORY ${folder} SUBDIRECTORIES)
  foreach(inner IN LISTS folders)
    targets_below(${inner} below)
    list(APPEND found ${below})
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()
set(libraries)
set(libraries_of_plugin)
set(tests)
set(programs)
foreach(folder IN ITEMS decoder reporters plugin)
  targets_below(${PROJECT_SOURCE_DIR}/${folder} targets)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(linked ${target} LINK_LIBRARIES)
    if(type MATCHES "^(STATIC|SHARED|OBJECT)_LIBRARY$")
      list(APPEND libraries ${target})
      if(folder STREQUAL plugin)
        list(APPEND libraries_of_plugin ${target})
      endif()
    elseif(type STREQUAL "EXECUTABLE" AND "GTest::gtest_main" IN_LIST linked)
      list(APPEND tests ${target})
    elseif(type STREQUAL "EXECUTABLE")
      list(APPEND programs ${target})
    endif()
  endforeach()
endforeach()

if(programs)
  set_target_properties(${programs} PROPERTIES UNITY_BUILD OFF)
endif()
# A fuzzer counts what is reached in what it tries, and in nothing else: by what -fsanitize=fuzzer-no-link stands for, but that
# files without it may have the same precompiled header. Without -O1 it would try a tenth.
if(DDTSCOPE_FUZZ)
  foreach(target IN LISTS libraries)
    target_compile_options(${target} PRIVATE -O1)
    if(NOT target IN_LIST libraries_of_plugin)
      target_compile_options(${target} PRIVATE -fsanitize-coverage=inline-8bit-counters,pc-table,indirect-calls,trace-cmp)
    endif()
  endforeach()
endif()
# What is tested is optimised as it is for users; its tests need not be, and take a quarter less to compile.
foreach(target IN LISTS tests)
  target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
endforeach()

if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
  set(headers <algorithm> <array> <cstddef> <cstdint> <cstring> <functional> <map> <memory> <optional> <set> <span> <sstream>
    <string> <string_view> <unordered_map> <utility> <variant> <vector>)
  target_precompile_headers(ddtscope_decoder_base PRIVATE ${headers})
  list(REMOVE_ITEM libraries ddtscope_decoder_base)
  foreach(target IN LISTS libraries)
    target_precompile_headers(${target} REUSE_FROM ddtscope_decoder_base)
  endforeach()
  if(DDTSCOPE_TESTS)
    target_precompile_headers(decoder_tests PRIVATE ${headers} <gtest/gtest.h>)
    list(REMOVE_ITEM tests decoder_tests)
    foreach(target IN LISTS tests)
      target_precompile_headers(${target} REUSE_FROM decoder_tests)
    endforeach()
  endif()
  foreach(file IN ITEMS decoder/findings/findings_of_libraries.cpp decoder/c_api/decoding.cpp
      reporters/model/job_of_text_test.cpp)
    get_filename_component(folder ${file} DIRECTORY)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/${file} DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}
      PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  endforeach()
endif()
