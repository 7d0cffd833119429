#pragma once

#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QString>

#include <filesystem>
#include <functional>
#include <vector>

class QKeyEvent;

namespace dailies::ui {

/// Everything a page does by key, in one place: each action has a name, the keys it comes with, the keys a
/// person gave it, and what it does. The page's cheat sheet is made from this. GUI thread only.
///
/// Keys are single strokes. Signs count as they are typed, whichever modifiers the keyboard needs for them:
/// "?" is "?" with and without Shift.
class ShortcutActions : public QObject {
    Q_OBJECT

public:
    using Keys = QList<QKeySequence>;

    struct Action {
        QString id;  ///< in the settings file: "frame-forward"
        QString group;
        QString name;  ///< for a person: "Next frame"
        Keys defaults;
        std::function<void()> run;
        Keys keys;  ///< the ones that call it
    };

    explicit ShortcutActions(QObject* parent = nullptr);

    /// Adds an action at the end of its group. Ids and default keys are unique; asserts that they are.
    void add(const QString& group, const QString& id, const QString& name, const Keys& defaults,
             std::function<void()> run);

    const std::vector<Action>& actions() const { return m_actions; }
    const Action* find(const QString& id) const;

    /// Runs the action of the pressed key; false when there is none.
    bool handle(const QKeyEvent& event);

    /// Gives the action these keys. An action that had one of them loses it; its name is returned ("" for
    /// none).
    QString setKeys(const QString& id, const Keys& keys);
    void restoreDefaults();

    /// Reads the person's keys for this page from a file and keeps them there from now on, both on a worker
    /// thread. A file that cannot be read changes nothing; what it says of unknown actions is kept.
    void setFile(const std::filesystem::path& file, const QString& page);

    /// The action's name with its keys, for a tooltip: "Next frame (→)".
    QString describe(const QString& id) const;

    /// "→", "Ctrl+←", "Shift+P": as menus and the cheat sheet show them.
    static QString text(const QKeySequence& key);
    static QString text(const Keys& keys);

    /// The stroke as `Action::keys` hold it; empty for a modifier alone.
    static QKeySequence stroke(const QKeyEvent& event);

signals:
    void changed();  ///< someone's keys are others now

private:
    void save();

    std::vector<Action> m_actions;
    std::filesystem::path m_file;  ///< empty until it has been read
    QString m_page;
    bool m_isSaving = false;
    bool m_saveAgain = false;  ///< keys changed meanwhile
};

}  // namespace dailies::ui
