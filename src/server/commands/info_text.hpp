#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>

#include "server/server.hpp"

namespace tern::server {

/// The text of INFO under construction.
class InfoText {
public:
    explicit InfoText(Server& owner) noexcept : server(owner) {}

    /// Begins a section.
    void section(std::string_view name) {
        text_ += text_.empty() ? "" : "\r\n";
        fmt::format_to(std::back_inserter(text_), "# {}\r\n", name);
    }
    template <typename T>
    void field(std::string_view name, const T& value) {
        fmt::format_to(std::back_inserter(text_), "{}:{}\r\n", name, value);
    }
    /// With two decimals.
    void ratio(std::string_view name, double value) {
        fmt::format_to(std::back_inserter(text_), "{}:{:.2f}\r\n", name, value);
    }
    /// The number, and "name_human" with a unit.
    void size(std::string_view name, std::uint64_t bytes);

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    Server& server;

private:
    std::string text_;
};

/// "1.82M" as INFO writes it.
[[nodiscard]] std::string human_size(std::uint64_t bytes);

/// What the process takes, as the system knows it.
struct ProcessMemory {
    std::uint64_t resident_bytes = 0;
    std::uint64_t heap_bytes = 0;  ///< from malloc
    std::uint64_t data_bytes = 0;  ///< in the arena
    [[nodiscard]] std::uint64_t used_bytes() const noexcept { return heap_bytes + data_bytes; }
};
[[nodiscard]] ProcessMemory process_memory(Server& server);

/// The sections that say how the process is (info_process.cpp).
void info_server(InfoText& info);
void info_clients(InfoText& info);
void info_memory(InfoText& info);
void info_cpu(InfoText& info);
void info_tern(InfoText& info);

}  // namespace tern::server
