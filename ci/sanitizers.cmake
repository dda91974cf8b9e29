# The sanitizers of this build, by DDTSCOPE_SANITIZE:
#   DDTSCOPE_SANITIZE_FLAGS        to compile and to link with
#   DDTSCOPE_SANITIZE_LINK_FLAGS   to link with besides
#   DDTSCOPE_SANITIZE_RUNTIMES     run times: the first libraries of a process that the plugin is preloaded into
set(DDTSCOPE_SANITIZE_FLAGS "")
set(DDTSCOPE_SANITIZE_LINK_FLAGS "")
set(DDTSCOPE_SANITIZE_RUNTIMES "")
if(NOT DDTSCOPE_SANITIZE)
  return()
endif()

set(DDTSCOPE_SANITIZE_FLAGS -fsanitize=${DDTSCOPE_SANITIZE})
# Programs with sanitizers are large: this linker takes a fifth of the other's time for them.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=lld DDTSCOPE_LLD)
if(DDTSCOPE_LLD)
  list(APPEND DDTSCOPE_SANITIZE_LINK_FLAGS -fuse-ld=lld)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Its default, a run time inside each program, would meet the preloaded one.
  list(APPEND DDTSCOPE_SANITIZE_FLAGS -shared-libsan)
  if(DDTSCOPE_SANITIZE MATCHES address)
    # From clang 15 on variables would not lie in their frames, where tests look for them.
    list(APPEND DDTSCOPE_SANITIZE_FLAGS -fsanitize-address-use-after-return=never)
  endif()
  set(runtimes "address=libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so")
else()
  set(runtimes address=libasan.so undefined=libubsan.so thread=libtsan.so)
endif()
foreach(pair IN LISTS runtimes)
  string(REPLACE "=" ";" pair ${pair})
  list(GET pair 0 sanitizer)
  list(GET pair 1 runtime)
  if(",${DDTSCOPE_SANITIZE}," MATCHES ",${sanitizer},")
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${runtime}
      OUTPUT_VARIABLE runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
    file(REAL_PATH ${runtime} runtime)
    list(APPEND DDTSCOPE_SANITIZE_RUNTIMES ${runtime})
    get_filename_component(folder ${runtime} DIRECTORY)
    list(APPEND DDTSCOPE_SANITIZE_LINK_FLAGS -Wl,-rpath,${folder})
  endif()
endforeach()
