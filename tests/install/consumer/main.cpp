#include <cstdio>
#include <tern/client/client.hpp>

int main(int /*count*/, char** arguments) {
    auto client = tern::Client::connect({.endpoint = arguments[1]});
    if (!client) {
        std::fprintf(stderr, "%s\n", client.error().message.c_str());
        return 1;
    }
    return client->ping() ? 0 : 2;
}
