// A libunwind that is not the one that the plugin was built beside. VARIANT says what is the matter with it.
#include <errno.h>
#include <execinfo.h>
#include <stdint.h>
#include <stdlib.h>

#define OTHER_LAYOUT 0
#define WITHOUT_BACKTRACE 1
#define NONSENSE 2
#define NOTHING 3
#define BEYOND 4
#define IN_THE_CALL 5

#if VARIANT != WITHOUT_BACKTRACE
__attribute__((visibility("default"))) int unw_backtrace(void** frames, int size) {
  errno = ENOENT;  // as where it looks for files of debug information
  switch (VARIANT) {
    case NONSENSE:
      for (int i = 0; i < size; ++i) frames[i] = (void*)(uintptr_t)(i + 1);
      return size;
    case NOTHING:
      return 0;
    case BEYOND:  // says that it has found more than there is room for
      return backtrace(frames, size) + 1000;
    case IN_THE_CALL: {  // as 1.6 for arm64
      const int found = backtrace(frames, size);
      for (int i = 0; i < found; ++i) frames[i] = (char*)frames[i] - 1;
      return found;
    }
    default:
      return backtrace(frames, size);
  }
}
#endif

// What libunwind has for tools, whose structures differ from version to version: nobody may call them unless he knows
// which ones these are.
#define DANGEROUS(name) \
  __attribute__((visibility("default"))) void name(void) { abort(); }
DANGEROUS(_Ux86_64_get_accessors)
DANGEROUS(_Ux86_64_create_addr_space)
DANGEROUS(_Ux86_64_init_remote)
DANGEROUS(_Ux86_64_init_local)
DANGEROUS(_ULx86_64_init_local)
DANGEROUS(_Ux86_64_step)
DANGEROUS(_ULx86_64_step)
DANGEROUS(_Ux86_64_get_reg)
DANGEROUS(_ULx86_64_get_reg)
