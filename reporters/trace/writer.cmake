# The writer runs inside the MPI job: it links the decoder and nothing else.
add_library(ddtscope_trace_writer STATIC
  ${CMAKE_CURRENT_LIST_DIR}/json_line.cpp ${CMAKE_CURRENT_LIST_DIR}/writer.cpp)
target_link_libraries(ddtscope_trace_writer PRIVATE ddtscope_flags PUBLIC ddtscope_decoder)
