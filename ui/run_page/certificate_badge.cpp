#include "ui/run_page/certificate_badge.h"

#include "ui/run_details/run_facts.h"
#include "ui/theme/icons.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>

namespace dailies::ui {

CertificateBadge::CertificateBadge(QWidget* parent)
    : QFrame(parent), m_icon(new QLabel), m_text(makeLabel({}, TextStyle::Strong)) {
    setObjectName(QStringLiteral("certificate"));
    setProperty("card", true);
    auto* row = makeRow(space::k8, {space::k16, space::k8, space::k16, space::k8});
    row->addWidget(m_icon, 0, Qt::AlignTop);
    row->addWidget(m_text, 1);
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    setLayout(row);
    hide();
    onThemeChange(this, [this] { showIcon(); });
}

void CertificateBadge::setRun(const tracking::Run& run) {
    const auto certificate = certificateOf(run);
    setVisible(certificate.has_value());
    if (!certificate) return;
    m_proven = certificate->proven;
    m_text->setText(sanitized(events::textOf(*certificate)));
    setTone(m_text, m_proven ? TextTone::Success : TextTone::Danger);
    setToolTip(sanitized(events::detailsOf(*certificate)));
    setAccessibleName(m_text->text());
    showIcon();
}

void CertificateBadge::showIcon() {
    const auto& color = m_proven ? colors().success : colors().danger;
    m_icon->setPixmap(icon(m_proven ? QStringLiteral("done") : QStringLiteral("error"), color)
                          .pixmap(QSize(16, 16), devicePixelRatioF()));
}

}  // namespace dailies::ui
