#include "ui/curating/shard_dialog.h"

#include "tests/ui/curating/dataset_form.h"

#include <QSpinBox>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

using testing::HasSubstr;

class ShardForm : public DatasetForm<ShardDialog> {
protected:
    ShardForm() : DatasetForm(QStringLiteral("/data/sets/harbour")) {}
};

TEST_F(ShardForm, AsksWhereShardsGoAndSaysWhatItComesTo) {
    EXPECT_EQ(dialog->summary(), QString());
    EXPECT_EQ(dialog->problem(), QString()) << "nothing is wrong with a form that is not filled yet";
    type(QStringLiteral("Folder for shards"), QStringLiteral("/data/shards/harbour"));
    EXPECT_EQ(dialog->summary(), QStringLiteral("1 task of 4 CPUs"));
    const auto request = dialog->request();
    EXPECT_EQ(request.name, "harbour");
    EXPECT_EQ(request.job.folder, "/data/sets/harbour");
    EXPECT_EQ(request.job.sizeMib, 1024);
    type(QStringLiteral("Folder for shards"), QStringLiteral("/data/sets/harbour"));
    EXPECT_THAT(dialog->problem().toStdString(), HasSubstr("found the curated folder itself"));
}

}  // namespace
}  // namespace dailies::ui
