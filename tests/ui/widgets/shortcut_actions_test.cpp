#include "ui/widgets/shortcut_actions.h"

#include "core/base/files.h"
#include "core/base/json.h"
#include "tests/ui/wait_until.h"

#include <QKeyEvent>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

class KeyActionsTest : public testing::Test {
protected:
    KeyActionsTest() { addAll(m_actions); }

    void addAll(ShortcutActions& actions) {
        actions.add("Time", "play", "Play", {QKeySequence("Space")}, [this] { m_done += "play "; });
        actions.add("Wall", "pin", "Pin", {QKeySequence("B"), QKeySequence("F2")},
                    [this] { m_done += "pin "; });
        actions.add("Time", "next", "Next frame", {QKeySequence("Right")}, [this] { m_done += "next "; });
        actions.add("Wall", "help", "Keys", {QKeySequence("?")}, [this] { m_done += "help "; });
    }

    bool press(int key, Qt::KeyboardModifiers modifiers = {}) {
        return m_actions.handle(QKeyEvent(QEvent::KeyPress, key, modifiers));
    }

    Json saved() { return parseJson(readFile(m_file), "keys.json"); }

    TemporaryFolder m_folder;
    std::filesystem::path m_file = m_folder.path() / "keys.json";
    ShortcutActions m_actions;
    std::string m_done;
};

TEST_F(KeyActionsTest, AKeyRunsItsActionAndOthersNone) {
    EXPECT_TRUE(press(Qt::Key_Right));
    EXPECT_TRUE(press(Qt::Key_F2));
    EXPECT_FALSE(press(Qt::Key_Right, Qt::ControlModifier));
    EXPECT_FALSE(press(Qt::Key_Shift));
    EXPECT_EQ(m_done, "next pin ");
}

TEST_F(KeyActionsTest, SignsCountAsTypedWhicheverKeyboardItIs) {
    EXPECT_TRUE(press(Qt::Key_Question, Qt::ShiftModifier));
    EXPECT_TRUE(press(Qt::Key_Question));
    EXPECT_FALSE(press(Qt::Key_B, Qt::ShiftModifier)) << "letters do not";
    EXPECT_TRUE(press(Qt::Key_Right, Qt::KeypadModifier));
}

TEST_F(KeyActionsTest, GroupsStayTogetherInTheOrderOfTheirFirstAction) {
    std::string ids;
    for (const auto& action : m_actions.actions()) ids += action.id.toStdString() + " ";
    EXPECT_EQ(ids, "play next pin help ");
}

TEST_F(KeyActionsTest, AnotherKeyTakesTheOldOnesPlaceAndIsTakenFromWhoHadIt) {
    EXPECT_EQ(m_actions.setKeys("next", {QKeySequence("B")}), "Pin");
    press(Qt::Key_B);
    EXPECT_FALSE(press(Qt::Key_Right));
    press(Qt::Key_F2);
    EXPECT_EQ(m_done, "next pin ") << "its second key is left to it";
    EXPECT_EQ(m_actions.setKeys("next", {}), "");
    EXPECT_FALSE(press(Qt::Key_B));
    m_actions.restoreDefaults();
    press(Qt::Key_B);
    EXPECT_EQ(m_done, "next pin pin ");
}

TEST_F(KeyActionsTest, KeysAreKeptBetweenSessionsBesideThoseOfOtherPages) {
    writeFileAtomically(m_file, R"({"runs": {"open": ["O"]}, "review": {"gone": ["G"]}})");
    bool loaded = false;
    QObject::connect(&m_actions, &ShortcutActions::changed, &m_actions, [&] { loaded = true; });
    m_actions.setFile(m_file, "review");
    ASSERT_TRUE(waitUntil([&] { return loaded; }));
    m_actions.setKeys("next", {QKeySequence("N")});
    m_actions.setKeys("play", {});
    ASSERT_TRUE(waitUntil([&] { return saved()["review"].contains("play"); }));
    EXPECT_EQ(saved()["runs"]["open"][0], "O");
    EXPECT_EQ(saved()["review"]["gone"][0], "G") << "of a newer version, perhaps";
    EXPECT_FALSE(saved()["review"].contains("pin")) << "only what differs";

    ShortcutActions later;
    addAll(later);
    later.setFile(m_file, "review");
    ASSERT_TRUE(waitUntil([&] { return later.find("play")->keys.isEmpty(); }));
    EXPECT_EQ(later.find("next")->keys, ShortcutActions::Keys{QKeySequence("N")});
    later.restoreDefaults();
    ASSERT_TRUE(waitUntil([&] { return !saved()["review"].contains("next"); }));
}

TEST_F(KeyActionsTest, AFileThatCannotBeReadLeavesTheUsualKeys) {
    writeFileAtomically(m_file, "{ torn");
    m_actions.setFile(m_file, "review");
    ASSERT_TRUE(waitUntil([&] {  // from when it has been read, changes are kept
        m_actions.setKeys("next", {QKeySequence("N")});
        return readFile(m_file).find("\"N\"") != std::string::npos;
    }));
    EXPECT_TRUE(press(Qt::Key_Space));
}

TEST_F(KeyActionsTest, SaysKeysAsThePersonReadsThem) {
    EXPECT_EQ(ShortcutActions::text(QKeySequence("Ctrl+Left")), "Ctrl+←");
    EXPECT_EQ(ShortcutActions::text(QKeySequence("Ctrl++")), "Ctrl++");
    EXPECT_EQ(ShortcutActions::text(QKeySequence("Ctrl+Shift+G")),
              QKeySequence("Ctrl+Shift+G").toString(QKeySequence::NativeText))
        << "as in every other menu";
    EXPECT_EQ(m_actions.describe("pin"), "Pin (B)");
    EXPECT_EQ(ShortcutActions::text(m_actions.find("pin")->keys), "B or F2");
}

}  // namespace
}  // namespace dailies::ui
