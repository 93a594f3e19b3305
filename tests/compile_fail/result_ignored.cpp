// A result that is dropped is an error at compile time.
#include <tern/base/result.hpp>

tern::Result<int> answer();

tern::Result<int> answer() {
    return 42;
}

int main() {
#ifdef TERN_MUST_FAIL
    answer();
#else
    return answer() ? 0 : 1;
#endif
}
