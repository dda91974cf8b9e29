# What is run under the plugin: add_case for a program and what its trace must say, add_script for all else.
set(runs ${CMAKE_BINARY_DIR}/testapps/runs)
list(JOIN DDTSCOPE_SANITIZE_RUNTIMES ":" sanitizer_preload)
set(test_environment "DDTSCOPE_TEST_PRELOAD=${sanitizer_preload}")
if(DDTSCOPE_TEST_COMMAND)  # which is not beside the plugin
  set(ddtscope_of_tests ${DDTSCOPE_TEST_COMMAND})
  list(APPEND test_environment DDTSCOPE_COMMAND=${DDTSCOPE_TEST_COMMAND})
else()
  set(ddtscope_of_tests ${CMAKE_BINARY_DIR}/bin/ddtscope)
endif()
if(DDTSCOPE_TEST_PATIENCE GREATER 1)
  list(APPEND test_environment DDTSCOPE_TEST_PATIENCE=${DDTSCOPE_TEST_PATIENCE})
endif()
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

# add_script(<test> <script> PROGRAM target-or-path [LIBRARY openmpi|mpich|mpi_abi] [LABELS ...] [TIMEOUT seconds]
#            [RANKS n] [MAY_SKIP] [SERIAL] [OPTIONS ...] [ARGUMENTS ...]): harness/script.py has what it is given. Programs
# of the standard ABI run on each library that is behind it: mpi_abi.<test> is mpi_abi-openmpi.<test> and mpi_abi-mpich.<test>.
function(add_script test script)
  cmake_parse_arguments(script "SERIAL;MAY_SKIP" "LIBRARY;PROGRAM;TIMEOUT;RANKS" "LABELS;OPTIONS;ARGUMENTS" ${ARGN})
  if(NOT script_LIBRARY STREQUAL mpi_abi)
    add_script_of(${test} ${script} "${script_LIBRARY}" ${ARGN})
    return()
  endif()
  foreach(implementation IN LISTS DDTSCOPE_MPI_ABI_BEHIND)
    string(REGEX REPLACE "^mpi_abi" "mpi_abi-${implementation}" name ${test})
    add_script_of(${name} ${script} ${implementation} ${ARGN})
  endforeach()
endfunction()

# add_script_of(<test> <script> <whose library runs> ...)
function(add_script_of test script implementation)
  cmake_parse_arguments(script "SERIAL;MAY_SKIP" "LIBRARY;PROGRAM;TIMEOUT;RANKS" "LABELS;OPTIONS;ARGUMENTS" ${ARGN})
  file_of(program ${script_PROGRAM})
  set(of_library "")
  set(polls OFF)
  set(slots ${script_RANKS})  # of those that run at once
  set(environment "${test_environment}")
  if(script_LIBRARY)
    string(TOUPPER ${implementation} upper)
    set(of_library --library ${implementation} --abi ${script_LIBRARY} --launcher ${DDTSCOPE_${upper}_RUN}
      --plugin ${CMAKE_BINARY_DIR}/lib/libddtscope-${script_LIBRARY}.so)
    # MPICH polls: two of its ranks want both processors of a small machine, and no other such job beside them. They begin
    # first, so that they are not all that is left in the end.
    if(implementation STREQUAL mpich AND script_RANKS GREATER 1)
      set(polls ON)
      set(slots 3)
    elseif(script_RANKS GREATER 3)  # Open MPI's ranks yield: two jobs of four run side by side
      math(EXPR slots "${script_RANKS} / 2")
    endif()
    if(script_LIBRARY STREQUAL mpi_abi)
      list(APPEND environment LD_LIBRARY_PATH=${DDTSCOPE_MPI_ABI_${upper}})
    endif()
  endif()
  if(NOT script_TIMEOUT)
    set(script_TIMEOUT 300)
  endif()
  math(EXPR script_TIMEOUT "${script_TIMEOUT} * ${DDTSCOPE_TEST_PATIENCE}")
  get_filename_component(script ${script} ABSOLUTE)
  add_test(NAME ${test} COMMAND ${Python3_EXECUTABLE} -B ${script} ${of_library}
    --ddtscope ${ddtscope_of_tests} --work ${runs}/${test} ${script_OPTIONS} -- ${program} ${script_ARGUMENTS})
  set_tests_properties(${test} PROPERTIES LABELS "${script_LABELS}" TIMEOUT ${script_TIMEOUT} ENVIRONMENT "${environment}")
  if(slots)
    set_tests_properties(${test} PROPERTIES PROCESSORS ${slots})
  endif()
  if(script_SERIAL)
    set_tests_properties(${test} PROPERTIES RUN_SERIAL ON)
  elseif(polls)
    set_tests_properties(${test} PROPERTIES RESOURCE_LOCK processors COST 1000)
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
  add_script(${library}.${test} ${harness}/run_case.py LIBRARY ${library} PROGRAM ${case_PROGRAM} LABELS mpi ${case_LABELS}
    TIMEOUT ${case_TIMEOUT} RANKS ${case_RANKS}
    OPTIONS --ranks ${case_RANKS} --counter $<TARGET_FILE:count_calls-${library}>
      --schema ${PROJECT_SOURCE_DIR}/reporters/trace/format/trace.schema.json
      --expect ${CMAKE_CURRENT_SOURCE_DIR}/${case_EXPECT}.expected.py ${case_OPTIONS}
    ARGUMENTS ${case_ARGUMENTS})
endfunction()

# add_pair_of_scripts(<library> <c> <fortran>): <c>.c under run_<c>.py, and <fortran>.F90 under run_<fortran>.py where there
# is a compiler of it
function(add_pair_of_scripts library c fortran)
  add_mpi_program(${library} ${c})
  add_script(${library}.${c} run_${c}.py LIBRARY ${library} PROGRAM ${c}-${library} LABELS mpi RANKS 2)
  string(TOUPPER ${library} upper)
  if(DDTSCOPE_${upper}_FORTRAN)
    add_fortran(${library} ${fortran} ${fortran}.F90)
    add_script(${library}.${fortran} run_${fortran}.py LIBRARY ${library}
      PROGRAM ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${fortran}-${library} LABELS mpi)
  endif()
endfunction()
