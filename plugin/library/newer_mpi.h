// mpi.h, and what later versions of the MPI standard add to it: the library that a plugin meets in a process may be
// newer than the one that it was built with. Where mpi.h declares a function, too, the compiler compares the two.
#pragma once

#include <mpi.h>

#include <climits>

#ifndef MPI_SESSION_NULL
using MPI_Session = struct ddtscope_absent_session*;
#endif

extern "C" {
// MPI-4.0: sessions and large counts.
int PMPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session);
int PMPI_Session_finalize(MPI_Session* session);
int PMPI_Type_contiguous_c(MPI_Count count, MPI_Datatype oldtype, MPI_Datatype* newtype);
int PMPI_Type_vector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
                       MPI_Datatype* newtype);
int PMPI_Type_create_hvector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
                               MPI_Datatype* newtype);
int PMPI_Type_indexed_c(MPI_Count count, const MPI_Count blocklengths[], const MPI_Count displacements[],
                        MPI_Datatype oldtype, MPI_Datatype* newtype);
int PMPI_Type_create_hindexed_c(MPI_Count count, const MPI_Count blocklengths[], const MPI_Count displacements[],
                                MPI_Datatype oldtype, MPI_Datatype* newtype);
int PMPI_Type_create_indexed_block_c(MPI_Count count, MPI_Count blocklength, const MPI_Count displacements[],
                                     MPI_Datatype oldtype, MPI_Datatype* newtype);
int PMPI_Type_create_hindexed_block_c(MPI_Count count, MPI_Count blocklength, const MPI_Count displacements[],
                                      MPI_Datatype oldtype, MPI_Datatype* newtype);
int PMPI_Type_create_struct_c(MPI_Count count, const MPI_Count blocklengths[], const MPI_Count displacements[],
                              const MPI_Datatype types[], MPI_Datatype* newtype);
int PMPI_Type_create_subarray_c(int ndims, const MPI_Count sizes[], const MPI_Count subsizes[],
                                const MPI_Count starts[], int order, MPI_Datatype oldtype, MPI_Datatype* newtype);
int PMPI_Type_create_darray_c(int size, int rank, int ndims, const MPI_Count gsizes[], const int distribs[],
                              const int dargs[], const int psizes[], int order, MPI_Datatype oldtype,
                              MPI_Datatype* newtype);
int PMPI_Type_create_resized_c(MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype* newtype);
int PMPI_Type_size_c(MPI_Datatype datatype, MPI_Count* size);
int PMPI_Type_get_extent_c(MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent);
int PMPI_Type_get_true_extent_c(MPI_Datatype datatype, MPI_Count* true_lb, MPI_Count* true_extent);
int PMPI_Type_get_envelope_c(MPI_Datatype datatype, MPI_Count* num_integers, MPI_Count* num_addresses,
                             MPI_Count* num_large_counts, MPI_Count* num_datatypes, int* combiner);
int PMPI_Type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
                             MPI_Count max_large_counts, MPI_Count max_datatypes, int integers[], MPI_Aint addresses[],
                             MPI_Count large_counts[], MPI_Datatype datatypes[]);
// MPI-4.1
int PMPI_Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype* pair_type);
}

#ifndef DDTSCOPE_MPI_H_HAS_VALUE_INDEX
/// Both libraries put it behind the last one that they had.
inline constexpr int MPI_COMBINER_VALUE_INDEX = MPI_COMBINER_HINDEXED_BLOCK + 1;
#endif

// A class that no error has. The standard ABI's mpi.h has them all, as enumerators.
#ifndef DDTSCOPE_MPI_H_IS_STANDARD_ABI
#ifndef MPI_ERR_PROC_ABORTED
#define MPI_ERR_PROC_ABORTED INT_MIN
#endif
#ifndef MPI_ERR_SESSION
#define MPI_ERR_SESSION INT_MIN
#endif
#ifndef MPI_ERR_VALUE_TOO_LARGE
#define MPI_ERR_VALUE_TOO_LARGE INT_MIN
#endif
#ifndef MPI_ERR_ERRHANDLER
#define MPI_ERR_ERRHANDLER INT_MIN
#endif
#ifndef MPI_ERR_ABI
#define MPI_ERR_ABI INT_MIN
#endif
#endif
