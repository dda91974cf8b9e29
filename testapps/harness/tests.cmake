# What is run under the plugin: add_case for a program and what its trace must say, add_script for all else.
set(runs ${CMAKE_BINARY_DIR}/testapps/runs)
list(JOIN DDTSCOPE_SANITIZE_RUNTIMES ":" sanitizer_preload)
set(test_environment "DDTSCOPE_TEST_PRELOAD=${sanitizer_preload}")
if(DDTSCOPE_SANITIZE)
  # Open MPI 6 would overwrite a function while the sanitizer's call of it is under way.
  list(APPEND test_environment OMPI_MCA_memory=^patcher)
endif()
if(DDTSCOPE_SANITIZE STREQUAL thread)
  # UCX's hooks of memory run in threads that the sanitizer has done with; PMIx 5 would attach shared memory at addresses
  # that the sanitizer keeps for itself.
  list(APPEND test_environment "TSAN_OPTIONS=report_thread_leaks=0 suppressions=${harness}/tsan.supp" UCX_MEM_EVENTS=no PMIX_MCA_gds=hash)
endif()

# file_of(<variable> <target or path>)
function(file_of variable program)
  if(TARGET ${program})
    set(${variable} $<TARGET_FILE:${program}> PARENT_SCOPE)
  else()
    set(${variable} ${program} PARENT_SCOPE)
  endif()
endfunction()

# add_script(<test> <script> PROGRAM target-or-path [LIBRARY openmpi|mpich] [LABELS ...] [TIMEOUT seconds]
#            [SERIAL] [MAY_SKIP] [OPTIONS ...] [ARGUMENTS ...]): harness/script.py has what it is given
function(add_script test script)
  cmake_parse_arguments(script "SERIAL;MAY_SKIP" "LIBRARY;PROGRAM;TIMEOUT" "LABELS;OPTIONS;ARGUMENTS" ${ARGN})
  file_of(program ${script_PROGRAM})
  set(of_library "")
  if(script_LIBRARY)
    string(TOUPPER ${script_LIBRARY} upper)
    set(of_library --library ${script_LIBRARY} --launcher ${DDTSCOPE_${upper}_RUN}
      --plugin ${CMAKE_BINARY_DIR}/lib/libddtscope-${script_LIBRARY}.so)
  endif()
  if(NOT script_TIMEOUT)
    set(script_TIMEOUT 300)
  endif()
  get_filename_component(script ${script} ABSOLUTE)
  add_test(NAME ${test} COMMAND ${Python3_EXECUTABLE} -B ${script} ${of_library}
    --ddtscope ${CMAKE_BINARY_DIR}/bin/ddtscope --work ${runs}/${test} ${script_OPTIONS} -- ${program} ${script_ARGUMENTS})
  set_tests_properties(${test} PROPERTIES LABELS "${script_LABELS}" TIMEOUT ${script_TIMEOUT} ENVIRONMENT "${test_environment}")
  if(script_SERIAL)
    set_tests_properties(${test} PROPERTIES RUN_SERIAL ON)
  endif()
  if(script_MAY_SKIP)
    set_tests_properties(${test} PROPERTIES SKIP_RETURN_CODE 77)
  endif()
endfunction()

# add_case(<library> <test> [RANKS n] [PROGRAM target-or-path] [EXPECT name] [LABELS ...] [TIMEOUT seconds] [OPTIONS ...]
#          [ARGUMENTS ...]): the program <test> and <test>.expected.py of this folder, where nothing else is said
function(add_case library test)
  cmake_parse_arguments(case "" "RANKS;PROGRAM;EXPECT;TIMEOUT" "LABELS;OPTIONS;ARGUMENTS" ${ARGN})
  foreach(default IN ITEMS RANKS=1 PROGRAM=${test} EXPECT=${test} TIMEOUT=300)
    string(REGEX MATCH "(.+)=(.+)" pair ${default})
    if(NOT case_${CMAKE_MATCH_1})
      set(case_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
    endif()
  endforeach()
  if(TARGET ${case_PROGRAM}-${library})
    set(case_PROGRAM ${case_PROGRAM}-${library})
  endif()
  # MPICH polls: two of its ranks want both processors of a small machine for themselves.
  set(serial "")
  if(library STREQUAL mpich AND case_RANKS GREATER 1)
    set(serial SERIAL)
  endif()
  add_script(${library}.${test} ${harness}/run_case.py LIBRARY ${library} PROGRAM ${case_PROGRAM} LABELS mpi ${case_LABELS}
    TIMEOUT ${case_TIMEOUT} ${serial}
    OPTIONS --ranks ${case_RANKS} --counter $<TARGET_FILE:count_calls-${library}>
      --schema ${PROJECT_SOURCE_DIR}/reporters/trace/format/trace.schema.json
      --expect ${CMAKE_CURRENT_SOURCE_DIR}/${case_EXPECT}.expected.py ${case_OPTIONS}
    ARGUMENTS ${case_ARGUMENTS})
  set_tests_properties(${library}.${test} PROPERTIES PROCESSORS ${case_RANKS})
endfunction()
