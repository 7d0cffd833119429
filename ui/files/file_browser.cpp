#include "ui/files/file_browser.h"

#include "core/base/size_text.h"
#include "core/base/text.h"
#include "remote/ssh/session_error.h"
#include "ui/files/remote_items_model.h"
#include "ui/theme/icons.h"
#include "ui/widgets/choose_path.h"
#include "ui/widgets/form_dialog.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QFileInfo>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPointer>
#include <QProgressBar>
#include <QPushButton>
#include <QShortcut>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>

#include <algorithm>

namespace dailies::ui {

namespace {

using remote::RemoteItem;

constexpr QSize kSize{860, 560};
constexpr int kNarrow = 720, kHoldsWidth = 250, kNarrowHoldsWidth = 170;
constexpr int kCrumbWidth = 140, kCrumbPadding = 36;
constexpr int kBesideCrumbs =
    440;  ///< the buttons, the filter, the root and what stands for the folders left out
constexpr int kThousandths = 1000;

/// A second sign-in beside a connection that stands: keys and agents do it without a question.
class NoQuestions : public remote::ssh::Prompter {
public:
    Trust trustHostKey(const remote::ssh::HostKey&) override { return Trust::Refuse; }
    std::optional<std::string> secret(const std::string&, bool) override { return std::nullopt; }
};

std::string parentOf(const std::string& path) {
    const auto slash = path.find_last_of('/');
    return slash == std::string::npos || slash == 0 ? "/" : path.substr(0, slash);
}

std::string lastPart(const std::string& path) {
    return path.substr(path.find_last_of('/') + 1);
}

}  // namespace

FileBrowser::FileBrowser(ClusterWorker& worker, Wanted wanted, const std::string& path, QWidget* parent)
    : QDialog(parent),
      m_worker(worker),
      m_wanted(wanted),
      m_model(new RemoteItemsModel(this)),
      m_place(new QStackedWidget),
      m_crumbs(new QWidget),
      m_crumbRow(makeRow(0)),
      m_path(new QLineEdit),
      m_filter(new QLineEdit),
      m_body(new QStackedWidget),
      m_table(new QTableView),
      m_empty(new EmptyState(QStringLiteral("folder"), {}, {})),
      m_hint(new ElidedLabel(TextStyle::Body, TextTone::Muted)),
      m_progress(new QProgressBar),
      m_send(makeButton(tr("Upload…"), ButtonKind::Normal, QStringLiteral("launch"))),
      m_cancel(makeButton(tr("Cancel"))),
      m_take(makeButton({}, ButtonKind::Primary)) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Files on %1").arg(sanitized(worker.clusterName())));
    resize(kSize);
    configureRowList(*m_table, tr("Files and folders"));
    m_table->setModel(m_model);
    m_table->setIconSize({16, 16});
    auto* header = m_table->horizontalHeader();
    header->setStretchLastSection(false);
    header->setSectionResizeMode(RemoteItemsModel::Name, QHeaderView::Stretch);
    m_table->setWordWrap(false);
    m_table->setColumnWidth(RemoteItemsModel::Holds, kHoldsWidth);
    m_table->setColumnWidth(RemoteItemsModel::Size, 104);
    m_table->setColumnWidth(RemoteItemsModel::Modified, 140);
    m_table->installEventFilter(this);
    m_filter->installEventFilter(this);
    m_path->installEventFilter(this);
    m_body->addWidget(m_table);
    m_body->addWidget(m_empty);

    auto* column = makeColumn(0);
    column->addWidget(makeHead());
    column->addWidget(makeLine());
    column->addWidget(m_body, 1);
    column->addWidget(makeLine());
    column->addWidget(makeFoot());
    setLayout(column);
    // what Qt adds of its own has no names
    for (auto* button : m_filter->findChildren<QAbstractButton*>()) button->setAccessibleName(tr("Clear"));
    for (auto* button : m_table->findChildren<QAbstractButton*>()) button->setAccessibleName(tr("All rows"));

