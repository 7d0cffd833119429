#pragma once

#include "tests/support/demo_store.h"
#include "tests/ui/wait_until.h"
#include "ui/link/cluster_worker.h"

#include <QLineEdit>
#include <gtest/gtest.h>

namespace dailies::ui {

/// A form of a job that makes a dataset, open, with no cluster connected.
template <class Dialog>
class DatasetForm : public testing::Test {
protected:
    template <class... Arguments>
    explicit DatasetForm(const Arguments&... arguments) : dialog(new Dialog(worker, arguments...)) {
        dialog->open();
    }
    ~DatasetForm() override { delete dialog; }

    template <class Field>
    Field* field(const QString& accessibleName) const {
        for (auto* each : dialog->template findChildren<Field*>())
            if (each->accessibleName() == accessibleName) return each;
        ADD_FAILURE() << "no field " << accessibleName.toStdString();
        return nullptr;
    }
    void type(const QString& name, const QString& text) {
        field<QLineEdit>(name)->setText(text);
        ASSERT_TRUE(waitUntil([&] { return dialog->isSettled(); }));
    }

    TemporaryFolder folder;
    test::DemoStore demo = test::makeDemoStore(folder.path(), {.runs = 1, .prompts = 1, .samples = 1});
    ClusterWorker worker{demo.file};
    Dialog* dialog;
};

}  // namespace dailies::ui
