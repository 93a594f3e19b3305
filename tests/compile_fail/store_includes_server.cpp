// The store knows nothing of the server: its include folders do not reach up.
#include <tern/base/result.hpp>

#ifdef TERN_MUST_FAIL
    #include "server/session.hpp"
#endif

int main() {}