    connect(m_table, &QTableView::activated, this, &FileBrowser::activate);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &FileBrowser::refreshFoot);
    connect(m_model, &QAbstractItemModel::modelReset, this, &FileBrowser::refreshFoot);
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& words) {
        m_model->setFilter(words);
        refreshBody();
        if (!words.isEmpty() && m_model->rowCount() > 0) m_table->selectRow(0);
    });
    connect(m_path, &QLineEdit::returnPressed, this, [this] {
        m_place->setCurrentIndex(0);
        go(m_path->text().trimmed().toStdString());
    });
    connect(&m_worker, &ClusterWorker::folderListed, this,
            [this](const std::string& asked, const remote::RemoteFolder& found) {
                if (m_loading && asked == m_asked) display(found);
            });
    connect(&m_worker, &ClusterWorker::folderListingFailed, this,
            [this](const std::string& asked, const Error& error) {
                if (m_loading && asked == m_asked) fail(error);
            });
    for (const auto& [keys, action] : {std::pair{QKeySequence(Qt::CTRL | Qt::Key_Return), &FileBrowser::take},
                                       {QKeySequence(Qt::CTRL | Qt::Key_L), &FileBrowser::typePath},
                                       {QKeySequence(Qt::ALT | Qt::Key_Up), &FileBrowser::up}})
        connect(new QShortcut(keys, this), &QShortcut::activated, this, action);
    connect(new QShortcut(QKeySequence(Qt::Key_F5), this), &QShortcut::activated, this,
            [this] { go(m_folder.path); });
    m_table->setFocus();
    go(path);
}

