#include "ui/launch/command_view.h"

#include "core/sweep/command.h"
#include "ui/theme/theme.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTextOption>

namespace dailies::ui {

QString commandLines(const std::vector<std::string>& words) {
    QString text;
    for (const auto& word : words) {
        if (!text.isEmpty())
            text += word.starts_with("--") ? QStringLiteral(" \\\n    ") : QStringLiteral(" ");
        text += sanitized(sweep::commandLineWord(word));
    }
    return text;
}

CommandView::CommandView(QWidget* parent)
    : QWidget(parent),
      m_none(makeLabel(tr("Shown once the sweep is ready."), TextStyle::Body, TextTone::Muted)) {
    auto* column = makeColumn(space::k8);
    column->addWidget(m_none);
    setLayout(column);
    m_first = addBlock(tr("Command of the first run"));
    m_last = addBlock(tr("Command of the last run"));
    m_sampling = addBlock(tr("Command that samples each checkpoint"));
    column->addStretch();
    clear();
}

CommandView::Block CommandView::addBlock(const QString& name) {
    const Block block{makeLabel({}, TextStyle::Strong), new QPlainTextEdit};
    block.heading->setWordWrap(true);
    block.heading->setBuddy(block.words);
    block.words->setReadOnly(true);
    block.words->setTextInteractionFlags(block.words->textInteractionFlags() | Qt::TextSelectableByKeyboard);
    block.words->setTabChangesFocus(true);
    block.words->setFont(Theme::font(TextStyle::Mono));
    block.words->setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    block.words->setAccessibleName(name);
    layout()->addWidget(block.heading);
    static_cast<QBoxLayout*>(layout())->addWidget(block.words, 1);
    return block;
}

void CommandView::show(const Block& block, const QString& heading, const QString& words) {
    block.heading->setText(heading);
    if (block.words->toPlainText() != words) block.words->setPlainText(words);
    block.heading->setVisible(!words.isEmpty());
    block.words->setVisible(!words.isEmpty());
}

void CommandView::setCommands(const sweep::Sweep& sweep, const std::vector<sweep::PlannedRun>& runs,
                              const std::vector<std::vector<std::string>>& commands) {
    if (runs.empty() || commands.size() != runs.size()) return clear();
    m_none->hide();
    const bool isOne = runs.size() == 1;
    show(m_first, isOne ? tr("The run") : tr("First run: %1").arg(sanitized(runs.front().name)),
         commandLines(commands.front()));
    show(m_last, tr("Last run: %1").arg(sanitized(runs.back().name)),
         isOne ? QString() : commandLines(commands.back()));
    if (const auto& sampling = sweep.sampleCheckpoints; sampling && sweep.program)
        show(m_sampling,
             tr("Each checkpoint: %1").arg(sanitized(sweep::sampledCheckpoints(*sampling, *sweep.program))),
             commandLines(sweep::shownWords(sweep::samplingWords(*sampling))));
    else
        show(m_sampling, {}, {});
}

void CommandView::clear() {
    m_none->show();
    show(m_first, {}, {});
    show(m_last, {}, {});
    show(m_sampling, {}, {});
}

QString CommandView::text() const {
    QStringList parts;
    for (const Block& block : {m_first, m_last, m_sampling})
        if (!block.words->toPlainText().isEmpty())
            parts << block.heading->text() + QLatin1Char('\n') + block.words->toPlainText();
    return parts.join(QLatin1Char('\n'));
}

}  // namespace dailies::ui
