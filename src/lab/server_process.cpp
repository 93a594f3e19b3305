#include "lab/server_process.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "base/unique_fd.hpp"
#include "transport/endpoint.hpp"
#include "transport/socket.hpp"

namespace tern::lab {

namespace {

constexpr int kPollMs = 10;

/// True when whoever listens there answers PING.
bool answers_ping(const transport::Endpoint& endpoint) {
    constexpr int kConnectTimeoutMs = 200;
    constexpr int kAnswerTimeoutMs = 1000;
    Result<UniqueFd> socket = transport::connect_to(endpoint, kConnectTimeoutMs);
    if (!socket) {
        return false;
    }
    static_cast<void>(transport::send(socket->get(), as_bytes("PING\r\n")));
    pollfd waiting{socket->get(), POLLIN, 0};
    std::byte answer[64];
    return ::poll(&waiting, 1, kAnswerTimeoutMs) == 1 &&
           transport::receive(socket->get(), answer).transferred_bytes != 0;
}

std::string end_of_file(const std::string& path) {
    constexpr std::size_t kTailBytes = 600;
    std::ifstream file(path);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    return text.size() > kTailBytes ? text.substr(text.size() - kTailBytes) : text;
}

[[noreturn]] void run_child(const ServerProcess::Options& options, pid_t parent) {
    // A server does not outlive the lab that started it, however that ends.
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) {
        ::_exit(0);  // it ended before we asked to be told
    }
    const int log =
        ::open(options.log_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (log >= 0) {
        ::dup2(log, STDOUT_FILENO);
        ::dup2(log, STDERR_FILENO);
    }
    if (options.core >= 0) {
        cpu_set_t cores;
        CPU_ZERO(&cores);
        CPU_SET(static_cast<unsigned>(options.core), &cores);
        ::sched_setaffinity(0, sizeof cores, &cores);
    }
    std::vector<char*> argv;
    argv.reserve(options.command.size() + 1);
    for (const std::string& word : options.command) {
        argv.push_back(const_cast<char*>(word.c_str()));
    }
    argv.push_back(nullptr);
    ::execvp(argv[0], argv.data());
    constexpr int kCannotExecute = 127;
    ::_exit(kCannotExecute);
}

}  // namespace

Result<ServerProcess> ServerProcess::start(const Options& options) {
    Result<transport::Endpoint> endpoint = transport::parse_endpoint(options.ready_endpoint);
    if (!endpoint) {
        return std::move(endpoint).error();
    }
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0) {
        return os_error(errno, "start {}", options.command.front());
    }
    if (pid == 0) {
        run_child(options, parent);
    }
    ServerProcess process(pid);
    for (int waited_ms = 0; waited_ms < options.ready_timeout_ms; waited_ms += kPollMs) {
        int status = 0;
        if (::waitpid(pid, &status, WNOHANG) == pid) {
            process.pid_ = -1;
            return error(Errc::kUnavailable,
                         "{} ended before it served: {}",
                         options.command.front(),
                         end_of_file(options.log_path));
        }
        if (answers_ping(*endpoint)) {
            return process;
        }
        ::poll(nullptr, 0, kPollMs);
    }
    return error(Errc::kTimedOut,
                 "{} did not answer on {} within {} ms",
                 options.command.front(),
                 options.ready_endpoint,
                 options.ready_timeout_ms);
}

ServerProcess::ServerProcess(ServerProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)) {}

ServerProcess::~ServerProcess() {
    if (pid_ < 0) {
        return;
    }
    constexpr int kPatienceMs = 2000;
    ::kill(pid_, SIGTERM);
    for (int waited_ms = 0; waited_ms < kPatienceMs; waited_ms += kPollMs) {
        if (::waitpid(pid_, nullptr, WNOHANG) != 0) {
            return;
        }
        ::poll(nullptr, 0, kPollMs);
    }
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

std::int64_t ServerProcess::cpu_time_us() const {
    std::ifstream file("/proc/" + std::to_string(pid_) + "/stat");
    std::string text{std::istreambuf_iterator<char>(file), {}};
    // After the name in parentheses, which may hold spaces: state is field 3, utime 14, stime 15.
    std::istringstream fields(text.substr(std::min(text.rfind(')') + 2, text.size())));
    constexpr int kFieldsBeforeUtime = 11;
    std::string skipped;
    for (int i = 0; i < kFieldsBeforeUtime; ++i) {
        fields >> skipped;
    }
    std::int64_t user = 0;
    std::int64_t system = 0;
    fields >> user >> system;
    constexpr std::int64_t kMicroseconds = 1'000'000;
    return (user + system) * kMicroseconds / ::sysconf(_SC_CLK_TCK);
}

std::int64_t ServerProcess::resident_bytes() const {
    std::ifstream file("/proc/" + std::to_string(pid_) + "/statm");
    std::int64_t total_pages = 0;
    std::int64_t resident_pages = 0;
    file >> total_pages >> resident_pages;
    return resident_pages * ::sysconf(_SC_PAGESIZE);
}

Result<int> free_tcp_port() {
    const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket.get(), generic, length) != 0 ||
        ::getsockname(socket.get(), generic, &length) != 0) {
        return os_error(errno, "find a free port of 127.0.0.1");
    }
    return ntohs(address.sin_port);
}

}  // namespace tern::lab
