#include "core/base/csv.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dailies {
namespace {

TEST(CsvField, IsQuotedOnlyWhereItCouldBeTakenForSomethingElse) {
    EXPECT_EQ(csvField("optimizer.lr"), "optimizer.lr");
    EXPECT_EQ(csvField(""), "");
    EXPECT_EQ(csvField(" spaces; stay "), " spaces; stay ");
    EXPECT_EQ(csvField("a,b"), "\"a,b\"");
    EXPECT_EQ(csvField("say \"so\""), "\"say \"\"so\"\"\"");
    EXPECT_EQ(csvField("two\nlines"), "\"two\nlines\"");
    EXPECT_EQ(csvField("a\rb"), "\"a\rb\"");
}

TEST(CsvField, AForeignTextIsNoFormulaInASpreadsheet) {
    EXPECT_EQ(csvField("=HYPERLINK(\"http://x\")"), "\"'=HYPERLINK(\"\"http://x\"\")\"");
    EXPECT_EQ(csvField("=1+1"), "'=1+1");
    EXPECT_EQ(csvField("+cmd|' /C calc'!A0"), "'+cmd|' /C calc'!A0");
    EXPECT_EQ(csvField("-2+3"), "'-2+3");
    EXPECT_EQ(csvField("@SUM(A1)"), "'@SUM(A1)");
    EXPECT_EQ(csvField("\t=1"), "'\t=1");
    EXPECT_EQ(csvField("=1+1", CsvEscaping::Raw), "=1+1");
}

TEST(CsvField, NumbersStayNumbers) {
    for (const auto* number : {"-1e-4", "+0.5", "-3", "-Infinity", "NaN", "-"})
        EXPECT_EQ(csvField(number), number);
}

TEST(CsvField, WhatWasPutInFrontIsTakenAwayAgain) {
    for (const auto* text : {"=1", "'=1", "''-5", "-5", "-x", "'quoted'", "'", "a red car", "@", ""})
        EXPECT_EQ(unescapeCsvField(csvField(text)), text);
}

TEST(CsvNumber, NanAndInfinityAreSpelledOneWay) {
    EXPECT_EQ(csvNumber(1e-5), "1e-05");
    EXPECT_EQ(csvNumber(std::nan("")), "NaN");
    EXPECT_EQ(csvNumber(-std::nan("")), "NaN");
    EXPECT_EQ(csvNumber(INFINITY), "Infinity");
    EXPECT_EQ(csvNumber(-INFINITY), "-Infinity");
}

TEST(CsvRecord, SeparatesItsFieldsAndEndsTheLine) {
    EXPECT_EQ(csvRecord({"run", "a,b", ""}), "run,\"a,b\",\r\n");
    EXPECT_EQ(csvRecord({}), "\r\n");
}

}  // namespace
}  // namespace dailies
