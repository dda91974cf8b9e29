// FOR TESTS ALONE. The part of the standard ABI (MPI-5.0 chapter 20 and annex A) that the plugin and the test programs
// use, for machines without a library that has it; nothing is installed that was compiled with it where a real one is
// there. header_test.py holds it against a real one.
#ifndef DDTSCOPE_PLAYED_ABI_MPI_H
#define DDTSCOPE_PLAYED_ABI_MPI_H

#include <stdint.h>

#define MPI_VERSION 5
#define MPI_SUBVERSION 0
#define MPI_ABI_VERSION 1
#define MPI_ABI_SUBVERSION 0

typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;
typedef int64_t MPI_Count;
typedef struct MPI_ABI_Comm* MPI_Comm;
typedef struct MPI_ABI_Datatype* MPI_Datatype;
typedef struct MPI_ABI_Errhandler* MPI_Errhandler;
typedef struct MPI_ABI_File* MPI_File;
typedef struct MPI_ABI_Group* MPI_Group;
typedef struct MPI_ABI_Info* MPI_Info;
typedef struct MPI_ABI_Message* MPI_Message;
typedef struct MPI_ABI_Op* MPI_Op;
typedef struct MPI_ABI_Request* MPI_Request;
typedef struct MPI_ABI_Session* MPI_Session;
typedef struct MPI_ABI_Win* MPI_Win;
typedef struct MPI_ABI_T_enum* MPI_T_enum;
typedef struct MPI_ABI_T_cvar_handle* MPI_T_cvar_handle;
typedef struct {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
  int MPI_internal[5];
} MPI_Status;
typedef int MPI_Comm_copy_attr_function(MPI_Comm, int, void*, void*, void*, int*);
typedef int MPI_Comm_delete_attr_function(MPI_Comm, int, void*, void*);
typedef int MPI_Type_copy_attr_function(MPI_Datatype, int, void*, void*, void*, int*);
typedef int MPI_Type_delete_attr_function(MPI_Datatype, int, void*, void*);

