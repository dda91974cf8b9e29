// What the arguments of a wrapped function mean: the roles that a row of calls.def names.
#pragma once

#include <type_traits>

#include "decoder/definition/combiner.h"
#include "decoder/definition/definition.h"
#include "plugin/session/call_times.h"

namespace ddtscope::plugin {

// Roles. Positions count from 0; -1 where there is no such argument.
struct Begins {};         // starts MPI
struct Ends {};           // ends MPI
struct BeginsSession {};  // MPI_Session_init
struct EndsSession {};
struct Makes {  // a constructor
  Combiner combiner;
  Form form = Form::int_counts;
  int oldtype = -1;         // one old type
  int second_oldtype = -1;  // and another one
  int oldtypes = -1;        // an array of them
  int newtype;
  int length_scalar = 0;  // which scalar parameter is the length of the arrays
};
struct Commits {};  // datatype is argument 0
struct Frees {};
struct Names {};
struct Observes {  // takes a datatype
  int datatype;
};
struct HandsOut {  // two datatypes, the program's to free
  int first;
  int second;
};
struct Decodes {  // MPI_Type_get_contents
  int datatype;
  int max_datatypes;
  int datatypes;
};

/// By which its calls are told apart where they are timed.
template <class Role>
inline constexpr TimedRole timed_role = std::is_same_v<Role, Makes>     ? TimedRole::makes
                                        : std::is_same_v<Role, Commits> ? TimedRole::commits
                                        : std::is_same_v<Role, Frees>   ? TimedRole::frees
                                                                        : TimedRole::other;

template <class Role>
inline constexpr bool is_lifetime_role = std::is_same_v<Role, Begins> || std::is_same_v<Role, Ends> ||
                                         std::is_same_v<Role, BeginsSession> || std::is_same_v<Role, EndsSession>;

}  // namespace ddtscope::plugin
