#pragma once

#include <QString>

#include <functional>
#include <vector>

class QWidget;

namespace dailies::ui {

/// Something that a page can do, found by walking over it.
struct PageAction {
    QString name;       ///< with what it acts on, where it says so: "Fork lr=0.001…"
    QString plainName;  ///< as the page itself has it: "Group by › Sweep"
    QString words;      ///< what else it is looked for by
    QString keys;       ///< "Ctrl+F"; empty: none
    bool enabled = true;
    QString disabledReason;     ///< why it is not, where the page knows: "Select a run first"
    bool onSelection = false;   ///< acts on what is selected on its page
    std::function<void()> run;  ///< does nothing once the page has taken the action away

    bool namesTarget() const { return name != plainName; }
};

/// Everything that can be done on a page: its actions that have a text (`QWidget::actions()`, of it and of
/// what is in it), the entries of its buttons' menus, its buttons and its tabs, less what it leaves out
/// (ui/widgets/palette_hints.h). Each name once; of what a page repeats (a button in every row) nothing,
/// because no name would say which is meant.
///
/// A menu that is filled when it opens is asked to fill itself. What is in a tab counts, and its tab is shown
/// before it is run; what is otherwise hidden does not.
std::vector<PageAction> collectActions(QWidget& page);

}  // namespace dailies::ui
