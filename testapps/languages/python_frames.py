"""Types that Python makes and uses: by mpi4py, or by ctypes where that is for another library. The comments name the
lines that the trace must tell.

    python_frames.py mpi4py
    python_frames.py LIBRARY FILE
"""
import ctypes
import sys
import threading


class Ctypes:
    """By the library's file. The calls are made without the interpreter's lock."""

    def __init__(self, library, file):
        ctypes.CDLL(file, mode=ctypes.RTLD_GLOBAL)
        self.mpi = ctypes.CDLL(None)  # what is preloaded comes first
        is_openmpi = library == "openmpi"
        self.handle = ctypes.c_void_p if is_openmpi else ctypes.c_int
        self.int = self.constant("ompi_mpi_int") if is_openmpi else self.handle(0x4C000405)
        self.self = self.constant("ompi_mpi_comm_self") if is_openmpi else self.handle(0x44000001)
        self.mpi.MPI_Init(None, None)
        self.finish = self.mpi.MPI_Finalize

    def constant(self, name):
        return self.handle(ctypes.addressof(ctypes.c_char.in_dll(self.mpi, name)))

    def vector(self, count):
        newtype = self.handle()
        self.mpi.MPI_Type_vector(count, 1, 2, self.int, ctypes.byref(newtype))  # by ctypes
        self.mpi.MPI_Type_commit(ctypes.byref(newtype))
        return newtype

    def pack(self, newtype):
        source, target, position = (ctypes.c_int * 256)(), (ctypes.c_char * 1024)(), ctypes.c_int(0)
        self.mpi.MPI_Pack(source, 1, newtype, target, 1024, ctypes.byref(position), self.self)


class Mpi4py:
    def __init__(self):
        from mpi4py import MPI
        self.mpi = MPI
        self.finish = MPI.Finalize

    def vector(self, count):
        return self.mpi.INT.Create_vector(count, 1, 2).Commit()  # mpi4py

    def pack(self, newtype):
        newtype.Pack(bytearray(1024), bytearray(1024), 0, self.mpi.COMM_SELF)


mpi = Mpi4py() if sys.argv[1] == "mpi4py" else Ctypes(*sys.argv[1:])


def edge():
    first = mpi.vector(3)  # edge, first
    second = mpi.vector(3)  # edge, second
    return first, second


class Grid:
    def cells(self):
        for _ in range(2):
            yield mpi.vector(5)  # generator


def down(depth):
    if depth != 0:
        return down(depth - 1)  # down
    return mpi.vector(7)  # deep


def called_back(a, b):
    mpi.vector(9)  # called back
    return a - b


def callback():
    numbers = (ctypes.c_int * 2)(2, 1)
    compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int)(called_back)
    ctypes.CDLL(None).qsort(numbers, 2, 4, compare)  # sort


def in_thread():
    mpi.vector(11)  # thread


for _ in range(3):
    edge()  # loop
for cell in Grid().cells():  # cells
    mpi.pack(cell)  # pack
down(100)  # down from here
callback()  # callback from here
thread = threading.Thread(target=in_thread)
thread.start()
thread.join()
exec(compile("mpi.vector(13)", "not_a_file\u00e9<b>.py", "exec"))  # exec
mpi.finish()