enum {
  MPI_SUCCESS = 0,
  MPI_ERR_BUFFER = 1,
  MPI_ERR_COUNT = 2,
  MPI_ERR_TYPE = 3,
  MPI_ERR_TAG = 4,
  MPI_ERR_COMM = 5,
  MPI_ERR_RANK = 6,
  MPI_ERR_REQUEST = 7,
  MPI_ERR_ROOT = 8,
  MPI_ERR_GROUP = 9,
  MPI_ERR_OP = 10,
  MPI_ERR_TOPOLOGY = 11,
  MPI_ERR_DIMS = 12,
  MPI_ERR_ARG = 13,
  MPI_ERR_UNKNOWN = 14,
  MPI_ERR_TRUNCATE = 15,
  MPI_ERR_OTHER = 16,
  MPI_ERR_INTERN = 17,
  MPI_ERR_PENDING = 18,
  MPI_ERR_IN_STATUS = 19,
  MPI_ERR_ACCESS = 20,
  MPI_ERR_AMODE = 21,
  MPI_ERR_ASSERT = 22,
  MPI_ERR_BAD_FILE = 23,
  MPI_ERR_BASE = 24,
  MPI_ERR_CONVERSION = 25,
  MPI_ERR_DISP = 26,
  MPI_ERR_DUP_DATAREP = 27,
  MPI_ERR_FILE_EXISTS = 28,
  MPI_ERR_FILE_IN_USE = 29,
  MPI_ERR_FILE = 30,
  MPI_ERR_INFO_KEY = 31,
  MPI_ERR_INFO_NOKEY = 32,
  MPI_ERR_INFO_VALUE = 33,
  MPI_ERR_INFO = 34,
  MPI_ERR_IO = 35,
  MPI_ERR_KEYVAL = 36,
  MPI_ERR_LOCKTYPE = 37,
  MPI_ERR_NAME = 38,
  MPI_ERR_NO_MEM = 39,
  MPI_ERR_NOT_SAME = 40,
  MPI_ERR_NO_SPACE = 41,
  MPI_ERR_NO_SUCH_FILE = 42,
  MPI_ERR_PORT = 43,
  MPI_ERR_QUOTA = 44,
  MPI_ERR_READ_ONLY = 45,
  MPI_ERR_RMA_ATTACH = 46,
  MPI_ERR_RMA_CONFLICT = 47,
  MPI_ERR_RMA_RANGE = 48,
  MPI_ERR_RMA_SHARED = 49,
  MPI_ERR_RMA_SYNC = 50,
  MPI_ERR_SERVICE = 51,
  MPI_ERR_SIZE = 52,
  MPI_ERR_SPAWN = 53,
  MPI_ERR_UNSUPPORTED_DATAREP = 54,
  MPI_ERR_UNSUPPORTED_OPERATION = 55,
  MPI_ERR_WIN = 56,
  MPI_ERR_RMA_FLAVOR = 57,
  MPI_ERR_PROC_ABORTED = 58,
  MPI_ERR_VALUE_TOO_LARGE = 59,
  MPI_ERR_SESSION = 60,
  MPI_ERR_ERRHANDLER = 61,
  MPI_ERR_ABI = 62
};
enum {
  MPI_COMBINER_NAMED = 101,
  MPI_COMBINER_DUP = 102,
  MPI_COMBINER_CONTIGUOUS = 103,
  MPI_COMBINER_VECTOR = 104,
  MPI_COMBINER_HVECTOR = 105,
  MPI_COMBINER_INDEXED = 106,
  MPI_COMBINER_HINDEXED = 107,
  MPI_COMBINER_INDEXED_BLOCK = 108,
  MPI_COMBINER_HINDEXED_BLOCK = 109,
  MPI_COMBINER_STRUCT = 110,
  MPI_COMBINER_SUBARRAY = 111,
  MPI_COMBINER_DARRAY = 112,
  MPI_COMBINER_F90_REAL = 113,
  MPI_COMBINER_F90_COMPLEX = 114,
  MPI_COMBINER_F90_INTEGER = 115,
  MPI_COMBINER_RESIZED = 116,
  MPI_COMBINER_VALUE_INDEX = 117
};
enum { MPI_ORDER_C = 12, MPI_ORDER_FORTRAN = 15 };
enum { MPI_DISTRIBUTE_NONE = 16, MPI_DISTRIBUTE_BLOCK = 17, MPI_DISTRIBUTE_CYCLIC = 18, MPI_DISTRIBUTE_DFLT_DARG = 19 };
enum { MPI_ANY_SOURCE = -1, MPI_ANY_TAG = -2, MPI_PROC_NULL = -3, MPI_ROOT = -4, MPI_UNDEFINED = -32766 };
enum { MPI_THREAD_SINGLE = 0, MPI_THREAD_FUNNELED = 1024, MPI_THREAD_SERIALIZED = 2048, MPI_THREAD_MULTIPLE = 4096 };
enum {
  MPI_MODE_APPEND = 1,
  MPI_MODE_CREATE = 2,
  MPI_MODE_DELETE_ON_CLOSE = 4,
  MPI_MODE_EXCL = 8,
  MPI_MODE_RDONLY = 16,
  MPI_MODE_RDWR = 32,
  MPI_MODE_SEQUENTIAL = 64,
  MPI_MODE_UNIQUE_OPEN = 128,
  MPI_MODE_WRONLY = 256
};
#define MPI_DISPLACEMENT_CURRENT ((MPI_Offset)-1)
enum {
  MPI_MODE_NOCHECK = 1024,
  MPI_MODE_NOPRECEDE = 2048,
  MPI_MODE_NOPUT = 4096,
  MPI_MODE_NOSTORE = 8192,
  MPI_MODE_NOSUCCEED = 16384
};
enum { MPI_LOCK_EXCLUSIVE = 301, MPI_LOCK_SHARED = 302 };
enum { MPI_CART = 211, MPI_GRAPH = 212, MPI_DIST_GRAPH = 213 };
enum { MPI_SEEK_CUR = 401, MPI_SEEK_END = 402, MPI_SEEK_SET = 403 };
enum { MPI_KEYVAL_INVALID = 0 };
enum { MPI_T_BIND_NO_OBJECT = 1 };

