#pragma once

#include <QPlainTextEdit>

#include <set>
#include <vector>

namespace dailies::ui {

/// Text in the mono face with the numbers of its lines, of which some can be marked.
class CodeEditor : public QPlainTextEdit {
    Q_OBJECT

public:
    explicit CodeEditor(const QString& name, QWidget* parent = nullptr);

    /// By line: whether it was changed; and which lines, from 1, are broken.
    void setMarks(std::vector<bool> changed, std::set<std::size_t> broken);
    void showLine(std::size_t line);
    /// As a change of the text, so that it can be undone and the place in it stays.
    void replaceText(const QString& text);

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    int gutterWidth() const;
    void placeGutter();
    void paintGutter();
    void paintMarks();

    QWidget* m_gutter;
    std::vector<bool> m_changed;
    std::set<std::size_t> m_broken;
};

}  // namespace dailies::ui
