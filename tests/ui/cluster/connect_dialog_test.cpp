#include "ui/cluster/connect_dialog.h"

#include "core/base/files.h"
#include "tests/ui/wait_until.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScreen>
#include <QSpinBox>
#include <gtest/gtest.h>

#include <thread>

namespace dailies::ui {
namespace {

class ConnectDialogTest : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_TRUE(waitUntil([&] { return m_profiles.loaded(); }));
        m_dialog.show();
    }

    bool shows(const QString& text) {
        for (const auto* label : m_dialog.findChildren<QLabel*>()) {
            if (label->isVisible() && label->text().contains(text, Qt::CaseInsensitive)) {
                return true;
            }
        }
        return false;
    }

    QLineEdit* field(const QString& name) {
        for (auto* edit : m_dialog.findChildren<QLineEdit*>()) {
            if (edit->accessibleName() == name) {
                return edit;
            }
        }
        return nullptr;
    }

    QPushButton* button(const QString& text) {
        for (auto* found : m_dialog.findChildren<QPushButton*>()) {
            if (found->text() == text) {
                return found;
            }
        }
        return nullptr;
    }

    TemporaryFolder m_folder;
    ProfileList m_profiles{m_folder.path() / "clusters.json"};
    ClusterWorker m_worker{m_folder.path() / "dailies.db"};
    ConnectDialog m_dialog{m_profiles, m_worker};
};

TEST_F(ConnectDialogTest, WantsAHostBeforeAnythingElse) {
    button("Connect")->click();
    EXPECT_TRUE(shows("has no host"));
    EXPECT_TRUE(shows("Enter the login node"));
    field("Host")->setText("login.lab:99999");
    EXPECT_FALSE(m_dialog.profile());
    EXPECT_TRUE(shows("1 to 65535"));
    EXPECT_TRUE(field("Host")->property("problem").toBool());
    EXPECT_TRUE(shows("Host of ~/.ssh/config is accepted"));
    field("Host")->setText("login.lab");
    EXPECT_TRUE(m_dialog.profile());
    EXPECT_FALSE(field("Host")->property("problem").toBool());
    EXPECT_EQ(m_worker.state(), ConnectionState::Offline);
}

TEST_F(ConnectDialogTest, HowOftenAClusterIsAskedIsKeptWithIt) {
    remote::ClusterProfile profile;
    profile.name = "lab";
    profile.host = "login.lab";
    profile.pollSeconds = 9;
    profile.callsPerMinute = 12;
    m_profiles.put(profile);
    m_dialog.selectProfile("lab");
    ASSERT_TRUE(waitUntil([&] { return field("Host")->text() == "login.lab"; }));
    for (auto* box : m_dialog.findChildren<QSpinBox*>())
        if (box->accessibleName() == "Slurm calls") {
            EXPECT_EQ(box->value(), 12);
            box->setValue(0);
        }
    EXPECT_EQ(m_dialog.profile()->pollSeconds, 9);
    EXPECT_EQ(m_dialog.profile()->callsPerMinute, 0);
}

