// A tool builder's program, in C11 against an installed libddtscope: it decodes a type as a debugger would, copies data
// by its blocks as a checkpoint library would, allocates a gather's buffer, checks a message, and lints.
#include <ddtscope.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ddtscope_context* context;

#define CHECK(call)                                                                       \
  do {                                                                                    \
    const int status = (call);                                                            \
    if (status != DDTSCOPE_SUCCESS) {                                                     \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, ddtscope_error_name(status), \
              ddtscope_error_message(context));                                           \
      exit(1);                                                                            \
    }                                                                                     \
  } while (0)

#define EXPECT(condition)                                                     \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

typedef struct particle {
  double position[3];
  int charge;
  char kind;
} particle;

static ddtscope_datatype named(const char* name) {
  ddtscope_datatype type;
  CHECK(ddtscope_predefined(context, name, &type));
  return type;
}

static ddtscope_datatype particle_type(void) {
  const int blocklengths[] = {3, 1, 1};
  const int64_t displacements[] = {offsetof(particle, position), offsetof(particle, charge), offsetof(particle, kind)};
  const ddtscope_datatype types[] = {named("MPI_DOUBLE"), named("MPI_INT"), named("MPI_CHAR")};
  ddtscope_datatype type;
  CHECK(ddtscope_type_create_struct(context, 3, blocklengths, displacements, types, &type));
  CHECK(ddtscope_type_set_name(context, type, "particle"));
  return type;
}

// The decoding loop of MPI-4.1 5.1.13, and the way back.
static void decode(ddtscope_datatype type, ddtscope_datatype expected_child) {
  int ni, na, nd, combiner;
  CHECK(ddtscope_type_get_envelope(context, type, &ni, &na, &nd, &combiner));
  EXPECT(strcmp(ddtscope_combiner_name(combiner), "MPI_COMBINER_STRUCT") == 0);
  int* integers = calloc((size_t)ni, sizeof *integers);
  int64_t* addresses = calloc((size_t)na, sizeof *addresses);
  ddtscope_datatype* datatypes = calloc((size_t)nd, sizeof *datatypes);
  EXPECT(integers && addresses && datatypes);
  CHECK(ddtscope_type_get_contents(context, type, ni, na, nd, integers, addresses, datatypes));
  EXPECT(integers[0] == 3 && datatypes[0] == expected_child);
  ddtscope_datatype again;
  CHECK(ddtscope_type_from_contents(context, combiner, ni, na, 0, nd, integers, addresses, NULL, datatypes, &again));
  EXPECT(again == type);
  free(integers), free(addresses), free(datatypes);

  // The accessors of 1995 say the same with one call.
  int64_t count, blocklengths[3], displacements[3];
  ddtscope_datatype types[3];
  CHECK(ddtscope_type_count(context, type, &count));
  EXPECT(count == 3);
  CHECK(ddtscope_type_elements(context, type, &count, &combiner, blocklengths, displacements, types));
  EXPECT(combiner == DDTSCOPE_STRUCT && blocklengths[0] == 3 && types[0] == expected_child);
}

// Packs by the blocks: what MPI_Pack does between equal machines.
static size_t pack(const void* buffer, int64_t count, ddtscope_datatype type, char* packed) {
  size_t done = 0;
  int64_t next = 0;
  for (;;) {
    ddtscope_block blocks[16];
    size_t number;
    CHECK(ddtscope_get_blocks(context, type, DDTSCOPE_RULE_STANDARD, count, ddtscope_integer_of(next), 16, blocks,
                              &number));
    for (size_t i = 0; i < number; ++i) {
      memcpy(packed + done, (const char*)buffer + blocks[i].displacement, (size_t)blocks[i].length);
      done += (size_t)blocks[i].length;
    }
    next += (int64_t)number;
    if (number < 16) return done;
  }
}

