#pragma once

#include "ui/charts/charted_run.h"

#include <QDialog>

#include <string>
#include <vector>

class QBoxLayout;
class QLineEdit;
class QPushButton;

namespace dailies::ui {

/// The tags of some runs at once: change a value, take a tag away, add one. Tags that MLflow and Dailies set
/// are left out.
class TagEditor : public QDialog {
    Q_OBJECT

public:
    TagEditor(const ChartedRuns& runs, QWidget* parent);

protected:
    void keyPressEvent(QKeyEvent* event) override;

signals:
    void set(const std::string& key, const std::string& value);
    void removed(const std::string& key);

private:
    void addLine(const std::string& key, const std::string& value, bool same);
    QBoxLayout* m_lines;
    QLineEdit* m_key;
    QLineEdit* m_value;
    QPushButton* m_add;
};

}  // namespace dailies::ui
