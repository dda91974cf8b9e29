/* Structs of all kinds, of which ddtscope writes the datatypes (run_struct_code.py). */
#ifndef STRUCTS_H
#define STRUCTS_H
#include <stddef.h>
#include <stdint.h>

struct plain { /* the two gaps are padding */
  char tag;
  double x[3];
  int id;
};

typedef struct { /* a name by typedef alone */
  int32_t code;
  uint8_t flag;
  float complex_parts[2][3];
} unnamed;

struct inner {
  short s;
  long l;
};

struct nested {
  struct inner one;
  struct inner many[4];
  struct {
    unsigned u;
    signed char c[2];
  } within[2];
  struct {
    float beside;
  };
  unnamed table[2][2];
};

enum colour { red, green };

struct various {
  _Bool yes;
  enum colour colour;
  unsigned bits : 3;
  unsigned more : 7;
  union {
    double d;
    int i;
  } either;
  const long long wide;
  double* elsewhere; /* is left out */
  long double longest;
  struct inner* other;
  unsigned short last;
  char rest[]; /* is left out */
};

struct large { /* lengths that compilers write in one byte, and in two */
  double a[200];
  short b[40000];
  char last;
};

/* Names that the functions have, too: of their variables, and of those for what is inside. */
typedef struct {
  double x[3];
  int id;
} type;
typedef struct {
  char c;
  long l;
} types;
typedef struct {
  char c;
  int i;
} places;
typedef struct {
  struct inner first[2];
  int last;
} type1;

typedef double row[4];
struct rows {
  row of[3];
  int n;
};
#endif
