#pragma once

#include "core/query/completion.h"
#include "core/query/query_error.h"
#include "core/query/vocabulary.h"
#include "ui/runs/run_matcher.h"

#include <QLineEdit>
#include <QStringList>
#include <QTimer>
#include <QWidget>

#include <memory>
#include <string>

class QLabel;
class QListWidget;

namespace dailies::ui {

using VocabularyPtr = std::shared_ptr<const query::Vocabulary>;

/// The box above the table. A text in MLflow's filter language filters by it, anything else searches for its
/// words. While it is typed, keys and values that the runs really have are proposed; a mistake is underlined
/// where it is and explained below, and the table keeps what it showed.
///
/// ↓ opens the suggestions (or, in an empty box, recent filters), Tab takes the first, Enter the chosen one
/// or applies, Esc closes the suggestions, then empties the box, then leaves it.
class FilterBox : public QLineEdit {
    Q_OBJECT

public:
    explicit FilterBox(QWidget* parent = nullptr);

    /// The text is read again: short names of keys may mean something now.
    void setVocabulary(VocabularyPtr vocabulary);
    /// Whether a vocabulary could make more of the text than the one at hand does.
    bool wantsVocabulary() const;
    /// The message below the box; empty when the text is understood.
    QString problem() const;
    /// What is proposed now; empty while the list is closed.
    QStringList suggestions() const;

signals:
    void matcherChanged(const dailies::ui::RunMatcher& matcher);
    /// A person is done here: the table is to have the focus.
    void left();
    /// The vocabulary is about to be needed.
    void used();

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void handleTextChanged();
    void setProblem(const std::string& problem, std::size_t position, std::size_t length,
                    const query::Proposal& proposal);
    QString problemWithLinks() const;
    void take(const QString& link);
    void suggest(bool asked);
    void showRecent();
    void openList();
    void accept(int row);
    void remember();
    void showProblem();
    void clearProblem();

    VocabularyPtr m_vocabulary;
    QStringList m_recent;  ///< newest first
    query::Completion m_completion;
    bool m_showsRecent = false;
    QListWidget* m_list = nullptr;  ///< a child of the window, so that it may reach over the table
    QLabel* m_message = nullptr;
    bool m_searching = false;  ///< the table shows what was found by words
    QTimer m_problemLater;
    QString m_problem;
    query::Proposal m_proposal;                  ///< that the message names
    int m_problemFrom = 0, m_problemLength = 0;  ///< in QChars
};

}  // namespace dailies::ui
