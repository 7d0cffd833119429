#pragma once

#include "ui/charts/chart_panel.h"
#include "ui/widgets/form_dialog.h"
#include "ui/widgets/output_file_field.h"
#include "ui/widgets/output_format_box.h"

#include <functional>
#include <stop_token>

class QCheckBox;
class QComboBox;

namespace dailies::ui {

/// Writes a chart to a file: asks in which form, how much of it, and where. Closes once it is written.
class ChartExportDialog : public FormDialog {
    Q_OBJECT

public:
    /// `morePoints`: there are more in the store than are drawn. `exporter` is asked on the GUI thread.
    ChartExportDialog(const QString& title, bool morePoints,
                      std::function<ChartPanel::Exporter(const ChartPanel::FileOptions&)> exporter,
                      QWidget* parent = nullptr);
    ~ChartExportDialog() override;

    bool isSettled() const { return !m_exporting; }

signals:
    void exported(const QString& file);

protected:
    void reject() override;

private:
    ChartPanel::Format format() const;
    void refresh();
    void start();

    bool m_morePoints;
    std::function<ChartPanel::Exporter(const ChartPanel::FileOptions&)> m_exporter;
    std::stop_source m_stop;
    bool m_exporting = false;
    OutputFileField* m_file;
    OutputFormatBox* m_format;
    QComboBox* m_points;
    QCheckBox* m_labels;
};

}  // namespace dailies::ui