#define MPI_MAX_DATAREP_STRING 128
#define MPI_MAX_ERROR_STRING 512
#define MPI_MAX_LIBRARY_VERSION_STRING 8192
#define MPI_MAX_OBJECT_NAME 128
#define MPI_MAX_PROCESSOR_NAME 256

#define MPI_BOTTOM ((void*)0)
#define MPI_IN_PLACE ((void*)1)
#define MPI_STATUS_IGNORE ((MPI_Status*)0)
#define MPI_STATUSES_IGNORE ((MPI_Status*)0)
#define MPI_COMM_NULL_COPY_FN ((MPI_Comm_copy_attr_function*)0)
#define MPI_COMM_DUP_FN ((MPI_Comm_copy_attr_function*)1)
#define MPI_COMM_NULL_DELETE_FN ((MPI_Comm_delete_attr_function*)0)
#define MPI_TYPE_NULL_COPY_FN ((MPI_Type_copy_attr_function*)0)
#define MPI_TYPE_DUP_FN ((MPI_Type_copy_attr_function*)1)
#define MPI_TYPE_NULL_DELETE_FN ((MPI_Type_delete_attr_function*)0)

#define MPI_COMM_NULL ((MPI_Comm)256)
#define MPI_COMM_WORLD ((MPI_Comm)257)
#define MPI_COMM_SELF ((MPI_Comm)258)
#define MPI_ERRORS_ARE_FATAL ((MPI_Errhandler)321)
#define MPI_ERRORS_RETURN ((MPI_Errhandler)323)
#define MPI_INFO_NULL ((MPI_Info)304)
#define MPI_SUM ((MPI_Op)33)
#define MPI_MIN ((MPI_Op)34)
#define MPI_MAX ((MPI_Op)35)
#define MPI_PROD ((MPI_Op)36)
#define MPI_BAND ((MPI_Op)40)
#define MPI_BOR ((MPI_Op)41)
#define MPI_BXOR ((MPI_Op)42)
#define MPI_LAND ((MPI_Op)48)
#define MPI_LOR ((MPI_Op)49)
#define MPI_LXOR ((MPI_Op)50)
#define MPI_MINLOC ((MPI_Op)56)
#define MPI_MAXLOC ((MPI_Op)57)
#define MPI_REPLACE ((MPI_Op)60)
#define MPI_NO_OP ((MPI_Op)61)
#define MPI_MESSAGE_NO_PROC ((MPI_Message)297)
#define MPI_REQUEST_NULL ((MPI_Request)384)
#define MPI_FILE_NULL ((MPI_File)280)
#define MPI_SESSION_NULL ((MPI_Session)288)

