#include "tern/cli_prompt.hpp"

#include <histedit.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "resp/split_arguments.hpp"

namespace tern::tool {
namespace {

constexpr int kHistoryLinesMax = 1'000;

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return out;
}

std::string history_path() {
    if (const char* path = std::getenv("TERN_HISTFILE")) {
        return path;
    }
    const char* home = std::getenv("HOME");
    return home == nullptr ? std::string() : std::string(home) + "/.tern_history";
}

/// Shortens what stands at the right edge to what the line leaves free there.
void cut_to_fit(std::string& right, std::size_t used_columns) {
    constexpr std::size_t kGapColumns = 4;  // the editor shows it only with a gap
    constexpr std::string_view kMore = "...";
    winsize size{};
    const bool is_known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0;
    const std::size_t columns = is_known ? size.ws_col : 80;
    const std::size_t room = columns - std::min(columns, used_columns + kGapColumns);
    if (right.size() <= room) {
        return;
    }
    right.resize(room > kMore.size() ? room - kMore.size() : 0);
    if (!right.empty()) {
        right += kMore;
    }
}

/// The editor, its history and what its callbacks need.
class Prompt {
public:
    explicit Prompt(CliSession& session);
    ~Prompt();
    Prompt(const Prompt&) = delete;
    Prompt& operator=(const Prompt&) = delete;

    /// The next line without its end; null at the end of the input.
    const char* read_line(std::string& line);
    void remember(const std::string& line);

private:
    static Prompt& of(EditLine* editor);
    static char* left_text(EditLine* editor);
    static char* right_text(EditLine* editor);
    static unsigned char insert(EditLine* editor, int key);
    static unsigned char complete(EditLine* editor, int key);
    static unsigned char erase(EditLine* editor, int key);

