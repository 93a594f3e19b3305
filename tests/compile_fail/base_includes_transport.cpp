// base is at the bottom.
#include "base/byte_sink.hpp"

#ifdef TERN_MUST_FAIL
    #include "transport/endpoint.hpp"
#endif

int main() {}
