#include "core/compare/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::compare {
namespace {

using testing::HasSubstr;

class ExportTest : public testing::Test {
protected:
    ExportTest() {
        m_a.id = std::string(32, 'a');
        m_a.name = "a|b";
        m_a.params = {{"note", "x, \"y\"\nz"}, {"optimizer.lr", "0.01"}};
        m_b.id = std::string(32, 'b');
        m_b.name = "<b>bold</b>";
        m_b.params = {{"note", "=1"}, {"optimizer.lr", "0.1"}};
        m_comparison = compareRuns({.runs = {&m_a, &m_b}});
        m_lines = linesOf(m_comparison, {});
    }
    tracking::Run m_a, m_b;
    Comparison m_comparison;
    std::vector<Line> m_lines;
};

TEST_F(ExportTest, MarkdownIsOneTableASectionAndForeignTextStaysInItsCell) {
    const std::string text = toMarkdown(m_comparison, m_lines);
    EXPECT_THAT(text, HasSubstr("### Configuration\n\n| | ★ a\\|b | \\<b\\>bold\\</b\\> |\n|---|---|---|\n"));
    EXPECT_THAT(text, HasSubstr("| optimizer.lr | 0.01 | 0.1 ×10 |\n"));
    EXPECT_THAT(text, HasSubstr("| note | x, \"y\" z | =1 |\n"));
}

TEST_F(ExportTest, CsvQuotesWhatItMustAndLetsNoCellBecomeAFormula) {
    const std::string text = toCsv(m_comparison, m_lines);
    EXPECT_THAT(text, HasSubstr("section,key,unit,a|b,<b>bold</b>\r\n"));
    EXPECT_THAT(text, HasSubstr("Configuration,note,,\"x, \"\"y\"\"\nz\",'=1\r\n"));
    EXPECT_THAT(text, HasSubstr("Configuration,optimizer.lr,,0.01,0.1\r\n"));
}

}  // namespace
}  // namespace dailies::compare