static void pack_column(void) {
  double matrix[40][7];
  for (int row = 0; row < 40; ++row) {
    for (int column = 0; column < 7; ++column) matrix[row][column] = row * 100 + column;
  }
  ddtscope_datatype column, resized;
  CHECK(ddtscope_type_vector(context, 40, 1, 7, named("MPI_DOUBLE"), &column));
  CHECK(ddtscope_type_create_resized(context, column, 0, sizeof(double), &resized));
  double packed[80];
  EXPECT(pack(&matrix[0][2], 2, resized, (char*)packed) == sizeof packed);
  for (int row = 0; row < 40; ++row) EXPECT(packed[row] == row * 100 + 2 && packed[40 + row] == row * 100 + 3);

  // A buffer that an intermediate process of a gather needs for two columns: not 2 * extent.
  ddtscope_integer first, length;
  CHECK(ddtscope_get_span(context, resized, DDTSCOPE_RULE_STANDARD, 2, &first, &length));
  EXPECT(ddtscope_to_count(first) == 0 && ddtscope_to_count(length) == (39 * 7 + 2) * (int64_t)sizeof(double));

  ddtscope_overlap overlap;
  CHECK(ddtscope_get_overlap(context, resized, DDTSCOPE_RULE_STANDARD, 8, &overlap));
  EXPECT(overlap.within == DDTSCOPE_NO && overlap.of_count == DDTSCOPE_YES);
  EXPECT(ddtscope_to_count(overlap.nearest_copies) == 7);
}

static void check_message(ddtscope_datatype type) {
  const ddtscope_datatype bytes = named("MPI_BYTE");
  ddtscope_match match;
  CHECK(ddtscope_get_match(context, type, 4, type, 9, DDTSCOPE_RULE_STANDARD, &match));
  EXPECT(match.is_allowed && match.result == DDTSCOPE_MATCH_RECEIVE_LONGER);
  CHECK(ddtscope_get_match(context, type, 4, bytes, 1000, DDTSCOPE_RULE_STANDARD, &match));
  EXPECT(!match.is_allowed && match.result == DDTSCOPE_MATCH_BYTES_AND_TYPES);
  EXPECT(match.has_difference && ddtscope_to_count(match.entry) == 0 && strcmp(match.send_type, "MPI_DOUBLE") == 0);
}

static void ask_where_a_byte_belongs(ddtscope_datatype type) {
  ddtscope_covering covering;
  const int64_t byte = 2 * (int64_t)sizeof(particle) + (int64_t)offsetof(particle, charge) + 1;
  CHECK(ddtscope_find_byte(context, type, DDTSCOPE_RULE_STANDARD, 5, byte, &covering));
  EXPECT(covering.is_covered == DDTSCOPE_YES && strcmp(covering.basic_type, "MPI_INT") == 0);
  EXPECT(ddtscope_to_count(covering.copy) == 2 && ddtscope_to_count(covering.in_entry) == 1);
  char path[100];
  size_t length;
  CHECK(ddtscope_path_text(context, type, covering.entry, path, sizeof path, &length));
  EXPECT(length < sizeof path && strcmp(path, "particle member 1 > MPI_INT") == 0);
}

static void cross_the_wire_as_text(ddtscope_datatype type) {
  size_t length;
  CHECK(ddtscope_bnf_text(context, type, NULL, NULL, NULL, 0, &length));
  char* text = malloc(length + 1);
  EXPECT(text != NULL);
  CHECK(ddtscope_bnf_text(context, type, NULL, NULL, text, length + 1, NULL));
  ddtscope_context* other = NULL;
  ddtscope_datatype there;
  uint64_t here_key, there_key;
  CHECK(ddtscope_context_create(&other));
  EXPECT(ddtscope_bnf_parse(other, text, length, &there, NULL) == DDTSCOPE_SUCCESS);
  CHECK(ddtscope_type_get_key(context, type, &here_key));
  EXPECT(ddtscope_type_get_key(other, there, &there_key) == DDTSCOPE_SUCCESS && here_key == there_key);
  // A handle of another context is refused, and so is one of a context that is gone.
  EXPECT(ddtscope_type_get_key(context, there, &there_key) == DDTSCOPE_ERR_TYPE);
  CHECK(ddtscope_context_free(&other));
  EXPECT(ddtscope_type_get_key(context, there, &there_key) == DDTSCOPE_ERR_TYPE);
  free(text);
}

