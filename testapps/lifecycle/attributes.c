// Attributes of types whose callbacks make and free types, inside MPI_Type_free, MPI_Type_dup and MPI_Finalize.
#include "testapp.h"

static MPI_Datatype cached = MPI_DATATYPE_NULL;
static MPI_Datatype made_in_callback = MPI_DATATYPE_NULL;
static int refuses = 0;

// No type may be made here of the one that is being freed: both libraries end the program that tries.
static int deleted(MPI_Datatype type, int keyval, void* value, void* extra) {
  (void)keyval, (void)value, (void)extra;
  int size;
  CHECK(MPI_Type_size(type, &size));
  printf("delete callback of a type of %d bytes\n", size);
  if (refuses) return MPI_ERR_OTHER;
  if (cached != MPI_DATATYPE_NULL) CHECK(MPI_Type_free(&cached));
  MPI_Datatype passing;
  CHECK(MPI_Type_contiguous(21, MPI_CHAR, &passing));
  CHECK(MPI_Type_commit(&passing));
  CHECK(MPI_Type_free(&passing));
  if (made_in_callback == MPI_DATATYPE_NULL) CHECK(MPI_Type_vector(2, 1, 3, MPI_INT, &made_in_callback));
  return MPI_SUCCESS;
}

static int copied(MPI_Datatype type, int keyval, void* extra, void* value, void* copy, int* flag) {
  (void)keyval, (void)extra;
  MPI_Datatype passing;
  CHECK(MPI_Type_contiguous(22, type, &passing));
  CHECK(MPI_Type_free(&passing));
  *(void**)copy = value;
  *flag = 1;
  return MPI_SUCCESS;
}

static int make_at_the_end(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)comm, (void)keyval, (void)value, (void)extra;
  MPI_Datatype late;
  CHECK(MPI_Type_contiguous(23, MPI_INT, &late));
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv));
  int keyval, keyval_of_self;
  CHECK(MPI_Type_create_keyval(copied, deleted, &keyval, NULL));
  CHECK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, make_at_the_end, &keyval_of_self, NULL));
  CHECK(MPI_Comm_set_attr(MPI_COMM_SELF, keyval_of_self, NULL));

  CHECK(MPI_Type_contiguous(5, MPI_DOUBLE, &cached));
  MPI_Datatype type, copy;
  CHECK(MPI_Type_contiguous(3, MPI_INT, &type));
  CHECK(MPI_Type_set_attr(type, keyval, NULL));
  CHECK(MPI_Type_dup(type, &copy));

  // What a callback that refuses means for the free is the library's to say.
  MPI_Datatype kept;
  CHECK(MPI_Type_contiguous(4, MPI_INT, &kept));
  CHECK(MPI_Type_set_attr(kept, keyval, NULL));
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  refuses = 1;
  int status = MPI_Type_free(&kept), class;
  MPI_Error_class(status, &class);
  printf("free refused: %d, class %d, handle null: %d\n", status != MPI_SUCCESS, class, kept == MPI_DATATYPE_NULL);
  refuses = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);

  CHECK(MPI_Type_free(&type));
  CHECK(MPI_Type_free(&copy));
  CHECK(MPI_Type_commit(&made_in_callback));
  print_bounds("made in the callback", made_in_callback);
  CHECK(MPI_Type_free(&made_in_callback));
  CHECK(MPI_Finalize());
  return 0;
}
