#include "ui/curating/caption_dialog.h"

#include "tests/ui/curating/dataset_form.h"

#include <QCheckBox>
#include <QPlainTextEdit>
#include <QSpinBox>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

using testing::HasSubstr;

class CaptionForm : public DatasetForm<CaptionDialog> {
protected:
    CaptionForm() : DatasetForm(QStringLiteral("/data/sets/harbour")) {}
};

TEST_F(CaptionForm, TakesACommandOrAUrlAndSaysWhatItComesTo) {
    EXPECT_EQ(dialog->summary(), QString()) << "no server yet";
    EXPECT_EQ(dialog->problem(), QString());
    type(QStringLiteral("Model server"), QStringLiteral("vllm serve qwen --port ${port}"));
    EXPECT_EQ(dialog->summary(), QStringLiteral("2 tasks of 1 GPU share the clips"));
    auto request = dialog->request();
    EXPECT_EQ(request.name, "harbour");
    EXPECT_EQ(request.job.folder, "/data/sets/harbour");
    EXPECT_EQ(request.job.serve, "vllm serve qwen --port ${port}");
    EXPECT_EQ(request.job.server, "");
    EXPECT_EQ(request.job.settings.key(), captioning::CaptionSettings().key()) << "the usual prompt";

    type(QStringLiteral("Model server"), QStringLiteral("http://node:8000/v1"));
    field<QSpinBox>(QStringLiteral("GPUs per task"))->setValue(0);
    field<QSpinBox>(QStringLiteral("Tasks"))->setValue(1);
    field<QSpinBox>(QStringLiteral("Pictures per clip"))->setValue(4);
    type(QStringLiteral("Name"), QStringLiteral("words"));
    EXPECT_EQ(dialog->summary(), QStringLiteral("1 task of 4 CPUs"));
    request = dialog->request();
    EXPECT_EQ(request.name, "words");
    EXPECT_EQ(request.job.server, "http://node:8000/v1");
    EXPECT_EQ(request.job.serve, "");
    EXPECT_EQ(request.job.settings.frames, 4);
}

TEST_F(CaptionForm, SaysWhatIsWrongWhereItIsTyped) {
    type(QStringLiteral("Model server"), QStringLiteral("http://ada:secret@node/v1"));
    EXPECT_THAT(dialog->problem().toStdString(), HasSubstr("OPENAI_API_KEY"));
    type(QStringLiteral("Model server"), QStringLiteral("http://node/v1"));
    type(QStringLiteral("Curated folder"), QStringLiteral("sets/harbour"));
    EXPECT_THAT(dialog->problem().toStdString(), HasSubstr("expected an absolute path of the cluster"));
    type(QStringLiteral("Curated folder"), QStringLiteral("/sets/harbour"));
    field<QPlainTextEdit>(QStringLiteral("Prompt"))->clear();
    ASSERT_TRUE(waitUntil([&] { return dialog->isSettled(); }));
    EXPECT_THAT(dialog->problem().toStdString(), HasSubstr("what to ask of each clip"));
}

}  // namespace
}  // namespace dailies::ui
