#include "ui/compare/code_difference_dialog.h"

#include "ui/theme/theme.h"
#include "ui/theme/tokens.h"
#include "ui/widgets/widgets.h"

#include <QApplication>
#include <QBoxLayout>
#include <QClipboard>
#include <QPlainTextEdit>
#include <QSyntaxHighlighter>

namespace dailies::ui {

namespace {

constexpr QSize kSize{960, 640};

class DiffColors : public QSyntaxHighlighter {
public:
    using QSyntaxHighlighter::QSyntaxHighlighter;

protected:
    void highlightBlock(const QString& line) override {
        QTextCharFormat format;
        if (line.startsWith(QLatin1String("--- ")) || line.startsWith(QLatin1String("+++ ")))
            format.setFontWeight(QFont::DemiBold);
        else if (line.startsWith(QLatin1Char('+')))
            format.setForeground(colors().success);
        else if (line.startsWith(QLatin1Char('-')))
            format.setForeground(colors().danger);
        else if (line.startsWith(QLatin1String("@@")))
            format.setForeground(colors().accent);
        else
            return;
        setFormat(0, static_cast<int>(line.size()), format);
    }
};

}  // namespace

CodeDifferenceDialog::CodeDifferenceDialog(const QString& reference, const QString& run,
                                           const QString& difference, QWidget* parent)
    : QDialog(parent), m_text(new QPlainTextEdit) {
    setWindowTitle(tr("Code of %1 against %2").arg(run, reference));
    setAccessibleName(windowTitle());
    setAttribute(Qt::WA_DeleteOnClose);
    resize(kSize);
    auto* page = makeColumn(space::k12, {space::k16, space::k16, space::k16, space::k16});
    setLayout(page);
    auto* title = makeLabel(windowTitle(), TextStyle::Title);
    title->setWordWrap(true);
    page->addWidget(title);
    m_text->setReadOnly(true);
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setFont(Theme::font(TextStyle::Mono));
    m_text->setPlaceholderText(tr("The code is the same."));
    m_text->setAccessibleName(windowTitle());
    auto* highlighter = new DiffColors(m_text->document());
    connect(&Theme::instance(), &Theme::changed, highlighter, &QSyntaxHighlighter::rehighlight);
    m_text->setPlainText(difference);
    page->addWidget(m_text, 1);
    auto* row = makeRow(space::k8);
    row->addStretch();
    auto* copy = makeButton(tr("Copy"));
    copy->setEnabled(!difference.isEmpty());
    connect(copy, &QPushButton::clicked, this, [this, difference] {
        QApplication::clipboard()->setText(difference);
        emit copied();
    });
    row->addWidget(copy);
    auto* close = makeButton(tr("Close"), ButtonKind::Primary);
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    row->addWidget(close);
    page->addLayout(row);
}

}  // namespace dailies::ui
