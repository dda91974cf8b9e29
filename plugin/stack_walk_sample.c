// A module for stack_walk_test.cpp: built with several sizes of ROOM, its code is the same but for that number.
void call_with_room(void (*function)(void*), void* argument);

__attribute__((visibility("default"))) void call_with_room(void (*function)(void*), void* argument) {
  volatile char room[ROOM];
  room[0] = 0;
  function(argument);
  room[1] = 0;
}
