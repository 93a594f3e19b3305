#include <cstdio>
#include <tern/client/client.hpp>

int main(int count, char** words) {
    auto client = tern::Client::connect({.endpoint = count > 1 ? words[1] : "tcp:127.0.0.1:6379"});
    if (!client || !client->set("greeting", "hello")) {
        return 1;  // client.error().message says why
    }
    const auto value = client->get("greeting");
    std::printf("%.*s\n", static_cast<int>(value->size()), value->data());
}