static void compare_libraries(void) {
  const int ones[] = {1, 1};
  const int64_t at[] = {0, 12};
  ddtscope_datatype type;
  CHECK(ddtscope_type_create_hindexed(context, 2, ones, at, named("MPI_DOUBLE"), &type));
  for (int rule = DDTSCOPE_RULE_STANDARD; rule <= DDTSCOPE_RULE_MPICH; ++rule) {
    ddtscope_bounds bounds;
    CHECK(ddtscope_get_bounds(context, type, rule, &bounds));
    printf("%s: extent %d\n", ddtscope_rule_version(rule), ddtscope_to_int(bounds.extent));
  }
}

// What a linter would tell of a matrix column whose stride was counted in bytes.
static void lint(void) {
  ddtscope_datatype column;
  CHECK(ddtscope_type_create_hvector(context, 40, 2, 8, named("MPI_DOUBLE"), &column));
  size_t number;
  CHECK(ddtscope_get_findings(context, column, DDTSCOPE_RULE_STANDARD, 0, NULL, &number));
  ddtscope_finding* findings = calloc(number, sizeof *findings);
  EXPECT(number > 0 && findings != NULL);
  CHECK(ddtscope_get_findings(context, column, DDTSCOPE_RULE_STANDARD, number, findings, &number));
  for (size_t i = 0; i < number; ++i) {
    printf("%s: %s: %s\n", ddtscope_severity_name(findings[i].severity), findings[i].kind->id, findings[i].message);
    EXPECT(ddtscope_find_finding_kind(findings[i].kind->id) == findings[i].kind);
  }
  free(findings);

  ddtscope_portability portability;
  CHECK(ddtscope_get_portability(context, column, &portability, 0, NULL, &number));
  EXPECT(portability.is_portable && number == 0);

  // One that can be said more simply.
  ddtscope_datatype rows, normal, contiguous;
  char text[60];
  CHECK(ddtscope_type_vector(context, 3, 7, 7, named("MPI_DOUBLE"), &rows));
  CHECK(ddtscope_simpler_text(context, rows, DDTSCOPE_RULE_STANDARD, text, sizeof text, NULL));
  EXPECT(strcmp(text, "MPI_Type_contiguous(21, MPI_DOUBLE)") == 0);
  CHECK(ddtscope_type_normal_form(context, rows, DDTSCOPE_RULE_STANDARD, &normal));
  CHECK(ddtscope_type_contiguous(context, 21, named("MPI_DOUBLE"), &contiguous));
  EXPECT(normal == contiguous);
}

static void make_mistakes(void) {
  ddtscope_datatype type = DDTSCOPE_DATATYPE_NULL;
  EXPECT(ddtscope_type_contiguous(context, -4, named("MPI_INT"), &type) == DDTSCOPE_ERR_COUNT);
  printf("%s\n", ddtscope_error_message(context));
  EXPECT(ddtscope_type_contiguous(NULL, 4, named("MPI_INT"), &type) == DDTSCOPE_ERR_ARG);
  EXPECT(type == DDTSCOPE_DATATYPE_NULL);
}

int main(void) {
  EXPECT(ddtscope_context_create(&context) == DDTSCOPE_SUCCESS);
  const ddtscope_datatype particles = particle_type();
  ddtscope_bounds bounds;
  CHECK(ddtscope_get_bounds(context, particles, DDTSCOPE_RULE_STANDARD, &bounds));
  EXPECT(ddtscope_to_count(bounds.extent) == (int64_t)sizeof(particle));
  decode(particles, named("MPI_DOUBLE"));
  pack_column();
  check_message(particles);
  ask_where_a_byte_belongs(particles);
  cross_the_wire_as_text(particles);
  compare_libraries();
  lint();
  make_mistakes();
  EXPECT(ddtscope_context_free(&context) == DDTSCOPE_SUCCESS && context == NULL);
  printf("version %s\n", ddtscope_version());
  return 0;
}
