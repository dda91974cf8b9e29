# A room is a folder of a house (decoder, plugin) with one purpose and a target of its own; it may use the rooms that were
# added before it, and no others: ci/layers.

# begin_house(<house> [<what all its rooms use>...]): its tests are <house>_tests
function(begin_house house)
  set_property(GLOBAL PROPERTY rooms_of_${house})
  set_property(GLOBAL PROPERTY uses_of_${house} ${ARGN})
  if(DDTSCOPE_TESTS)
    add_executable(${house}_tests)
  endif()
endfunction()

# add_room(<house> <room> SOURCES <file>... [TESTS <file>...])
function(add_room house room)
  cmake_parse_arguments(room "" "" "SOURCES;TESTS" ${ARGN})
  set(target ddtscope_${house}_${room})
  add_library(${target} STATIC ${room_SOURCES})
  get_property(above GLOBAL PROPERTY rooms_of_${house})
  get_property(uses GLOBAL PROPERTY uses_of_${house})
  target_link_libraries(${target} PRIVATE ddtscope_flags PUBLIC ${above} ${uses})
  set_property(GLOBAL PROPERTY rooms_of_${house} ${target} ${above})
  if(DDTSCOPE_TESTS)
    target_sources(${house}_tests PRIVATE ${room_TESTS})
  endif()
endfunction()
