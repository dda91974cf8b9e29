# How a test program is built for an MPI library. The programs stand for a user's own: without the project's hidden
# visibility, its sanitizers or its optimisation. They call what newer headers call deprecated, too: it is in use.
set(warnings -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wno-deprecated-declarations $<$<BOOL:${DDTSCOPE_WERROR}>:-Werror>)
set(harness ${CMAKE_CURRENT_LIST_DIR})

# as_a_users(<target>): compiled as a user's C or C++ is
function(as_a_users target)
  target_compile_options(${target} PRIVATE ${warnings} -g)
  target_include_directories(${target} PRIVATE ${harness})
  set_target_properties(${target} PROPERTIES C_EXTENSIONS ON)
endfunction()

# with_mpi(<library> <target> [<what stands before the MPI library>...])
function(with_mpi library target)
  string(TOUPPER ${library} upper)
  target_link_libraries(${target} PRIVATE ${ARGN} ddtscope::mpi-${library} ${DDTSCOPE_${upper}_LINK} Threads::Threads ${CMAKE_DL_LIBS})
  if(DDTSCOPE_${upper}_HAS_LARGE_COUNTS)
    target_compile_definitions(${target} PRIVATE HAS_LARGE_COUNTS)
  endif()
  if(NOT library STREQUAL mpi_abi)  # which has none, nor what MPI-3.0 removed
    target_compile_definitions(${target} PRIVATE HAS_FORTRAN)
  endif()
endfunction()

# add_mpi_program(<library> <program> [<what stands before the MPI library>...]): of <program>.c
function(add_mpi_program library program)
  add_executable(${program}-${library} ${program}.c)
  as_a_users(${program}-${library})
  with_mpi(${library} ${program}-${library} ${ARGN})
endfunction()

# add_preloaded(<library> <module>): of <module>.c, which finds the MPI library of the program that it is preloaded into
function(add_preloaded library module)
  add_library(${module}-${library} SHARED ${module}.c)
  as_a_users(${module}-${library})
  target_link_libraries(${module}-${library} PRIVATE ddtscope::mpi-${library})
endfunction()

# add_mpi_module(<library> <module>): of <module>.c, to be opened or linked
function(add_mpi_module library module)
  add_library(${module}-${library} SHARED ${module}.c)
  as_a_users(${module}-${library})
  with_mpi(${library} ${module}-${library})
  set_target_properties(${module}-${library} PROPERTIES C_VISIBILITY_PRESET default)
endfunction()
