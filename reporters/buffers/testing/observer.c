/* Stacks are walked by libunwind, which shares nothing with ddtscope's own way through the frames. */
#define _GNU_SOURCE
#include "reporters/buffers/testing/observer.h"

#define UNW_LOCAL_ONLY
#include <libunwind.h>
#include <link.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_frames = 32, most_routes = 64, reach = 256 };

struct frame {
  uintptr_t ip, sp, cfa;
  uintptr_t kept[6]; /* rbx, rbp, r12 to r15, as they are in the frame */
};
static const int numbers[6] = {3, 6, 12, 13, 14, 15}; /* of DWARF */
static const int registers[6] = {UNW_X86_64_RBX, UNW_X86_64_RBP, UNW_X86_64_R12,
                                 UNW_X86_64_R13, UNW_X86_64_R14, UNW_X86_64_R15};

struct module {
  uintptr_t base, begin, end, writable, end_of_writable;
  uintptr_t of_thread, end_of_thread;
};

static int first_module(struct dl_phdr_info* info, size_t size, void* result) {
  struct module* module = result;
  (void)size;
  module->base = info->dlpi_addr;
  module->of_thread = module->end_of_thread = (uintptr_t)info->dlpi_tls_data;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type == PT_TLS && module->of_thread != 0)
      module->end_of_thread = module->of_thread + info->dlpi_phdr[i].p_memsz;
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    const uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    const uintptr_t end = begin + info->dlpi_phdr[i].p_memsz;
    if (module->begin == 0 || begin < module->begin) module->begin = begin;
    if (end > module->end) module->end = end;
    if ((info->dlpi_phdr[i].p_flags & PF_W) != 0) {
      module->writable = begin;
      module->end_of_writable = end;
    }
  }
  return 1; /* the executable comes first */
}

static int walk(struct frame* frames) {
  unw_context_t context;
  unw_cursor_t cursor;
  unw_getcontext(&context);
  unw_init_local(&cursor, &context);
  int count = 0;
  uintptr_t* cfa_of_callee = NULL;
  while (unw_step(&cursor) > 0 && count < most_frames) {
    unw_word_t value = 0;
    unw_get_reg(&cursor, UNW_REG_SP, &value);
    if (cfa_of_callee != NULL) *cfa_of_callee = value;
    frames[count].sp = value;
    unw_get_reg(&cursor, UNW_REG_IP, &value);
    frames[count].ip = value;
    for (int i = 0; i < 6; ++i) {
      frames[count].kept[i] = unw_get_reg(&cursor, registers[i], &value) == 0 ? value : 0;
    }
    cfa_of_callee = &frames[count].cfa;
    ++count;
  }
  return count - 1; /* of the outermost one the CFA is not known */
}

static uintptr_t end_of_stack;
static size_t blocks_count;
static struct block { uintptr_t begin, end; } blocks[1024];

void* malloc_observed(size_t size);
void* malloc_observed(size_t size) {
  char* memory = malloc(size);
  memset(memory, 0, size);
  if (blocks_count < 1024)
    blocks[blocks_count++] = (struct block){(uintptr_t)memory, (uintptr_t)memory + malloc_usable_size(memory)};
  return memory;
}

static const struct block* block_of(uintptr_t address) {
  for (size_t i = 0; i < blocks_count; ++i) {
    if (address >= blocks[i].begin && address < blocks[i].end) return &blocks[i];
  }
  return NULL;
}

/* How a value leads to the address: 1 where it does. */
static int leads(uintptr_t value, uintptr_t address, const struct block* block, const struct module* module,
                 char* text) {
  const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  if (value == address) return strcpy(text, "null"), 1;
  if (block != NULL && value >= block->begin && value < address) {
    return sprintf(text, "null,%ld", (long)(address - value)), 1;
  }
  const struct block* const held = block_of(value);
  uintptr_t end = held != NULL                                    ? held->end
                  : value >= module->begin && value < module->end ? module->end
                  : value >= here && value < end_of_stack         ? end_of_stack
                                                                  : 0;
  if (end == 0 || value % 8 != 0) return 0;
  for (long k = 0; k < reach && value + (uintptr_t)k + 8 <= end; k += 8) {
    uintptr_t pointer;
    memcpy(&pointer, (const char*)value + k, sizeof pointer);
    if (pointer == address) return sprintf(text, "%ld", k), 1;
  }
  return 0;
}

