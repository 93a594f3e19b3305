#include <cstring>
#include <tern/base/result.hpp>

namespace tern {

std::string_view to_string(Errc code) noexcept {
    switch (code) {
        case Errc::kInvalidArgument:
            return "invalid argument";
        case Errc::kNotFound:
            return "not found";
        case Errc::kAlreadyExists:
            return "already exists";
        case Errc::kPermissionDenied:
            return "permission denied";
        case Errc::kUnavailable:
            return "unavailable";
        case Errc::kTimedOut:
            return "timed out";
        case Errc::kProtocol:
            return "protocol error";
        case Errc::kTooLarge:
            return "too large";
        case Errc::kOutOfMemory:
            return "out of memory";
        case Errc::kServer:
            return "server error";
        case Errc::kOs:
            return "system error";
    }
    return "unknown error";
}

Error& Error::add_context(std::string_view context) & {
    message.insert(0, ": ").insert(0, context);
    return *this;
}

Error os_error_text(int os_errno, std::string message) {
    char text[128] = {};
    // The GNU form: returns a pointer that may or may not be the buffer.
    message.append(": ").append(::strerror_r(os_errno, text, sizeof text));
    const Errc code = os_errno == EACCES || os_errno == EPERM ? Errc::kPermissionDenied : Errc::kOs;
    return Error{code, std::move(message), os_errno};
}

}  // namespace tern
