set(DDTSCOPE_MPICH_SOURCES constant_handles.cpp mpich/library.cpp)
set(DDTSCOPE_MPICH_HANDLES_ARE_INTEGERS ON)
