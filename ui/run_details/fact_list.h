#pragma once

#include "ui/run_details/run_facts.h"

#include <QWidget>

#include <vector>

class QLabel;
class QVBoxLayout;

namespace dailies::ui {

/// Facts below one another: names at the left, values that can be selected and copied at the right. Values
/// that change (a duration, every second) are put in place; only other names make other rows. For tens of
/// facts, not thousands.
class FactList : public QWidget {
    Q_OBJECT

public:
    explicit FactList(QWidget* parent = nullptr);
    void setGroups(std::vector<FactGroup> groups);
    const std::vector<FactGroup>& groups() const { return m_groups; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    /// As wide as the longest name, where the values leave room for it.
    void fitNames();

    std::vector<FactGroup> m_groups;
    std::vector<QLabel*> m_names;   ///< as m_values
    std::vector<QLabel*> m_values;  ///< of all groups' facts, in order
    QVBoxLayout* m_column;
};

/// The run's messages, newest first.
class MessageList : public QWidget {
    Q_OBJECT

public:
    explicit MessageList(QWidget* parent = nullptr);
    void setMessages(const std::vector<tracking::RunMessage>& messages);

private:
    std::size_t m_count = 0;
    QVBoxLayout* m_column;
};

}  // namespace dailies::ui