QWidget* FileBrowser::makeHead() {
    auto* head = new QWidget;
    auto* row = makeRow(space::k8, {space::k16, space::k12, space::k16, space::k12});
    auto* home = makeIconButton(QStringLiteral("folder"), tr("Home folder"));
    auto* upwards = makeIconButton(QStringLiteral("chevron-up"), tr("One folder up (Backspace)"));
    auto* type = makeIconButton(QStringLiteral("pen"), tr("Type a path (Ctrl+L)"));
    auto* again = makeIconButton(QStringLiteral("refresh"), tr("Refresh (F5)"));
    m_crumbs->setLayout(m_crumbRow);
    m_path->setAccessibleName(tr("Path on the cluster"));
    m_path->setPlaceholderText(tr("/absolute, or below your home folder"));
    m_place->addWidget(m_crumbs);
    m_place->addWidget(m_path);
    m_place->setFixedHeight(kControlHeight);
    m_place->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);  // a deep folder does not widen it
    m_filter->setAccessibleName(tr("Filter by name"));
    m_filter->setPlaceholderText(tr("Filter"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setFixedWidth(160);
    row->addWidget(home);
    row->addWidget(upwards);
    row->addWidget(m_place, 1);
    row->addWidget(type);
    row->addWidget(again);
    row->addWidget(m_filter);
    head->setLayout(row);
    connect(home, &QToolButton::clicked, this, [this] { go({}); });
    connect(upwards, &QToolButton::clicked, this, &FileBrowser::up);
    connect(type, &QToolButton::clicked, this, &FileBrowser::typePath);
    connect(again, &QToolButton::clicked, this, [this] { go(m_folder.path); });
    return head;
}

QWidget* FileBrowser::makeFoot() {
    auto* foot = new QWidget;
    auto* row = makeRow(space::k8, {space::k16, space::k12, space::k16, space::k12});
    auto* words = makeColumn(space::k4);
    m_progress->setRange(0, kThousandths);
    m_progress->setTextVisible(false);
    m_progress->setFixedHeight(space::k4);
    m_progress->setAccessibleName(tr("Upload"));
    m_progress->hide();
    words->addWidget(m_hint);
    words->addWidget(m_progress);
    m_send->setToolTip(tr("Copy a folder from this machine into the one that is shown"));
    for (auto* button : {m_send, m_cancel, m_take}) button->setAutoDefault(false);  // Return is the table's
    row->addLayout(words, 1);
    row->addWidget(m_send);
    row->addWidget(m_cancel);
    row->addWidget(m_take);
    foot->setLayout(row);
    connect(m_send, &QPushButton::clicked, this, &FileBrowser::chooseUpload);
    connect(m_cancel, &QPushButton::clicked, this, &FileBrowser::reject);
    connect(m_take, &QPushButton::clicked, this, &FileBrowser::take);
    return foot;
}

void FileBrowser::go(const std::string& path) {
    m_asked = path;
    m_loading = true;
    refreshFoot();
    m_worker.browse(path);
}

void FileBrowser::display(const remote::RemoteFolder& folder) {
    // from below, the folder that was left is where the eye was
    if (m_folder.path != "/" && folder.path == parentOf(m_folder.path)) m_select = lastPart(m_folder.path);
    m_loading = false;
    m_folder = folder;
    {
        const QSignalBlocker quiet(m_filter);
        m_filter->clear();
    }
    m_model->setFilter({});
    m_model->setItems(folder.items);
    refreshBody();
    refreshColumns();
    m_place->setCurrentIndex(0);
    if (const int row = m_select.empty() ? -1 : m_model->rowOf(m_select); row >= 0) {
        m_table->selectRow(row);
        m_table->scrollTo(m_model->index(row, 0), QAbstractItemView::PositionAtCenter);
    } else {
        m_table->setCurrentIndex({});
        m_table->scrollToTop();
    }
    m_select.clear();
    m_table->setFocus();
    refreshCrumbs();
    refreshFoot();
}

void FileBrowser::resizeEvent(QResizeEvent* event) {
    QDialog::resizeEvent(event);
    refreshColumns();
    if (!m_folder.path.empty() && m_place->currentIndex() == 0) refreshCrumbs();
}

void FileBrowser::refreshColumns() {
    const bool narrow = width() < kNarrow;
    const bool anyHint =
        std::ranges::any_of(m_folder.items, [](const RemoteItem& item) { return !item.hint.empty(); });
    m_table->setColumnHidden(RemoteItemsModel::Holds, !anyHint);
    m_table->setColumnHidden(RemoteItemsModel::Modified, narrow && anyHint);
    m_table->setColumnWidth(RemoteItemsModel::Holds, narrow ? kNarrowHoldsWidth : kHoldsWidth);
}

void FileBrowser::refreshBody() {
    m_body->setCurrentIndex(m_model->rowCount() == 0 ? 1 : 0);
    if (m_model->rowCount() > 0) return;
    if (!m_filter->text().isEmpty())
        m_empty->setTexts(tr("No such name here"),
                          tr("No matches in this folder. Press Esc to clear the filter."));
    else if (!m_folder.items.empty())
        m_empty->setTexts(tr("Nothing here but hidden files"),
                          tr("A dot in the filter shows names that begin with one."));
    else
        m_empty->setTexts(tr("Nothing here"),
                          tr("This folder is empty. Copy a dataset into it with Upload."));
}

void FileBrowser::fail(const Error& error) {
    m_loading = false;
    m_empty->setTexts(QString::fromStdString(error.what()), QString::fromStdString(error.remedy()));
    m_body->setCurrentIndex(1);
    if (m_folder.path.empty()) typePath();
    refreshFoot();
}

void FileBrowser::refreshCrumbs() {
    while (auto* old = m_crumbRow->takeAt(0)) {
        delete old->widget();
        delete old;
    }
    std::vector<std::string> paths{m_folder.path};
    while (paths.back() != "/") paths.push_back(parentOf(paths.back()));
    const QFontMetrics metrics(m_crumbs->font());
    const auto nameOf = [&](const std::string& path) {
        return path == "/" ? QStringLiteral("/")
                           : metrics.elidedText(QString::fromStdString(remote::printableName(lastPart(path))),
                                                Qt::ElideMiddle, kCrumbWidth);
    };
    // as many of the last folders as there is room for, one at least
    int room = width() - kBesideCrumbs;
    std::size_t shown = 0;
    for (; shown + 1 < paths.size(); ++shown) {
        room -= metrics.horizontalAdvance(nameOf(paths[shown])) + kCrumbPadding;
        if (shown > 0 && room < 0) break;
    }
    const auto addCrumb = [&](const std::string& path) {
        auto* crumb =
            makeButton(nameOf(path).replace(QLatin1Char('&'), QStringLiteral("&&")), ButtonKind::Ghost);
        crumb->setAutoDefault(false);
        crumb->setToolTip(sanitized(path));
        crumb->setAccessibleName(tr("Folder %1").arg(sanitized(path)));
        connect(crumb, &QPushButton::clicked, this, [this, path] { go(path); });
        m_crumbRow->addWidget(crumb);
    };
    addCrumb(paths.back());
    if (shown + 1 < paths.size())
        m_crumbRow->addWidget(makeLabel(QStringLiteral("…"), TextStyle::Body, TextTone::Faint));
    for (std::size_t i = shown; i-- > 0;) {
        if (i + 2 < paths.size())
            m_crumbRow->addWidget(makeLabel(QStringLiteral("/"), TextStyle::Body, TextTone::Faint));
        addCrumb(paths[i]);
    }
    m_crumbRow->addStretch();
    m_path->setText(QString::fromStdString(m_folder.path));
}

const RemoteItem* FileBrowser::selected() const {
    const auto rows = m_table->selectionModel()->selectedRows();
    return rows.isEmpty() ? nullptr : &m_model->item(rows.front().row());
}

std::string FileBrowser::childPath(const std::string& name) const {
    return (m_folder.path == "/" ? "" : m_folder.path) + "/" + name;
}

std::string FileBrowser::wantedPath() const {
    if (m_folder.path.empty() || m_loading) return {};
    const auto* item = selected();
    if (!item) return m_folder.path;
    if (item->kind == RemoteItem::Kind::Folder) return childPath(item->name);
    const bool shard = item->kind == RemoteItem::Kind::File && item->name.ends_with(".tar");
    return shard && m_wanted == Wanted::FolderOrShard ? childPath(item->name) : m_folder.path;
}

void FileBrowser::refreshFoot() {
    const auto path = wantedPath();
    m_take->setText(path.empty() ? tr("Choose")
                                 : tr("Choose %1")
                                       .arg(m_take->fontMetrics().elidedText(
                                           sanitized(path == "/" ? path : lastPart(path))
                                               .replace(QLatin1Char('&'), QStringLiteral("&&")),
                                           Qt::ElideMiddle, 160)));
    m_take->setToolTip(tr("Choose %1 (Ctrl+Enter)").arg(sanitized(path)));
    m_take->setEnabled(!path.empty());
    m_send->setEnabled(!m_uploading && !m_folder.path.empty());
    m_cancel->setText(m_uploading ? tr("Stop the upload") : tr("Cancel"));
    if (m_uploading) return;
    const auto* item = selected();
    QString hint = m_loading ? tr("Looking…") : sanitized(m_folder.hint);
    if (!m_loading && item && !item->hint.empty()) hint = sanitized(item->hint);
    if (!m_loading && hint.isEmpty())
        hint = m_model->rowCount() == 1 ? tr("1 entry") : tr("%1 entries").arg(m_model->rowCount());
    if (!m_folder.complete) hint += tr(" (its first %1 entries)").arg(remote::kMaxItems);
    m_hint->setFullText(hint);
}

void FileBrowser::activate(const QModelIndex& index) {
    const auto& item = m_model->item(index.row());
    if (item.kind == RemoteItem::Kind::Folder)
        go(childPath(item.name));
    else if (wantedPath() == childPath(item.name))
        take();
}

void FileBrowser::up() {
    if (!m_folder.path.empty() && m_folder.path != "/") go(parentOf(m_folder.path));
}

void FileBrowser::take() {
    const auto path = wantedPath();
    if (path.empty() || m_uploading) return;
    emit chosen(QString::fromStdString(path));
    accept();
}

void FileBrowser::typePath() {
    m_place->setCurrentIndex(1);
    m_path->setFocus();
    m_path->selectAll();
}

void FileBrowser::chooseUpload() {
    chooseFolder(*this, tr("Folder to copy to the cluster"),
                 [this](const QString& folder) { upload(folder); });
}

void FileBrowser::upload(const QString& local) {
    if (!m_worker.info() || m_uploading) return;
    m_uploading = true;
    m_progress->setValue(0);
    m_progress->show();
    m_hint->setFullText(tr("Copying %1…").arg(QFileInfo(local).fileName()));
    refreshFoot();
    const auto remote = childPath(QFileInfo(local).fileName().toStdString());
    const auto report = [self = QPointer(this)](std::uint64_t done, std::uint64_t total) {
        detail::postToGui([=] {
            if (!self || !self->m_uploading) return;
            self->m_progress->setValue(total > 0 ? static_cast<int>(done * kThousandths / total) : 0);
            self->m_hint->setFullText(
                tr("%1 of %2")
                    .arg(QString::fromStdString(sizeText(done)), QString::fromStdString(sizeText(total))));
        });
    };
    m_upload = runAsync(
        this,
        [profile = m_worker.info()->profile, local = local.toStdString(), remote,
         report](std::stop_token stop) {
            NoQuestions prompter;
            try {
                remote::ssh::Session session(remote::endpointOf(profile), prompter, stop);
                std::uint64_t said = 0;
                session.uploadFolder(local, remote, stop, [&](std::uint64_t done, std::uint64_t total) {
                    if (done != total && (done - said) * kThousandths < total)
                        return;  // less than can be seen
                    said = done;
                    report(done, total);
                });
            } catch (const remote::ssh::SessionError& error) {
                if (error.failure() != remote::ssh::Failure::Authentication) throw;
                throw Error("A second connection for the upload needs an answer that only you can give.",
                            "In a terminal: dailies files put " + shellQuote(profile.name) + " " +
                                shellQuote(local) + " " + shellQuote(remote));
            }
        },
        [this, remote] {
            endUpload();
            m_select = lastPart(remote);
            go(m_folder.path);
        },
        [this](const Error& error) {
            endUpload();
            m_hint->setFullText(QString::fromStdString(error.full()));
        });
}

void FileBrowser::endUpload() {
    m_uploading = false;
    m_progress->hide();
    refreshFoot();
}

void FileBrowser::keyPressEvent(QKeyEvent* event) {
    if (!pressFocusedButton(*this, *event)) QDialog::keyPressEvent(event);
}

void FileBrowser::reject() {
    if (!m_uploading) return QDialog::reject();
    m_upload.cancel();
    endUpload();
    m_hint->setFullText(tr("Upload stopped. Upload the folder again to resume."));
}

bool FileBrowser::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) return QDialog::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool plain = (key->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == Qt::NoModifier;
    if (watched == m_table && plain) {
        if (key->key() == Qt::Key_Backspace) {
            up();
            return true;
        }
        // Letters filter, as a person who knows the name expects.
        if (!key->text().isEmpty() && key->text().front().isPrint() && key->text() != QLatin1String(" ")) {
            m_filter->setFocus();
            m_filter->setText(key->text());
            return true;
        }
    }
    if (watched == m_filter && plain) {
        if (key->key() == Qt::Key_Down) {
            m_table->setFocus();
            if (m_model->rowCount() > 0 && !m_table->currentIndex().isValid()) m_table->selectRow(0);
            return true;
        }
        if ((key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) && m_model->rowCount() > 0) {
            activate(m_table->currentIndex().isValid() ? m_table->currentIndex() : m_model->index(0, 0));
            return true;
        }
        if (key->key() == Qt::Key_Escape && !m_filter->text().isEmpty()) {
            m_filter->clear();
            m_table->setFocus();
            return true;
        }
    }
    if (watched == m_path && key->key() == Qt::Key_Escape && !m_folder.path.empty()) {
        m_place->setCurrentIndex(0);
        m_table->setFocus();
        return true;
    }
    return QDialog::eventFilter(watched, event);
}

}  // namespace dailies::ui
