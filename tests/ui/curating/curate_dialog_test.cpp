#include "ui/curating/curate_dialog.h"

#include "tests/ui/curating/dataset_form.h"

#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

using testing::HasSubstr;

class CurateForm : public DatasetForm<CurateDialog> {};

TEST_F(CurateForm, AsksForFilmsAndAFolderAndSaysWhatItComesTo) {
    EXPECT_EQ(dialog->summary(), QString());
    EXPECT_EQ(dialog->problem(), QString()) << "nothing is wrong with a form that is not filled yet";
    type(QStringLiteral("Films"), QStringLiteral("/data/films"));
    type(QStringLiteral("Folder for clips"), QStringLiteral(" /data/sets/harbour/ "));
    EXPECT_EQ(dialog->problem(), QString());
    EXPECT_EQ(dialog->summary(), QStringLiteral("2 tasks of 4 CPUs share the films"));
    field<QSpinBox>(QStringLiteral("Tasks"))->setValue(1);
    field<QSpinBox>(QStringLiteral("CPUs per task"))->setValue(1);
    type(QStringLiteral("Memory per task"), QStringLiteral("2G"));
    EXPECT_EQ(dialog->summary(), QStringLiteral("1 task of 1 CPU"));
    const auto request = dialog->request();
    EXPECT_EQ(request.name, "harbour") << "the folder's unless another is typed";
    EXPECT_EQ(request.job.films, std::vector<std::string>{"/data/films"});
    EXPECT_TRUE(request.job.writeClips);
    EXPECT_EQ(request.resources.memory, "2G");
}

TEST_F(CurateForm, SaysWhatIsWrongWhereItIsTyped) {
    type(QStringLiteral("Films"), QStringLiteral("films"));
    type(QStringLiteral("Folder for clips"), QStringLiteral("/data/sets/harbour"));
    EXPECT_THAT(dialog->problem().toStdString(), HasSubstr("expected absolute paths of the cluster"));
    EXPECT_EQ(dialog->summary(), QString());
    type(QStringLiteral("Films"), QStringLiteral("/data/films"));
    type(QStringLiteral("Time limit"), QStringLiteral("soon"));
    EXPECT_THAT(dialog->problem().toStdString(), HasSubstr("time_limit"));
}

TEST_F(CurateForm, AsksForAConnectionWhereThereIsNone) {
    bool asked = false;
    QObject::connect(dialog, &CurateDialog::connectRequested, dialog, [&] { asked = true; });
    for (auto* button : dialog->findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("Connect…")) button->click();
    EXPECT_TRUE(asked);
}

}  // namespace
}  // namespace dailies::ui
