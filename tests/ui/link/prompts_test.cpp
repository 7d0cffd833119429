#include "ui/link/prompts.h"

#include "tests/ui/wait_until.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>

namespace dailies::ui {
namespace {

class TwoAskers : public testing::Test {
protected:
    TwoAskers() {
        QObject::connect(&m_prompts, &Prompts::secretAsked, &m_prompts,
                         [this](const QString& prompt) { m_shown << prompt; });
    }
    bool shows(const QStringList& prompts) {
        return waitUntil([&] { return m_shown == prompts; });
    }

    Prompts m_prompts;
    ConnectionPrompter m_first{m_prompts}, m_second{m_prompts};
    QStringList m_shown;
};

TEST_F(TwoAskers, APersonSeesOneQuestionAfterTheOther) {
    std::optional<std::string> one, other;
    std::jthread first([&] { one = m_first.secret("first", false); });
    ASSERT_TRUE(shows({"first"}));
    std::jthread second([&] { other = m_second.secret("second", false); });
    EXPECT_FALSE(waitUntil([&] { return m_shown.size() > 1; }, 100));
    m_prompts.answerSecret("a");
    ASSERT_TRUE(shows({"first", "second"}));
    m_prompts.answerSecret("b");
    first.join();
    second.join();
    EXPECT_EQ(one, "a");
    EXPECT_EQ(other, "b");
}

TEST_F(TwoAskers, GivingUpOneConnectionRefusesNoOthersQuestion) {
    std::optional<std::string> one = "", other;
    std::jthread first([&] { one = m_first.secret("first", false); });
    ASSERT_TRUE(shows({"first"}));
    std::jthread second([&] { other = m_second.secret("second", false); });
    m_first.refuse();
    first.join();
    EXPECT_EQ(one, std::nullopt);
    ASSERT_TRUE(shows({"first", "second"}));
    m_first.refuse();
    m_prompts.answerSecret("b");
    second.join();
    EXPECT_EQ(other, "b");
}

}  // namespace
}  // namespace dailies::ui
