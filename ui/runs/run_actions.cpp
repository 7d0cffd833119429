#include "ui/runs/run_actions.h"

#include "core/base/json.h"
#include "ui/bridge/write_store.h"
#include "ui/runs/run_table_model.h"
#include "ui/widgets/run_text.h"

#include <QRegularExpression>

namespace dailies::ui {

namespace {

QString cell(const RunTableModel& model, const tracking::Run& run, int row, int at) {
    const Column& column = model.column(at);
    if (column.kind == Column::Kind::Metric && !column.best) {
        const auto found = run.metrics.find(column.key);
        return found == run.metrics.end() ? QString()
                                          : QString::fromStdString(shortNumber(found->second.value));
    }
    if (column.kind == Column::Kind::Name) {
        return QString::fromStdString(run.name);
    }
    if (column.kind == Column::Kind::Param) {
        const auto found = run.params.find(column.key);
        return found == run.params.end() ? QString() : QString::fromStdString(found->second);
    }
    return row < 0 ? QString() : model.index(row, at).data().toString();
}

}  // namespace

RunActions::RunActions(std::filesystem::path storeFile, QObject* parent)
    : QObject(parent), m_storeFile(std::move(storeFile)) {}

template <typename Work, typename Done>
void RunActions::write(Work work, Done done) {
    if (!m_readOnly.isEmpty()) {
        emit failed(Error(m_readOnly.toStdString()));
        return;
    }
    ++m_pendingWrites;
    writeStore(
        this, m_storeFile, std::move(work),
        [this, done = std::move(done)](auto... result) {
            --m_pendingWrites;
            done(result...);
        },
        [this](const Error& error) {
            --m_pendingWrites;
            emit failed(error);
        });
}

void RunActions::archive(const std::vector<std::string>& runIds) {
    write([runIds](tracking::Store& store) { store.deleteRuns(runIds); },
          [this, runIds] { emit archived(runIds); });
}

void RunActions::restore(const std::vector<std::string>& runIds) {
    write([runIds](tracking::Store& store) { store.restoreRuns(runIds); },
          [this, runIds] { emit restored(runIds); });
}

void RunActions::purge(const std::vector<std::string>& runIds) {
    ++m_pendingWrites;
    writeStore(
        this, m_storeFile, [runIds](tracking::Store& store) { return store.purgeRuns(runIds); },
        [this](const tracking::PurgeResult& freed) {
            --m_pendingWrites;
            emit purged(freed);
        },
        [this](const Error& error) {
            --m_pendingWrites;
            emit purgeFailed(error);
        });
}

void RunActions::setTag(const std::vector<std::string>& runIds, const std::string& key,
                        const std::string& value) {
    write([=](tracking::Store& store) { store.setTags(runIds, key, value); },
          [this, runIds] { emit tagged(runIds); });
}

void RunActions::storeColors(std::vector<tracking::RunColor> colors) {
    std::erase_if(colors, [](const auto& color) { return color.stored; });
    if (colors.empty() || !m_readOnly.isEmpty()) {
        return;
    }
    ++m_pendingWrites;
    writeStore(
        this, m_storeFile,
        [colors = std::move(colors)](tracking::Store& store) {
            for (std::size_t color = 0; color < tracking::kRunColors.size(); ++color) {
                std::vector<std::string> ids;
                for (const auto& run : colors) {
                    if (run.color == color) {
                        ids.push_back(run.runId);
                    }
                }
                store.setTags(ids, tracking::tag::kColor, std::string(tracking::kRunColors[color]));
            }
        },
        [this] { --m_pendingWrites; },
        [this](const Error& error) {
            --m_pendingWrites;
            qWarning("%s", error.what());
        });
}

void RunActions::removeTag(const std::vector<std::string>& runIds, const std::string& key) {
    write([=](tracking::Store& store) { store.removeTag(runIds, key); },
          [this, runIds] { emit tagged(runIds); });
}

QString rowsAsTsv(const RunTableModel& model, const std::vector<std::string>& runIds) {
    static const QRegularExpression breaks(QStringLiteral("[\\t\\r\\n\\x00]+"));
    QStringList lines;
    QStringList titles;
    for (int at = 0; at < model.columnCount(); ++at) {
        if (model.column(at).kind != Column::Kind::Curve) {
            titles << model.headerData(at, Qt::Horizontal, Qt::DisplayRole).toString();
        }
    }
    lines << titles.join(QLatin1Char('\t'));
    for (const auto& id : runIds) {
        const auto run = model.find(id);
        if (!run) {
            continue;
        }
        QStringList cells;
        for (int at = 0; at < model.columnCount(); ++at) {
            if (model.column(at).kind != Column::Kind::Curve) {
                cells << cell(model, *run, model.rowOf(id), at).replace(breaks, QStringLiteral(" "));
            }
        }
        lines << cells.join(QLatin1Char('\t'));
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

}  // namespace dailies::ui