TEST_F(ConnectDialogTest, ARefusedPortIsSaidWithWhatToDo) {
    field("Display name")->setText("nowhere");
    field("Host")->setText("127.0.0.1");
    remote::ClusterProfile profile = *m_dialog.profile();
    profile.port = 1;  // nothing listens on tcpmux
    profile.readUserConfig = false;
    m_profiles.put(profile);
    m_dialog.selectProfile("nowhere");
    m_dialog.startConnecting();
    ASSERT_TRUE(waitUntil([&] { return shows("refused"); }, 15'000));
    EXPECT_EQ(m_worker.state(), ConnectionState::Offline);
    EXPECT_TRUE(button("Connect")->isEnabled());
    EXPECT_TRUE(m_profiles.find("nowhere").has_value());
}

TEST_F(ConnectDialogTest, WhatDidNotConnectIsNotSavedUnlessAPersonSaysSo) {
    field("Display name")->setText("nowhere");
    field("Host")->setText("127.0.0.1");
    for (auto* box : m_dialog.findChildren<QSpinBox*>())
        if (box->accessibleName() == "Port") box->setValue(1);
    EXPECT_TRUE(button("Save untested")->isVisible());
    button("Connect")->click();
    ASSERT_TRUE(waitUntil([&] { return shows("refused"); }, 15'000));
    EXPECT_TRUE(shows("nowhere is not saved yet"));
    EXPECT_FALSE(m_profiles.find("nowhere"));
    button("Save untested")->click();
    ASSERT_TRUE(m_profiles.find("nowhere"));
    EXPECT_EQ(m_profiles.find("nowhere")->port, 1);
    EXPECT_TRUE(shows("Not tested since your last change"));
    EXPECT_FALSE(button("Save untested")->isVisible()) << "there is nothing more to save";
    field("Account")->setText("vision");
    EXPECT_TRUE(button("Save untested")->isVisible());
}

TEST_F(ConnectDialogTest, ARemovedClusterCanBeBroughtBack) {
    remote::ClusterProfile profile;
    profile.name = "lab";
    profile.host = "login.lab";
    profile.account = "vision";
    profile.qos = "long";  // not shown in the form
    m_profiles.put(profile);
    m_dialog.selectProfile("lab");
    ASSERT_TRUE(waitUntil([&] { return field("Host")->text() == "login.lab"; }));
    button("Remove")->click();
    EXPECT_FALSE(m_profiles.find("lab"));
    EXPECT_TRUE(shows("Removed lab"));
    ASSERT_TRUE(button("Undo")->isVisible());
    button("Undo")->click();
    EXPECT_EQ(m_profiles.find("lab"), profile);
    EXPECT_EQ(field("Account")->text(), "vision");
    EXPECT_FALSE(button("Undo")->isVisible());
}

TEST_F(ConnectDialogTest, AnotherClusterOfTheSameNameIsReplacedOnlyAfterAsking) {
    remote::ClusterProfile lab;
    lab.name = "lab";
    lab.host = "login.lab";
    m_profiles.put(lab);
    button("New cluster")->click();
    field("Display name")->setText("lab");
    field("Host")->setText("elsewhere.lab");
    button("Save untested")->click();
    EXPECT_TRUE(shows("There is a cluster lab already. Replace it?"));
    EXPECT_TRUE(shows("host login.lab → elsewhere.lab"));
    EXPECT_EQ(m_profiles.find("lab")->host, "login.lab");
    button("Replace")->click();
    EXPECT_EQ(m_profiles.find("lab")->host, "elsewhere.lab");
    ASSERT_TRUE(shows("Saved lab"));
    button("Undo")->click();
    EXPECT_EQ(m_profiles.find("lab")->host, "login.lab");

    button("New cluster")->click();
    field("Display name")->setText("lab");
    field("Host")->setText("elsewhere.lab");
    button("Connect")->click();
    EXPECT_TRUE(shows("Replace it?")) << "what has connected is saved, too";
    EXPECT_EQ(m_worker.state(), ConnectionState::Offline);
}

TEST_F(ConnectDialogTest, AClusterThatWasOpenedIsChangedWithAnUndo) {
    remote::ClusterProfile lab;
    lab.name = "lab";
    lab.host = "login.lab";
    m_profiles.put(lab);
    m_dialog.selectProfile("lab");
    field("Host")->setText("login2.lab");
    button("Save untested")->click();
    EXPECT_EQ(m_profiles.find("lab")->host, "login2.lab");
    EXPECT_TRUE(shows("host login.lab → login2.lab"));
    button("Undo")->click();
    EXPECT_EQ(m_profiles.find("lab")->host, "login.lab");
}

TEST_F(ConnectDialogTest, AHostThatReadsAsAnOptionIsRefusedAndNotSaved) {
    field("Display name")->setText("bad");
    field("Host")->setText("-oProxyCommand=id");
    button("Save untested")->click();
    EXPECT_TRUE(shows("cannot be a host name"));
    EXPECT_FALSE(m_profiles.find("bad"));
}

TEST_F(ConnectDialogTest, FitsASmallScreenWithItsButtonsInSight) {
    EXPECT_LE(m_dialog.width(), m_dialog.screen()->availableGeometry().width());
    EXPECT_LE(m_dialog.height(), m_dialog.screen()->availableGeometry().height());
    // 1280 × 720 at scale 2
    m_dialog.resize(640, 360);
    EXPECT_EQ(m_dialog.size(), QSize(640, 360)) << "something keeps it larger";
    field("Host")->setText("127.0.0.1");
    m_dialog.askHostKey("login.example.org", "ssh-ed25519", "SHA256:abcDEF123");
    for (const char* text : {"Connect", "Test", "Close", "Always trust", "Remove", "New cluster"}) {
        const auto* one = button(text);
        ASSERT_TRUE(one->isVisible()) << text;
        const QRect place(one->mapTo(&m_dialog, QPoint()), one->size());
        EXPECT_TRUE(m_dialog.rect().contains(place)) << text << " at " << place.x() << "," << place.y() << " "
                                                     << place.width() << "×" << place.height();
        EXPECT_GE(place.height(), 20) << text;
    }
}

TEST_F(ConnectDialogTest, TheFocusStaysAmongItsButtonsWhileItWorks) {
    field("Host")->setText("127.0.0.1");
    for (auto* box : m_dialog.findChildren<QSpinBox*>())
        if (box->accessibleName() == "Port") box->setValue(1);
    m_dialog.activateWindow();
    button("Test")->setFocus();
    ASSERT_TRUE(waitUntil([&] { return button("Test")->hasFocus(); }));
    button("Test")->click();
    EXPECT_TRUE(button("Stop")->hasFocus());
    ASSERT_TRUE(waitUntil([&] { return shows("Not ready"); }, 15'000));
    EXPECT_TRUE(button("Test")->hasFocus());
}

TEST_F(ConnectDialogTest, ATestShowsEachFindingWithItsRemedyAndAVerdict) {
    field("Host")->setText("127.0.0.1");
    remote::ClusterProfile profile = *m_dialog.profile();
    profile.name = "nowhere";
    profile.port = 1;
    profile.readUserConfig = false;
    m_profiles.put(profile);
    m_dialog.selectProfile("nowhere");
    button("Test")->click();
    ASSERT_TRUE(waitUntil([&] { return shows("Not ready"); }, 15'000));
    EXPECT_TRUE(shows("Login"));
    EXPECT_TRUE(shows("refused"));
    EXPECT_TRUE(shows("Check the port"));
    EXPECT_TRUE(button("Test")->isEnabled());
    button("Test")->click();
    EXPECT_FALSE(shows("refused")) << "a new test begins with an empty list";
    EXPECT_TRUE(waitUntil([&] { return shows("Not ready"); }, 15'000));
}

TEST_F(ConnectDialogTest, AnUnknownHostKeyIsAPersonsQuestionAndTheirAnswerArrives) {
    QObject::connect(&m_worker.prompts(), &Prompts::hostKeyAsked, &m_dialog, &ConnectDialog::askHostKey);
    auto answer = Prompts::Trust::Refuse;
    std::jthread asking([&] {
        answer = m_worker.prompts().trustHostKey({"login.example.org", "ssh-ed25519", "SHA256:abcDEF123"});
    });
    ASSERT_TRUE(waitUntil([&] { return shows("SHA256:abcDEF123"); }));
    EXPECT_TRUE(shows("Unknown host login.example.org"));
    button("Always trust")->click();
    asking.join();
    EXPECT_EQ(answer, Prompts::Trust::Save);
}

TEST_F(ConnectDialogTest, APassphraseIsNotShownAndLeavesNoTraceInTheField) {
    QObject::connect(&m_worker.prompts(), &Prompts::secretAsked, &m_dialog, &ConnectDialog::askSecret);
    std::optional<std::string> answer;
    std::jthread asking([&] { answer = m_worker.prompts().secret("Passphrase for id_ed25519", false); });
    ASSERT_TRUE(waitUntil([&] { return shows("Passphrase for id_ed25519"); }));
    auto* edit = field("Answer");
    EXPECT_EQ(edit->echoMode(), QLineEdit::Password);
    edit->setText("opensesame");
    button("Continue")->click();
    asking.join();
    EXPECT_EQ(answer, "opensesame");
    EXPECT_TRUE(edit->text().isEmpty());
}

TEST_F(ConnectDialogTest, ClosingItRefusesItsQuestion) {
    QObject::connect(&m_worker.prompts(), &Prompts::secretAsked, &m_dialog, &ConnectDialog::askSecret);
    std::optional<std::string> answer = "none yet";
    std::jthread asking([&] { answer = m_worker.prompts().secret("Code", false); });
    ASSERT_TRUE(waitUntil([&] { return shows("Code"); }));
    m_dialog.reject();
    asking.join();
    EXPECT_EQ(answer, std::nullopt);
}

TEST_F(ConnectDialogTest, OpenedForAQuestionItClosesWithTheAnswer) {
    m_dialog.show();
    m_dialog.closeWithQuestion();
    QObject::connect(&m_worker.prompts(), &Prompts::secretAsked, &m_dialog, &ConnectDialog::askSecret);
    std::optional<std::string> answer;
    std::jthread asking([&] { answer = m_worker.prompts().secret("Code", false); });
    ASSERT_TRUE(waitUntil([&] { return shows("Code"); }));
    field("Answer")->setText("123456");
    button("Continue")->click();
    asking.join();
    EXPECT_EQ(answer, "123456");
    EXPECT_FALSE(m_dialog.isVisible());
}

TEST(Prompts, AnOpenQuestionIsRefusedWhenTheProgramCloses) {
    Prompts prompts;
    bool asked = false;
    QObject::connect(&prompts, &Prompts::hostKeyAsked, &prompts, [&] { asked = true; });
    auto answer = Prompts::Trust::Save;
    std::jthread asking([&] { answer = prompts.trustHostKey({"h", "t", "f"}); });
    ASSERT_TRUE(waitUntil([&] { return asked; }));
    prompts.close();
    asking.join();
    EXPECT_EQ(answer, Prompts::Trust::Refuse);
    EXPECT_EQ(prompts.secret("late", false), std::nullopt);
}

}  // namespace
}  // namespace dailies::ui
