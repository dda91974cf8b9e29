// Messages of each kind, each told in a file as the program knows it: what a receive from any source has got it reads
// off the message itself. A line for each operation, in the order of the starts:
//   direction communicator rank-of-the-other-one tag type elements function
// with ranks of MPI_COMM_WORLD; communicators that the program makes are counted.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__) && !defined(__clang__)
// MPICH's MPI_STATUSES_IGNORE is an address at which gcc knows no array.
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

enum { most = 20000, threads = 8 };
struct operation {
  int is_told;  // else it did not take place
  int is_sent, communicator, peer, tag, elements;
  const char *type, *called;
};
static struct operation told[most];
static int number, me, size;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

enum { world = -1, self = -2 };

static struct operation* tell(int is_sent, int communicator, int peer, int tag) {
  pthread_mutex_lock(&lock);
  struct operation* const one = &told[number++];
  pthread_mutex_unlock(&lock);
  *one = (struct operation){1, is_sent, communicator, peer, tag, 3, "MPI_INT", ""};
  return one;
}
static struct operation* sends(const char* called, int communicator, int peer, int tag) {
  struct operation* const one = tell(1, communicator, peer, tag);
  one->called = called;
  return one;
}
static struct operation* receives(const char* called, int communicator, int peer, int tag) {
  struct operation* const one = tell(0, communicator, peer, tag);
  one->called = called;
  return one;
}
/// A message says who has sent it, with which tag.
struct message {
  int source, tag, more;
};
static struct message of(int tag) { return (struct message){me, tag, 0}; }
/// Of a receive from any source, or with any tag.
static void got(struct operation* one, const struct message* message) {
  one->peer = message->source;
  one->tag = message->tag;
}

static void exchange(MPI_Comm communicator, int which, int times) {
  int rank;
  MPI_Comm_rank(communicator, &rank);
  MPI_Group members, all;
  MPI_Comm_group(communicator, &members);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  int count;
  MPI_Comm_size(communicator, &count);
  int next[2] = {(rank + 1) % count, (rank + count - 1) % count}, of_world[2];
  MPI_Group_translate_ranks(members, 2, next, all, of_world);
  MPI_Group_free(&members);
  MPI_Group_free(&all);
  for (int i = 0; i < times; ++i) {
    struct message in[2], out = of(3);
    MPI_Request requests[3];
    receives("MPI_Irecv", which, of_world[1], 3);
    MPI_Irecv(&in[0], 3, MPI_INT, next[1], 3, communicator, &requests[0]);
    struct operation* const any = receives("MPI_Irecv", which, -1, 4);
    MPI_Irecv(&in[1], 3, MPI_INT, MPI_ANY_SOURCE, 4, communicator, &requests[1]);
    sends("MPI_Isend", which, of_world[0], 3);
    MPI_Isend(&out, 3, MPI_INT, next[0], 3, communicator, &requests[2]);
    struct message other = of(4);
    sends(i % 2 ? "MPI_Ssend" : "MPI_Send", which, of_world[0], 4);
    if (i % 2) {
      MPI_Ssend(&other, 3, MPI_INT, next[0], 4, communicator);
    } else {
      MPI_Send(&other, 3, MPI_INT, next[0], 4, communicator);
    }
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    got(any, &in[1]);
  }
}

/// Sends `count` messages to rank 0, whatever it does with them.
static void feed(int tag, int count) {
  for (int i = 0; i < count; ++i) {
    const struct message message = of(tag);
    sends("MPI_Send", world, 0, tag);
    MPI_Send(&message, 3, MPI_INT, 0, tag, MPI_COMM_WORLD);
  }
}

