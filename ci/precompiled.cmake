# The standard library's headers are most of what compiling takes: these are read once for all libraries, and once for all
# unit tests, which a compiler sees as parts of programs (-fPIE). With <string> in a precompiled header gcc warns of memcpy
# beyond a std::string's own buffer (-Warray-bounds) where nothing is wrong: the few files of the libraries that this touches
# read their headers themselves, and the tests', which are many more, do without <string>.
# CMAKE_DISABLE_PRECOMPILE_HEADERS turns this off; the presets for sanitizers do, so that an #include that is missing is found.
if(CMAKE_DISABLE_PRECOMPILE_HEADERS)
  return()
endif()
set(headers <algorithm> <array> <cstddef> <cstdint> <cstring> <functional> <map> <optional> <set> <span> <unordered_map>
  <utility> <variant> <vector>)
target_precompile_headers(ddtscope_decoder_base PRIVATE ${headers} <memory> <sstream> <string> <string_view>)
if(DDTSCOPE_TESTS)
  target_precompile_headers(decoder_tests PRIVATE ${headers})
endif()
foreach(file IN ITEMS decoder/findings/findings_of_libraries.cpp decoder/c_api/decoding.cpp)
  get_filename_component(folder ${file} DIRECTORY)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/${file} DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}
    PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endforeach()

function(share_headers folder)
  get_directory_property(targets DIRECTORY ${folder} BUILDSYSTEM_TARGETS)
  list(REMOVE_ITEM targets ddtscope_decoder_base decoder_tests)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(libraries ${target} LINK_LIBRARIES)
    get_target_property(is_unity ${target} UNITY_BUILD)
    if(is_unity)  # reads them once anyway
      continue()
    endif()
    if(type MATCHES "^(STATIC|SHARED|OBJECT)_LIBRARY$")
      target_precompile_headers(${target} REUSE_FROM ddtscope_decoder_base)
    elseif(type STREQUAL "EXECUTABLE" AND "GTest::gtest_main" IN_LIST libraries)
      target_precompile_headers(${target} REUSE_FROM decoder_tests)
    endif()
  endforeach()
  get_directory_property(folders DIRECTORY ${folder} SUBDIRECTORIES)
  foreach(inner IN LISTS folders)
    share_headers(${inner})
  endforeach()
endfunction()
foreach(folder IN ITEMS decoder reporters plugin)
  share_headers(${PROJECT_SOURCE_DIR}/${folder})
endforeach()
