set(DDTSCOPE_OPENMPI_SOURCES openmpi/library.cpp)
