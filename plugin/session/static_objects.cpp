// The plugin's last act, at the end of the process, comes after the destructors of static objects: of what exit calls,
// the loader is the last, and in it each library's own functions. So no static object of the plugin is ever destroyed.

/// Whom the compiler asks for a destructor at exit, in the plugin and in what is linked into it (C++ ABI 3.3.6.3). A
/// function of the plugin's own, which nobody else finds.
extern "C" __attribute__((visibility("hidden"), used)) int destroy_nothing_at_exit(void (*)(void*), void*,
                                                                                   void*) __asm__("__cxa_atexit");
extern "C" int destroy_nothing_at_exit(void (* /*destructor*/)(void*), void* /*object*/, void* /*library*/) {
  return 0;
}