    CliSession& session_;
    EditLine* editor_;
    History* history_;
    HistEvent event_{};
    std::string path_;
    std::string left_;
    std::string right_;
};

Prompt::Prompt(CliSession& session)
    : session_(session),
      editor_(::el_init("tern", stdin, stdout, stderr)),
      history_(::history_init()),
      path_(history_path()) {
    ::history(history_, &event_, H_SETSIZE, kHistoryLinesMax);
    ::history(history_, &event_, H_SETUNIQUE, 1);
    if (!path_.empty()) {
        ::history(history_, &event_, H_LOAD, path_.c_str());
    }
    ::el_set(editor_, EL_CLIENTDATA, this);
    ::el_set(editor_, EL_PROMPT, &Prompt::left_text);
    ::el_set(editor_, EL_RPROMPT, &Prompt::right_text);
    ::el_set(editor_, EL_EDITOR, "emacs");
    ::el_set(editor_, EL_SIGNAL, 0);
    ::el_set(editor_, EL_HIST, ::history, history_);
    ::el_set(editor_, EL_ADDFN, "tern-complete", "complete a command's name", &Prompt::complete);
    ::el_set(editor_, EL_ADDFN, "tern-insert", "insert and show the syntax", &Prompt::insert);
    ::el_set(editor_, EL_ADDFN, "tern-erase", "delete and show the syntax", &Prompt::erase);
    ::el_set(editor_, EL_BIND, "^I", "tern-complete", nullptr);
    ::el_set(editor_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    ::el_set(editor_, EL_BIND, "^?", "tern-erase", nullptr);
    ::el_set(editor_, EL_BIND, "^H", "tern-erase", nullptr);
    // The editor draws a plain character without the right edge; ours has it drawn too.
    for (unsigned c = ' '; c <= '~'; ++c) {
        std::array<char, 8> key{};
        std::snprintf(key.data(), key.size(), "\\%03o", c);
        ::el_set(editor_, EL_BIND, key.data(), "tern-insert", nullptr);
    }
}

Prompt::~Prompt() {
    if (!path_.empty()) {
        ::history(history_, &event_, H_SAVE, path_.c_str());
    }
    ::history_end(history_);
    ::el_end(editor_);
}

Prompt& Prompt::of(EditLine* editor) {
    void* prompt = nullptr;
    ::el_get(editor, EL_CLIENTDATA, &prompt);
    return *static_cast<Prompt*>(prompt);
}

char* Prompt::left_text(EditLine* editor) {
    Prompt& prompt = of(editor);
    prompt.left_ = prompt.session_.prompt();
    return prompt.left_.data();
}

char* Prompt::right_text(EditLine* editor) {
    Prompt& prompt = of(editor);
    prompt.right_.clear();
    const LineInfo* line = ::el_line(editor);
    const std::string_view text(line->buffer,
                                static_cast<std::size_t>(line->lastchar - line->buffer));
    if (!text.empty() && line->cursor == line->lastchar) {
        prompt.right_ = prompt.session_.docs().hint(text);
        cut_to_fit(prompt.right_, prompt.left_.size() + text.size());
    }
    return prompt.right_.data();
}

unsigned char Prompt::insert(EditLine* editor, int key) {
    const std::array<char, 2> text{static_cast<char>(key), '\0'};
    return ::el_insertstr(editor, text.data()) == 0 ? CC_REFRESH : CC_ERROR;
}

unsigned char Prompt::erase(EditLine* editor, int /*key*/) {
    const LineInfo* line = ::el_line(editor);
    if (line->cursor == line->buffer) {
        return CC_NORM;
    }
    ::el_deletestr(editor, 1);
    return CC_REFRESH;
}

unsigned char Prompt::complete(EditLine* editor, int /*key*/) {
    Prompt& prompt = of(editor);
    const LineInfo* line = ::el_line(editor);
    const std::string typed(line->buffer, static_cast<std::size_t>(line->cursor - line->buffer));
    const std::vector<std::string_view> names = prompt.session_.docs().complete(typed);
    if (names.empty()) {
        return CC_ERROR;
    }
    std::string common(names.front());
    for (const std::string_view name : names) {
        const auto ends = std::mismatch(common.begin(), common.end(), name.begin(), name.end());
        common.erase(ends.first, common.end());
    }
    if (names.size() == 1) {
        common += ' ';
    } else if (common.size() == typed.size()) {
        std::fputc('\n', stdout);
        for (const std::string_view name : names) {
            std::fprintf(stdout, "%.*s\n", static_cast<int>(name.size()), name.data());
        }
        return CC_REDISPLAY;
    }
    // In the case that was begun with.
    const bool is_upper = std::none_of(
        typed.begin(), typed.end(), [](unsigned char c) { return std::islower(c) != 0; });
    const std::string completed = is_upper ? common : lower(common);
    ::el_deletestr(editor, static_cast<int>(typed.size()));
    return ::el_insertstr(editor, completed.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
}

const char* Prompt::read_line(std::string& line) {
    int length = 0;
    const char* text = ::el_gets(editor_, &length);
    if (text == nullptr || length <= 0) {
        return nullptr;
    }
    line.assign(text, static_cast<std::size_t>(length));
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) {
        line.pop_back();
    }
    return line.c_str();
}

void Prompt::remember(const std::string& line) {
    if (!line.empty() && !is_secret_line(line)) {
        ::history(history_, &event_, H_ENTER, line.c_str());
    }
}

void print_entry(const CommandDocs::Entry& entry) {
    const std::array<std::pair<const char*, const std::string*>, 4> kFields = {{
        {"summary", &entry.summary},
        {"since", &entry.since},
        {"group", &entry.group},
        {"complexity", &entry.complexity},
    }};
    std::printf("\n  %s %s\n", entry.name.c_str(), entry.syntax.c_str());
    for (const auto& [name, text] : kFields) {
        if (!text->empty()) {
            std::printf("  %s: %s\n", name, text->c_str());
        }
    }
    std::fputc('\n', stdout);
}

/// `help`, `help NAME`, `help @group`.
void print_help(const CommandDocs& docs, const std::vector<std::string_view>& words) {
    if (words.size() < 2) {
        std::puts(
            "help COMMAND      its syntax and what it does\n"
            "help @GROUP       the commands of a group: @string, @hash, @sorted-set, @generic …\n"
            "<Tab>             completes names\n"
            "NUMBER COMMAND    executes it so many times\n"
            "clear, quit, exit");
        return;
    }
    if (words[1].starts_with('@')) {
        const std::string group = lower(words[1].substr(1));
        for (const CommandDocs::Entry& entry : docs.entries()) {
            if (entry.group == group) {
                print_entry(entry);
            }
        }
        return;
    }
    const std::vector<std::string_view> name(words.begin() + 1, words.end());
    if (const CommandDocs::Entry* entry = docs.find(name)) {
        print_entry(*entry);
    } else {
        std::puts("No such command. `help` tells what there is.");
    }
}

}  // namespace

bool is_secret_line(std::string_view line) {
    std::string text;
    std::vector<std::string_view> words;
    static_cast<void>(resp::split_arguments(line, text, words));
    std::string all;
    for (const std::string_view word : words) {
        all += lower(word) + " ";
    }
    constexpr std::array<std::string_view, 5> kBeginnings = {
        "auth ", "acl setuser ", "config set requirepass ", "config set masterauth ", "migrate "};
    const bool has_beginning =
        std::any_of(kBeginnings.begin(), kBeginnings.end(), [&](std::string_view beginning) {
            return all.starts_with(beginning);
        });
    const bool is_hello = all.starts_with("hello ") && all.find(" auth ") != std::string::npos;
    // A line that cannot be split is kept out as well: it may be half of such a one.
    return has_beginning || is_hello || (words.empty() && !line.empty());
}

int run_prompt(CliSession& session) {
    Prompt prompt(session);
    std::string line;
    while (prompt.read_line(line) != nullptr) {
        std::string text;
        std::vector<std::string_view> words;
        const bool is_split = resp::split_arguments(line, text, words);
        const std::string first = words.empty() ? std::string() : lower(words[0]);
        prompt.remember(line);
        if (is_split && words.size() == 1 && (first == "quit" || first == "exit")) {
            break;
        }
        if (is_split && words.size() == 1 && first == "clear") {
            std::fputs("\x1b[H\x1b[2J", stdout);
        } else if (is_split && first == "help") {
            print_help(session.docs(), words);
        } else {
            static_cast<void>(session.run_line(line));
        }
    }
    return 0;
}

}  // namespace tern::tool
