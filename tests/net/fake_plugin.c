/* A plug-in that opens nothing, for the test of the loader: the build says which version and name it pretends to. */
#include "net/net.h"

#ifdef FAKE_NAME
extern const struct sup_net_plugin exported __asm__("sup_net_plugin");
__attribute__((visibility("default")))
const struct sup_net_plugin exported = {.abi = FAKE_ABI, .name = FAKE_NAME, .library_version = "none"};
#else
extern int nothing;
int nothing;
#endif
