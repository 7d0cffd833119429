#pragma once

#include "ui/review/outputs/clip_grid.h"
#include "ui/wall/wall_part.h"
#include "ui/widgets/form_dialog.h"
#include "ui/widgets/output_file_field.h"
#include "ui/widgets/output_format_box.h"

#include <vector>

class QCheckBox;
class QComboBox;

namespace dailies::ui {

/// What of the wall is put out, how, and where.
struct ClipExport {
    WallPart part;
    OutputOptions options;
    QString file;
};

/// Asks what of the wall is put out, how and where, and closes once it may be written: the work goes on below
/// the wall, where it can be watched and stopped.
class ClipExportDialog : public FormDialog {
    Q_OBJECT

public:
    /// `parts` as `wallParts` has them; `ending` of the format that is chosen first.
    ClipExportDialog(const WallScene& scene, std::vector<WallPart> parts, const QString& ending,
                     QWidget* parent = nullptr);

    bool isSettled() const { return !m_asking; }

signals:
    void chosen(const dailies::ui::ClipExport& what);

private:
    void fillForm(const WallScene& scene);
    void suggestSize();
    void refresh();
    void start();

    std::vector<WallPart> m_parts;
    bool m_sizeChosen = false;  ///< by a person; else it is what suits the format
    bool m_asking = false;
    OutputFileField* m_file;
    OutputFormatBox* m_format;
    QComboBox* m_part;
    QComboBox* m_size;
    QCheckBox* m_labels;
};

}  // namespace dailies::ui