static void print_heap(uintptr_t address, const struct frame* frames, int count, const struct module* module) {
  const struct block* const block = block_of(address);
  char text[64];
  int printed = 0;
  printf("\"heap\":{\"slots\":[");
  for (int f = 0; f < count; ++f) {
    for (uintptr_t slot = (frames[f].sp + 7) / 8 * 8; slot + 8 <= frames[f].cfa && printed < most_routes; slot += 8) {
      uintptr_t value;
      memcpy(&value, (const void*)slot, sizeof value);
      if (!leads(value, address, block, module, text)) continue;
      printf("%s[%d,%ld,%s]", printed++ == 0 ? "" : ",", f, (long)(slot - frames[f].cfa), text);
    }
  }
  printf("],\"registers\":[");
  printed = 0;
  for (int f = 0; f < count; ++f) {
    for (int i = 0; i < 6; ++i) {
      if (frames[f].kept[i] == 0 || !leads(frames[f].kept[i], address, block, module, text)) continue;
      printf("%s[%d,%d,%s]", printed++ == 0 ? "" : ",", f, numbers[i], text);
    }
  }
  printf("],\"statics\":[");
  printed = 0;
  for (uintptr_t at = (module->writable + 7) / 8 * 8; at + 8 <= module->end_of_writable; at += 8) {
    uintptr_t value;
    memcpy(&value, (const void*)at, sizeof value);
    const int is_own = at >= (uintptr_t)blocks && at < (uintptr_t)(blocks + 1024);
    if (is_own || printed >= most_routes || !leads(value, address, block, module, text)) continue;
    printf("%s[0,%lu,%s]", printed++ == 0 ? "" : ",", (unsigned long)(at - module->base), text);
  }
  printf("],\"arguments\":[],\"block\":");
  if (block == NULL) {
    printf("null}");
  } else {
    printf("[%ld,%ld]}", (long)(address - block->begin), (long)(block->end - block->begin));
  }
}

/* What holds the address in its own frame. */
static void print_held(uintptr_t address, const struct frame* frame, int f) {
  int printed = 0;
  printf(",\"held\":{\"slots\":[");
  for (uintptr_t slot = (frame->sp + 7) / 8 * 8; slot + 8 <= frame->cfa && printed < 4; slot += 8) {
    uintptr_t value;
    memcpy(&value, (const void*)slot, sizeof value);
    if (value == address) printf("%s[%d,%ld,null]", printed++ == 0 ? "" : ",", f, (long)(slot - frame->cfa));
  }
  printf("],\"registers\":[");
  printed = 0;
  for (int i = 0; i < 6; ++i) {
    if (frame->kept[i] == address) printf("%s[%d,%d,null]", printed++ == 0 ? "" : ",", f, numbers[i]);
  }
  printf("]}");
}

static void print_place(uintptr_t address, const struct frame* frames, int count, const struct module* module) {
  if (address >= module->begin && address < module->end) {
    printf("\"static\":[0,%lu]", (unsigned long)(address - module->base));
    return;
  }
  if (address >= module->of_thread && address < module->end_of_thread) {
    printf("\"thread\":[0,%lu]", (unsigned long)(address - module->of_thread));
    return;
  }
  for (int f = 0; f < count; ++f) {
    if (address < frames[f].sp || address >= frames[f].cfa) continue;
    printf("\"stack\":[%d,%ld],\"stack_pointer\":%ld", f, (long)(address - frames[f].cfa),
           (long)(frames[f].sp - frames[f].cfa));
    print_held(address, &frames[f], f);
    return;
  }
  print_heap(address, frames, count, module);
}

void observe(const void* buffer, const char* type, long elements, const char* name) {
  static int frames_written, buffers_written;
  struct frame frames[most_frames];
  memset(frames, 0, sizeof frames);
  struct module module = {0, 0, 0, 0, 0, 0, 0};
  dl_iterate_phdr(first_module, &module);
  const int count = walk(frames);
  if (count < 1) abort();
  end_of_stack = frames[count - 1].cfa;
  printf("{\"record\":\"frames\",\"first\":%d,\"parent\":null,\"frames\":[", frames_written);
  for (int f = count - 1; f >= 0; --f) {
    const uintptr_t at = frames[f].ip - 1;
    const int is_known = at >= module.begin && at < module.end;
    if (is_known) {
      printf("[0,%lu]%s", (unsigned long)(at - module.base), f == 0 ? "" : ",");
    } else {
      printf("[null,%lu]%s", (unsigned long)at, f == 0 ? "" : ",");
    }
  }
  frames_written += count;
  printf(
      "]}\n{\"record\":\"buffer\",\"id\":%d,\"type\":\"%s\",\"elements\":%ld,\"called\":\"MPI_Send\",\"binding\":\"c\","
      "\"argument\":\"datatype\",\"site\":%d,",
      buffers_written++, type, elements, frames_written - 1);
  print_place((uintptr_t)buffer, frames, count, &module);
  printf("}\n");
  fprintf(stderr, "%s %s %ld\n", name, type, elements);
}
