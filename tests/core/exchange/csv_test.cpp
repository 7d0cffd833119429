#include "core/exchange/csv.h"

#include "core/base/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace dailies::exchange {
namespace {

using testing::ElementsAre;
using Record = std::vector<std::string>;

std::vector<Record> records(const std::string& text) {
    std::istringstream stream(text);
    CsvReader reader(stream);
    std::vector<Record> all;
    for (Record fields; reader.next(fields);) all.push_back(fields);
    return all;
}

TEST(Csv, FieldsAreReadAsSpreadsheetsWriteThem) {
    EXPECT_THAT(records("a,b\r\n\"x,\"\"y\"\"\",\"two\r\nlines\"\r\n"),
                ElementsAre(Record{"a", "b"}, Record{"x,\"y\"", "two\nlines"}));
    EXPECT_THAT(records("a,b\n,\n"), ElementsAre(Record{"a", "b"}, Record{"", ""}));
}

TEST(Csv, TheSeparatorIsTheOneOfTheFirstLine) {
    EXPECT_THAT(records("step;loss, raw;x\n1;0,5;\n"),
                ElementsAre(Record{"step", "loss, raw", "x"}, Record{"1", "0,5", ""}));
    EXPECT_THAT(records("step\tloss\n1\t2\n"), ElementsAre(Record{"step", "loss"}, Record{"1", "2"}));
}

TEST(Csv, AByteOrderMarkBlankLinesAndAMissingLastLineEndDoNoHarm) {
    EXPECT_THAT(records("\xEF\xBB\xBFstep,loss\n\n1,2"),
                ElementsAre(Record{"step", "loss"}, Record{"1", "2"}));
    EXPECT_THAT(records(""), ElementsAre());
    EXPECT_THAT(records("a,\"never closed\n1"), ElementsAre(Record{"a", "never closed\n1"}));
}

TEST(Csv, WhatIsWrittenIsReadBack) {
    const Record odd = {"plain", "a,b", "say \"so\"", "two\nlines", ""};
    std::string line;
    for (const auto& field : odd) line += (line.empty() ? "" : ",") + csvField(field);
    EXPECT_THAT(records("1,2,3,4,5\r\n" + line + "\r\n")[1], odd);
}

}  // namespace
}  // namespace dailies::exchange
