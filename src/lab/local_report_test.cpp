#include "lab/local_report.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace tern::lab {
namespace {

LocalRun run_of(double p50, double before, double after) {
    LocalRun run;
    run.summary.p50 = p50;
    run.floor_before = before;
    run.floor_after = after;
    return run;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

std::vector<std::string> words_of(const std::string& line) {
    std::vector<std::string> words;
    std::istringstream in(line);
    for (std::string word; in >> word;) {
        words.push_back(word);
    }
    return words;
}

using Words = std::vector<std::string>;

TEST(LocalReport, PlacementIsWhatBothFloorsSay) {
    EXPECT_EQ(run_of(200, 110, 120).placement(), Placement::kNear);
    EXPECT_EQ(run_of(600, 470, 480).placement(), Placement::kFar);
    EXPECT_EQ(run_of(400, 110, 480).placement(), Placement::kMoved);
    EXPECT_EQ(run_of(400, 480, 110).placement(), Placement::kMoved);
}

TEST(LocalReport, RingRunsAreGroupedByPlacement) {
    LocalFigures figures;
    figures.one = {false, "ring", Protocol::kSbe, Operation::kPing};
    figures.runs = {run_of(190, 100, 120),
                    run_of(600, 400, 400),
                    run_of(210, 100, 100),
                    run_of(300, 100, 500),
                    run_of(170, 100, 100)};
    const std::vector<std::string> lines = lines_of(local_table({figures}));
    ASSERT_EQ(lines.size(), 4U) << "a head and three placements";
    // name (5 words), runs, p50, p90, p99, p99.9, p99.99, max, floor, above, ratio
    EXPECT_EQ(words_of(lines[1]),
              (Words{"tern",
                     "ring",
                     "SBE",
                     "PING,",
                     "near",
                     "3",
                     "190",
                     "0",
                     "0",
                     "0",
                     "0",
                     "0",
                     "100",
                     "80",
                     "1.73"}));
    EXPECT_EQ(words_of(lines[2]),
              (Words{"tern",
                     "ring",
                     "SBE",
                     "PING,",
                     "far",
                     "1",
                     "600",
                     "0",
                     "0",
                     "0",
                     "0",
                     "0",
                     "400",
                     "200",
                     "1.50"}));
    EXPECT_EQ(words_of(lines[3])[4], "moved");
}

TEST(LocalReport, SocketRunsAreOneRow) {
    LocalFigures figures;
    figures.one = {true, "tcp", Protocol::kResp3, Operation::kGet};
    figures.runs = {run_of(9000, 100, 8000), run_of(10000, 9000, 9000)};
    const std::vector<std::string> lines = lines_of(local_table({figures}));
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(words_of(lines[1])[4], "2") << "both runs";
}

TEST(LocalReport, CsvHasALineForEachRun) {
    LocalFigures figures;
    figures.one = {true, "unix", Protocol::kResp3, Operation::kSet};
    figures.runs = {run_of(1, 2, 3), run_of(4, 5, 6)};
    const std::vector<std::string> lines = lines_of(local_csv({figures}));
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[1], "redis,unix,RESP3,SET 16 B,1,1,0,0,0,0,0,2,3");
    EXPECT_EQ(lines[2], "redis,unix,RESP3,SET 16 B,2,4,0,0,0,0,0,5,6");
}

}  // namespace
}  // namespace tern::lab
