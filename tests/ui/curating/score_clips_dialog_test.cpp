#include "ui/curating/score_clips_dialog.h"

#include "tests/ui/curating/dataset_form.h"

#include <QSpinBox>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

using testing::HasSubstr;

class ScoreClipsForm : public DatasetForm<ScoreClipsDialog> {
protected:
    ScoreClipsForm() : DatasetForm(QStringLiteral("/data/sets/harbour")) {}
    QString file(const char* name, const char* bytes) const {
        writeFileAtomically(folder.path() / name, bytes);
        return QString::fromStdString((folder.path() / name).string());
    }
};

TEST_F(ScoreClipsForm, AsksForAScorerOfThisComputerAndSaysWhatItComesTo) {
    EXPECT_EQ(dialog->summary(), QString());
    EXPECT_EQ(dialog->problem(), QString()) << "nothing is wrong with a form that is not filled yet";
    type(QStringLiteral("Scorer"), file("my scorer.pt", "PK of a module"));
    EXPECT_EQ(field<QLineEdit>(QStringLiteral("Score's name"))->placeholderText(),
              QStringLiteral("my-scorer"));
    EXPECT_EQ(dialog->summary(), QStringLiteral("2 tasks of 1 GPU share the clips"));
    const auto request = dialog->request();
    EXPECT_EQ(request.name, "harbour");
    EXPECT_EQ(request.job.folder, "/data/sets/harbour");
    EXPECT_EQ(request.job.name, "my-scorer");
    EXPECT_EQ(request.job.frames, 32);
    type(QStringLiteral("Score's name"), QStringLiteral("aesthetic"));
    field<QSpinBox>(QStringLiteral("GPUs per task"))->setValue(0);
    EXPECT_EQ(dialog->request().job.name, "aesthetic");
    EXPECT_EQ(dialog->request().resources.gpusPerNode, 0);
}

TEST_F(ScoreClipsForm, SaysWhatIsWrong) {
    type(QStringLiteral("Scorer"), file("weights.pt", "no archive"));
    EXPECT_THAT(dialog->problem().toStdString(), HasSubstr("is not a TorchScript module"));
    type(QStringLiteral("Scorer"), QStringLiteral("/no/scorer.pt"));
    EXPECT_THAT(dialog->problem().toStdString(), HasSubstr("/no/scorer.pt"));
    type(QStringLiteral("Scorer"), file("scorer.pt", "PK of a module"));
    type(QStringLiteral("Score's name"), QStringLiteral("two words"));
    EXPECT_THAT(dialog->problem().toStdString(), HasSubstr("two words"));
}

}  // namespace
}  // namespace dailies::ui
