// The plugin's last act, at the end of the process, comes after the destructors of static objects: of what exit calls, the
// loader is the last, and in it each library's own functions. So no static object of the plugin is ever destroyed.
extern "C" {
/// Whom the compiler asks for a destructor at exit, in the plugin and in what is linked into it (C++ ABI 3.3.6.3).
__attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*) noexcept;
int __cxa_atexit(void (*)(void*), void*, void*) noexcept { return 0; }
}
