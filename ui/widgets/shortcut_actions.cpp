#include "ui/widgets/shortcut_actions.h"

#include "core/base/files.h"
#include "core/base/json.h"
#include "ui/bridge/run_async.h"

#include <QKeyEvent>
#include <QStringList>

#include <algorithm>
#include <map>
#include <utility>

namespace dailies::ui {

namespace {

using SavedKeys = std::map<std::string, std::vector<std::string>>;

bool isSign(int key) {
    return key > Qt::Key_Space && key <= Qt::Key_AsciiTilde && !(key >= Qt::Key_A && key <= Qt::Key_Z);
}

QKeySequence normalised(Qt::KeyboardModifiers modifiers, int key) {
    modifiers &= Qt::ShiftModifier | Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier;
    if (isSign(key)) modifiers &= ~Qt::KeyboardModifiers(Qt::ShiftModifier);
    if (key == Qt::Key_Enter) key = Qt::Key_Return;  // the one on the keypad
    return QKeySequence(QKeyCombination(modifiers, static_cast<Qt::Key>(key)));
}

QKeySequence normalised(const QKeySequence& key) {
    return key.isEmpty() ? key : normalised(key[0].keyboardModifiers(), key[0].key());
}

ShortcutActions::Keys normalised(const ShortcutActions::Keys& keys) {
    ShortcutActions::Keys result;
    for (const QKeySequence& key : keys)
        if (const QKeySequence one = normalised(key); !one.isEmpty() && !result.contains(one)) result << one;
    return result;
}

Json readKeys(const std::filesystem::path& file) {
    return std::filesystem::exists(file) ? parseJson(readFile(file), file.string()) : Json::object();
}

SavedKeys keysOfPage(const Json& all, const std::string& page) {
    SavedKeys saved;
    if (!all.contains(page)) return saved;
    for (const auto& [id, keys] : all[page].items()) saved[id] = keys.get<std::vector<std::string>>();
    return saved;
}

void writeKeys(const std::filesystem::path& file, const std::string& page, const SavedKeys& changed,
               const SavedKeys& unchanged) {
    Json all = Json::object();
    try {
        all = readKeys(file);
    } catch (const std::exception&) {
        // A damaged file is replaced by a whole one.
    }
    Json& ofPage = all[page];
    for (const auto& [id, keys] : unchanged)
        if (ofPage.contains(id)) ofPage.erase(id);
    for (const auto& [id, keys] : changed) ofPage[id] = keys;
    writeFileAtomically(file, all.dump(2) + "\n");
}

}  // namespace

ShortcutActions::ShortcutActions(QObject* parent) : QObject(parent) {}

void ShortcutActions::add(const QString& group, const QString& id, const QString& name, const Keys& defaults,
                          std::function<void()> run) {
    Q_ASSERT_X(!find(id), "KeyActions::add", qPrintable(id));
    const Keys keys = normalised(defaults);
    for (const Action& other : m_actions)
        for (const QKeySequence& key : keys)
            Q_ASSERT_X(!other.defaults.contains(key), "KeyActions::add", qPrintable(id + " and " + other.id));
    const auto lastOfGroup = std::find_if(m_actions.rbegin(), m_actions.rend(),
                                          [&](const Action& action) { return action.group == group; });
    m_actions.insert(lastOfGroup == m_actions.rend() ? m_actions.end() : lastOfGroup.base(),
                     {id, group, name, keys, std::move(run), keys});
}

const ShortcutActions::Action* ShortcutActions::find(const QString& id) const {
    const auto found = std::find_if(m_actions.begin(), m_actions.end(),
                                    [&](const Action& action) { return action.id == id; });
    return found == m_actions.end() ? nullptr : &*found;
}

bool ShortcutActions::handle(const QKeyEvent& event) {
    const QKeySequence key = stroke(event);
    if (key.isEmpty()) return false;
    const auto called = std::find_if(m_actions.begin(), m_actions.end(),
                                     [&](const Action& action) { return action.keys.contains(key); });
    if (called == m_actions.end()) return false;
    const auto run = called->run;  // it may open a dialog in which the actions change
    run();
    return true;
}

QString ShortcutActions::setKeys(const QString& id, const Keys& keys) {
    const Keys wanted = normalised(keys);
    QString robbed;
    for (Action& action : m_actions) {
        if (action.id == id) {
            action.keys = wanted;
            continue;
        }
        const auto had = action.keys.removeIf([&](const QKeySequence& key) { return wanted.contains(key); });
        if (had > 0) robbed = action.name;
    }
    save();
    emit changed();
    return robbed;
}

void ShortcutActions::restoreDefaults() {
    for (Action& action : m_actions) action.keys = action.defaults;
    save();
    emit changed();
}

// -- kept between sessions

void ShortcutActions::setFile(const std::filesystem::path& file, const QString& page) {
    m_page = page;
    runAsync(
        this,
        [file, key = page.toStdString()](const std::stop_token&) { return keysOfPage(readKeys(file), key); },
        [this, file](const SavedKeys& saved) {
            for (Action& action : m_actions) {
                const auto own = saved.find(action.id.toStdString());
                if (own == saved.end()) continue;
                action.keys.clear();
                for (const std::string& key : own->second)
                    action.keys << QKeySequence::fromString(QString::fromStdString(key),
                                                            QKeySequence::PortableText);
                action.keys = normalised(action.keys);
            }
            m_file = file;
            emit changed();
        },
        [this, file](const Error&) { m_file = file; });
}

void ShortcutActions::save() {
    if (m_file.empty()) return;
    if (std::exchange(m_isSaving, true)) {  // one writing at a time, or an older one might come last
        m_saveAgain = true;
        return;
    }
    SavedKeys own, usual;
    for (const Action& action : m_actions) {
        auto& keys = (action.keys == action.defaults ? usual : own)[action.id.toStdString()];
        for (const QKeySequence& key : action.keys)
            keys.push_back(key.toString(QKeySequence::PortableText).toStdString());
    }
    const auto ended = [this] {
        m_isSaving = false;
        if (std::exchange(m_saveAgain, false)) save();
    };
    runAsync(
        this,
        [file = m_file, page = m_page.toStdString(), own, usual](const std::stop_token&) {
            writeKeys(file, page, own, usual);
        },
        ended, [ended](const Error&) { ended(); });
}

// -- in words

QString ShortcutActions::describe(const QString& id) const {
    const Action* action = find(id);
    if (!action) return {};
    return action->keys.isEmpty() ? action->name
                                  : QStringLiteral("%1 (%2)").arg(action->name, text(action->keys.first()));
}

QString ShortcutActions::text(const QKeySequence& key) {
    if (key.isEmpty()) return {};
    const auto native = [](const QKeySequence& keys) { return keys.toString(QKeySequence::NativeText); };
    const int last = key[0].key();
    const QString sign = last == Qt::Key_Left     ? QStringLiteral("←")
                         : last == Qt::Key_Right  ? QStringLiteral("→")
                         : last == Qt::Key_Up     ? QStringLiteral("↑")
                         : last == Qt::Key_Down   ? QStringLiteral("↓")
                         : last == Qt::Key_Return ? tr("Enter")
                                                  : QString();
    QString text = native(key);
    if (!sign.isEmpty()) text.replace(text.size() - native(last).size(), native(last).size(), sign);
    return text;
}

QString ShortcutActions::text(const Keys& keys) {
    QStringList texts;
    for (const QKeySequence& key : keys) texts << text(key);
    return texts.join(tr(" or "));
}

QKeySequence ShortcutActions::stroke(const QKeyEvent& event) {
    switch (event.key()) {
        case Qt::Key_Control:
        case Qt::Key_Shift:
        case Qt::Key_Alt:
        case Qt::Key_AltGr:
        case Qt::Key_Meta:
        case Qt::Key_unknown:
        case 0:
            return {};
        default:
            return normalised(event.modifiers(), event.key());
    }
}

}  // namespace dailies::ui