#define MPI_DATATYPE_NULL ((MPI_Datatype)512)
#define MPI_AINT ((MPI_Datatype)513)
#define MPI_COUNT ((MPI_Datatype)514)
#define MPI_OFFSET ((MPI_Datatype)515)
#define MPI_PACKED ((MPI_Datatype)519)
#define MPI_SHORT ((MPI_Datatype)520)
#define MPI_INT ((MPI_Datatype)521)
#define MPI_LONG ((MPI_Datatype)522)
#define MPI_LONG_LONG_INT ((MPI_Datatype)523)
#define MPI_LONG_LONG ((MPI_Datatype)523)
#define MPI_UNSIGNED_SHORT ((MPI_Datatype)524)
#define MPI_UNSIGNED ((MPI_Datatype)525)
#define MPI_UNSIGNED_LONG ((MPI_Datatype)526)
#define MPI_UNSIGNED_LONG_LONG ((MPI_Datatype)527)
#define MPI_FLOAT ((MPI_Datatype)528)
#define MPI_C_COMPLEX ((MPI_Datatype)530)
#define MPI_C_FLOAT_COMPLEX ((MPI_Datatype)530)
#define MPI_CXX_FLOAT_COMPLEX ((MPI_Datatype)531)
#define MPI_DOUBLE ((MPI_Datatype)532)
#define MPI_C_DOUBLE_COMPLEX ((MPI_Datatype)534)
#define MPI_CXX_DOUBLE_COMPLEX ((MPI_Datatype)535)
#define MPI_LOGICAL ((MPI_Datatype)536)
#define MPI_INTEGER ((MPI_Datatype)537)
#define MPI_REAL ((MPI_Datatype)538)
#define MPI_COMPLEX ((MPI_Datatype)539)
#define MPI_DOUBLE_PRECISION ((MPI_Datatype)540)
#define MPI_DOUBLE_COMPLEX ((MPI_Datatype)541)
#define MPI_CHARACTER ((MPI_Datatype)542)
#define MPI_LONG_DOUBLE ((MPI_Datatype)544)
#define MPI_C_LONG_DOUBLE_COMPLEX ((MPI_Datatype)548)
#define MPI_CXX_LONG_DOUBLE_COMPLEX ((MPI_Datatype)549)
#define MPI_FLOAT_INT ((MPI_Datatype)552)
#define MPI_DOUBLE_INT ((MPI_Datatype)553)
#define MPI_LONG_INT ((MPI_Datatype)554)
#define MPI_2INT ((MPI_Datatype)555)
#define MPI_SHORT_INT ((MPI_Datatype)556)
#define MPI_LONG_DOUBLE_INT ((MPI_Datatype)557)
#define MPI_2REAL ((MPI_Datatype)560)
#define MPI_2DOUBLE_PRECISION ((MPI_Datatype)561)
#define MPI_2INTEGER ((MPI_Datatype)562)
#define MPI_C_BOOL ((MPI_Datatype)568)
#define MPI_CXX_BOOL ((MPI_Datatype)569)
#define MPI_WCHAR ((MPI_Datatype)572)
#define MPI_INT8_T ((MPI_Datatype)576)
#define MPI_UINT8_T ((MPI_Datatype)577)
#define MPI_CHAR ((MPI_Datatype)579)
#define MPI_SIGNED_CHAR ((MPI_Datatype)580)
#define MPI_UNSIGNED_CHAR ((MPI_Datatype)581)
#define MPI_BYTE ((MPI_Datatype)583)
#define MPI_INT16_T ((MPI_Datatype)584)
#define MPI_UINT16_T ((MPI_Datatype)585)
#define MPI_INT32_T ((MPI_Datatype)592)
#define MPI_UINT32_T ((MPI_Datatype)593)
#define MPI_INT64_T ((MPI_Datatype)600)
#define MPI_UINT64_T ((MPI_Datatype)601)
#define MPI_LOGICAL1 ((MPI_Datatype)704)
#define MPI_INTEGER1 ((MPI_Datatype)705)
#define MPI_LOGICAL2 ((MPI_Datatype)712)
#define MPI_INTEGER2 ((MPI_Datatype)713)
#define MPI_REAL2 ((MPI_Datatype)714)
#define MPI_LOGICAL4 ((MPI_Datatype)720)
#define MPI_INTEGER4 ((MPI_Datatype)721)
#define MPI_REAL4 ((MPI_Datatype)722)
#define MPI_COMPLEX4 ((MPI_Datatype)723)
#define MPI_LOGICAL8 ((MPI_Datatype)728)
#define MPI_INTEGER8 ((MPI_Datatype)729)
#define MPI_REAL8 ((MPI_Datatype)730)
#define MPI_COMPLEX8 ((MPI_Datatype)731)
#define MPI_LOGICAL16 ((MPI_Datatype)736)
#define MPI_INTEGER16 ((MPI_Datatype)737)
#define MPI_REAL16 ((MPI_Datatype)738)
#define MPI_COMPLEX16 ((MPI_Datatype)739)
#define MPI_COMPLEX32 ((MPI_Datatype)747)

#ifdef __cplusplus
extern "C" {
#endif
#define DDTSCOPE_ABI_FUNCTION(n, result, name, ...) \
  result MPI_##name(__VA_ARGS__);                   \
  result PMPI_##name(__VA_ARGS__);
#include "functions.def"
#undef DDTSCOPE_ABI_FUNCTION
#ifdef __cplusplus
}
#endif
#endif
