#pragma once

#include <QSortFilterProxyModel>
#include <QStringList>

namespace dailies::ui {

/// The runs that match the filter box, in the order of the clicked column. Every word of the filter must
/// occur somewhere in the run: name, id, sweep, status, reason, or `key=value` of a param. Runs without a
/// value in the sorted column come last.
class RunFilter : public QSortFilterProxyModel {
    Q_OBJECT

public:
    explicit RunFilter(QObject* parent = nullptr);
    void setText(const QString& text);

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    QStringList m_words;
};

}  // namespace dailies::ui
