# What tests need and a machine may lack. Each part is tried, not looked up by name alone, and what its absence costs is
# said in a line.

# without(<what is lacking> <tests>...)
function(without what)
  list(JOIN ARGN ", " tests)
  message(STATUS "Not tested: ${tests} (there is no ${what})")
endfunction()

# links_with(<variable> <source> <standard> <include folders> <libraries>): whether a program can be built so.
function(links_with variable source standard include_dirs libraries)
  if(DEFINED ${variable})
    return()
  endif()
  try_compile(links ${CMAKE_CURRENT_BINARY_DIR}/probes/${variable} SOURCES ${source}
    CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${include_dirs}"
    LINK_LIBRARIES ${libraries}
    CXX_STANDARD ${standard} CXX_STANDARD_REQUIRED ON)
  set(${variable} ${links} CACHE INTERNAL "whether ${source} can be built")
endfunction()

# DDTSCOPE_<LIBRARY>_CXX: what programs of the C++ bindings link; empty where the library has none. They left the
# standard with MPI-3.
function(find_cxx_bindings library library_name)
  string(TOUPPER ${library} upper)
  set(DDTSCOPE_${upper}_CXX "" PARENT_SCOPE)
  find_library(DDTSCOPE_${upper}_CXX_LINK ${library_name} HINTS ${DDTSCOPE_${upper}_LIBRARY_DIRS}
    DOC "C++ bindings of ${library}")
  if(DDTSCOPE_${upper}_CXX_LINK)
    links_with(DDTSCOPE_${upper}_CXX_WORKS ${PROJECT_SOURCE_DIR}/testapps/languages/cxx_bindings.cpp 14
      "${DDTSCOPE_${upper}_INCLUDE_DIRS}" "${DDTSCOPE_${upper}_CXX_LINK};${DDTSCOPE_${upper}_LINK}")
    if(DDTSCOPE_${upper}_CXX_WORKS)
      set(DDTSCOPE_${upper}_CXX ${DDTSCOPE_${upper}_CXX_LINK} PARENT_SCOPE)
    endif()
  endif()
endfunction()

# DDTSCOPE_<LIBRARY>_FORTRAN: the compiler wrapper, where it compiles a program of each module; else empty.
# DDTSCOPE_<LIBRARY>_FORTRAN_LARGE_COUNTS: whether its mpi_f08 has them.
function(find_fortran library)
  string(TOUPPER ${library} upper)
  set(DDTSCOPE_${upper}_FORTRAN "" PARENT_SCOPE)
  find_program(DDTSCOPE_${upper}_FORTRAN_WRAPPER NAMES mpifort.${library} mpif90.${library}
    DOC "Fortran compiler wrapper of ${library}")
  if(NOT DDTSCOPE_${upper}_FORTRAN_WRAPPER)
    return()
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/probes/fortran-${library})
  file(MAKE_DIRECTORY ${folder})
  if(NOT DEFINED DDTSCOPE_${upper}_FORTRAN_WORKS)
    # Modules are for one compiler: another than theirs, or another version, cannot read them.
    set(works ON)
    foreach(way IN ITEMS "use mpi" "use mpi_f08")
      file(WRITE ${folder}/probe.f90 "program probe\n${way}\nimplicit none\ninteger :: error\ncall MPI_Init(error)\nend program\n")
      execute_process(COMMAND ${DDTSCOPE_${upper}_FORTRAN_WRAPPER} -o probe probe.f90 WORKING_DIRECTORY ${folder}
        RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
      if(NOT status EQUAL 0)
        message(STATUS "${library}: a program that says `${way}` cannot be compiled: ${said}")
        set(works OFF)
      endif()
    endforeach()
    set(DDTSCOPE_${upper}_FORTRAN_WORKS ${works} CACHE INTERNAL "whether ${library}'s Fortran modules can be used")
  endif()
  if(DDTSCOPE_${upper}_FORTRAN_WORKS)
    set(DDTSCOPE_${upper}_FORTRAN ${DDTSCOPE_${upper}_FORTRAN_WRAPPER} PARENT_SCOPE)
  endif()
  if(DDTSCOPE_${upper}_FORTRAN_WORKS AND NOT DEFINED DDTSCOPE_${upper}_FORTRAN_LARGE_COUNTS)
    file(WRITE ${folder}/large.f90 "program large\nuse mpi_f08\nimplicit none\ntype(MPI_Datatype) :: t\n"
      "integer(MPI_COUNT_KIND) :: n = 1\ncall MPI_Type_contiguous(n, MPI_INTEGER, t)\nend program\n")
    execute_process(COMMAND ${DDTSCOPE_${upper}_FORTRAN_WRAPPER} -o large large.f90 WORKING_DIRECTORY ${folder}
      RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    set(has OFF)
    if(status EQUAL 0)
      set(has ON)
    endif()
    set(DDTSCOPE_${upper}_FORTRAN_LARGE_COUNTS ${has} CACHE INTERNAL "whether ${library}'s mpi_f08 has large counts")
  endif()
endfunction()

# fortran_of_<library>: the libraries of Fortran's procedures
function(find_fortran_procedures library)
  string(TOUPPER ${library} upper)
  set(names_of_openmpi mpi_usempif08 mpi_mpifh)
  set(names_of_mpich mpichfort)
  set(found "")
  foreach(name IN LISTS names_of_${library})
    find_library(DDTSCOPE_${upper}_LINK_${name} ${name} HINTS ${DDTSCOPE_${upper}_LIBRARY_DIRS})
    if(DDTSCOPE_${upper}_LINK_${name})
      list(APPEND found ${DDTSCOPE_${upper}_LINK_${name}})
    endif()
  endforeach()
  set(fortran_of_${library} ${found} PARENT_SCOPE)
endfunction()

# add_fortran(<library> <program> <source> [<flag>...]): as a user compiles, by the library's own wrapper, which alone knows where its
# modules are.
function(add_fortran library program source)
  string(TOUPPER ${library} upper)
  set(executable ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${program}-${library})
  set(defines "")
  if(DDTSCOPE_${upper}_FORTRAN_LARGE_COUNTS)
    list(APPEND defines -DLARGE_COUNTS)
  endif()
  if(library STREQUAL openmpi)
    list(APPEND defines -DLOOKS_FOR_FREED)
  endif()
  get_filename_component(name ${source} NAME_WE)
  file(GLOB included ${CMAKE_CURRENT_SOURCE_DIR}/${name}.inc)
  add_custom_command(OUTPUT ${executable}
    COMMAND ${DDTSCOPE_${upper}_FORTRAN} ${defines} -g -O1 ${ARGN} -o ${executable} ${CMAKE_CURRENT_SOURCE_DIR}/${source}
    DEPENDS ${source} ${included} VERBATIM)
  add_custom_target(build_${program}-${library} ALL DEPENDS ${executable})
endfunction()

# is_linked_to(<variable> <library file> <pattern>): whether it needs a library whose name matches.
function(is_linked_to variable file pattern)
  execute_process(COMMAND ${CMAKE_READELF} -d ${file} OUTPUT_VARIABLE dynamic ERROR_QUIET)
  if(dynamic MATCHES "NEEDED[^\n]*\\[${pattern}")
    set(${variable} ON PARENT_SCOPE)
  else()
    set(${variable} OFF PARENT_SCOPE)
  endif()
endfunction()
