# The writer runs inside the MPI job: it links the decoder and nothing else.
add_library(ddtscope_trace_writer STATIC
  ${CMAKE_CURRENT_LIST_DIR}/json_line.cpp ${CMAKE_CURRENT_LIST_DIR}/writer.cpp)
target_link_libraries(ddtscope_trace_writer PRIVATE ddtscope_flags PUBLIC ddtscope_decoder)

if(DDTSCOPE_TESTS)
  find_package(nlohmann_json REQUIRED)
  include(GoogleTest)
  add_executable(trace_writer_tests ${CMAKE_CURRENT_LIST_DIR}/json_line_test.cpp)
  target_link_libraries(trace_writer_tests PRIVATE ddtscope_flags ddtscope_trace_writer nlohmann_json::nlohmann_json GTest::gtest_main)
  gtest_discover_tests(trace_writer_tests PROPERTIES LABELS unit)
endif()