/// Receives from anybody, complete in any order, and such from one process that compete with them.
static void compete(int way) {
  const int tag = 20 + way;
  // The last one sends so many that the others cannot take all of them.
  if (me != 0) {
    feed(tag, me == size - 1 ? 2 * (size - 1) : 2);
  } else {
    enum { most_requests = 32 };
    MPI_Request requests[most_requests];
    struct message in[most_requests];
    struct operation* ones[most_requests];
    int count = 0;
    for (int i = 1; i < size; ++i, count += 2) {
      // One from anybody, then one from the last process.
      ones[count] = receives("MPI_Irecv", world, -1, tag);
      MPI_Irecv(&in[count], 3, MPI_INT, MPI_ANY_SOURCE, way % 2 ? MPI_ANY_TAG : tag, MPI_COMM_WORLD, &requests[count]);
      const int from = i == size - 1 ? size - 1 : MPI_ANY_SOURCE;
      ones[count + 1] = receives("MPI_Irecv", world, from, tag);
      MPI_Irecv(&in[count + 1], 3, MPI_INT, from, tag, MPI_COMM_WORLD, &requests[count + 1]);
    }
    int left = count;
    int done[most_requests], completed, flag, index;
    while (left > 0) {
      switch (way / 2) {
        case 0:
          for (int i = count; i-- > 0; --left) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
          break;
        case 1:
          MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);
          --left;
          break;
        case 2:
          MPI_Waitsome(count, requests, &completed, done, MPI_STATUSES_IGNORE);
          left -= completed;
          break;
        case 3:
          MPI_Testsome(count, requests, &completed, done, MPI_STATUSES_IGNORE);
          left -= completed;
          break;
        case 4:
          MPI_Testany(count, requests, &index, &flag, MPI_STATUS_IGNORE);
          left -= flag && index != MPI_UNDEFINED;
          break;
        case 5:
          MPI_Testall(count, requests, &flag, MPI_STATUSES_IGNORE);
          if (flag) left = 0;
          break;
        default:
          for (int i = 0; i < count; ++i) {
            if (requests[i] == MPI_REQUEST_NULL) continue;
            MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
            left -= flag;
          }
      }
    }
    for (int i = 0; i < count; ++i) got(ones[i], &in[i]);
    for (int i = 0; i < 2 * (size - 2); ++i) {
      struct operation* const one = receives("MPI_Recv", world, -1, tag);
      MPI_Recv(&in[0], 3, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      got(one, &in[0]);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void blocking(void) {
  struct message in, out = of(40);
  if (me != 0) {
    feed(40, 3);
  } else {
    for (int i = 0; i < 3 * (size - 1); ++i) {
      MPI_Status status;
      struct operation* const one = receives("MPI_Recv", world, -1, 40);
      MPI_Recv(&in, 3, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, i % 2 ? &status : MPI_STATUS_IGNORE);
      got(one, &in);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const int right = (me + 1) % size, left = (me + size - 1) % size;
  sends("MPI_Sendrecv", world, right, 41);
  struct operation* one = receives("MPI_Sendrecv", world, left, 41);
  out.tag = 41;
  MPI_Sendrecv(&out, 3, MPI_INT, right, 41, &in, 3, MPI_INT, MPI_ANY_SOURCE, 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  got(one, &in);
  sends("MPI_Sendrecv_replace", world, right, 42);
  receives("MPI_Sendrecv_replace", world, left, 42);
  MPI_Sendrecv_replace(&out, 3, MPI_INT, right, 42, left, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // Nobody is there.
  MPI_Sendrecv(&out, 3, MPI_INT, MPI_PROC_NULL, 1, &in, 3, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Send(&out, 3, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
}

static void persistent(void) {
  const int right = (me + 1) % size;
  struct message in[2], out[2] = {of(50), of(51)};
  MPI_Request requests[4];
  MPI_Recv_init(&in[0], 3, MPI_INT, MPI_ANY_SOURCE, 50, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(&out[0], 3, MPI_INT, right, 50, MPI_COMM_WORLD, &requests[1]);
  MPI_Recv_init(&in[1], 3, MPI_INT, (me + size - 1) % size, 51, MPI_COMM_WORLD, &requests[2]);
  MPI_Ssend_init(&out[1], 3, MPI_INT, right, 51, MPI_COMM_WORLD, &requests[3]);
  for (int i = 0; i < 10; ++i) {
    struct operation* const any = receives("MPI_Startall", world, -1, 50);
    sends("MPI_Startall", world, right, 50);
    receives("MPI_Startall", world, (me + size - 1) % size, 51);
    MPI_Startall(3, requests);
    sends("MPI_Start", world, right, 51);
    MPI_Start(&requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    got(any, &in[0]);
  }
  for (int i = 0; i < 4; ++i) MPI_Request_free(&requests[i]);
}

/// A matched probe takes its place when it returns a message; one that is received in between comes after it.
static void matched(void) {
  if (me == 1) {
    feed(60, 4);
  } else if (me == 0) {
    struct message in[4];
    MPI_Message messages[2];
    MPI_Request request;
    receives("MPI_Mrecv", world, 1, 60);
    MPI_Mprobe(MPI_ANY_SOURCE, 60, MPI_COMM_WORLD, &messages[0], MPI_STATUS_IGNORE);
    receives("MPI_Imrecv", world, 1, 60);
    for (int flag = 0; !flag;) MPI_Improbe(1, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &messages[1], MPI_STATUS_IGNORE);
    receives("MPI_Recv", world, 1, 60);
    MPI_Recv(&in[2], 3, MPI_INT, 1, 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Imrecv(&in[1], 3, MPI_INT, &messages[1], &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Mrecv(&in[0], 3, MPI_INT, &messages[0], MPI_STATUS_IGNORE);
    MPI_Probe(1, 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    receives("MPI_Irecv", world, 1, 60);
    MPI_Irecv(&in[3], 3, MPI_INT, 1, 60, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/// What is cancelled has no place.
static void cancelled(void) {
  struct message in;
  MPI_Request request;
  MPI_Irecv(&in, 3, MPI_INT, MPI_ANY_SOURCE, 70, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  // Of one from a process the plugin does not look at the status: it says that it does not know.
  MPI_Irecv(&in, 3, MPI_INT, (me + 1) % size, 71, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 1) feed(70, 1);
  if (me == 0) {
    receives("MPI_Recv", world, 1, 70);
    MPI_Recv(&in, 3, MPI_INT, 1, 70, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void* send_in_thread(void* argument) {
  const int thread = (int)(size_t)argument;
  const int right = (me + 1) % size, left = (me + size - 1) % size;
  for (int i = 0; i < 50; ++i) {
    struct message in, out = of(100 + thread);
    MPI_Request request;
    receives("MPI_Irecv", world, left, 100 + thread);
    MPI_Irecv(&in, 3, MPI_INT, left, 100 + thread, MPI_COMM_WORLD, &request);
    sends("MPI_Send", world, right, 100 + thread);
    MPI_Send(&out, 3, MPI_INT, right, 100 + thread, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    // All threads in one channel.
    out = of(99);
    receives("MPI_Irecv", world, left, 99);
    MPI_Irecv(&in, 3, MPI_INT, left, 99, MPI_COMM_WORLD, &request);
    struct operation* const one = sends("MPI_Send", world, right, 99);
    one->elements = 1 + i % 3;
    MPI_Send(&out, one->elements, MPI_INT, right, 99, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  return NULL;
}

/// Open MPI 6.0.0rc2 does so in one of three runs of what follows, without ddtscope, too.
static int hangs_with_threads(void) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(version, &length);
  return strncmp(version, "Open MPI v6.0.0rc2", 18) == 0;
}

static void with_threads(void) {
  pthread_t all[threads];
  for (size_t i = 0; i < threads; ++i) pthread_create(&all[i], NULL, send_in_thread, (void*)i);
  for (int i = 0; i < threads; ++i) pthread_join(all[i], NULL);
}

static void write_told(const char* stem) {
  char name[4096];
  snprintf(name, sizeof name, "%s.%d", stem, me);
  FILE* const file = fopen(name, "w");
  for (int i = 0; i < number; ++i) {
    const struct operation* const one = &told[i];
    fprintf(file, "%s %d %d %d %s %d %s\n", one->is_sent ? "send" : "receive", one->communicator, one->peer, one->tag,
            one->type, one->elements, one->called);
  }
  fclose(file);
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm reversed, copy;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &reversed);
  exchange(MPI_COMM_WORLD, world, 20);
  exchange(reversed, 0, 7);
  MPI_Comm_dup(reversed, &copy);
  MPI_Comm_free(&reversed);
  exchange(copy, 1, 5);
  MPI_Comm_free(&copy);
  exchange(MPI_COMM_SELF, self, 2);
  for (int way = 0; way < 14; ++way) compete(way);
  blocking();
  persistent();
  matched();
  cancelled();
  if (provided == MPI_THREAD_MULTIPLE && !hangs_with_threads()) with_threads();
  write_told(argv[1]);
  MPI_Finalize();
  return 0;
}
