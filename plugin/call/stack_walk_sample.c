// A module for stack_walk_test.cpp: built with several sizes of ROOM, its code is the same but for that number.
void call_with_room(void (*function)(void*), void* argument);

__attribute__((visibility("default"))) void call_with_room(void (*function)(void*), void* argument) {
  char room[ROOM];
  __asm__ volatile("" : : "r"(room) : "memory");  // all of it is needed
  function(argument);
  __asm__ volatile("" : : "r"(room) : "memory");
}
