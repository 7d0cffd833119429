// How ThemeStyle draws; what it measures is in theme_style.cpp.
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/theme/theme_style.h"

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QDateTime>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QPainterPath>
#include <QStyleOption>
#include <QTimer>
#include <QTreeView>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr double kMenuRadius = 8, kItemRadius = 4;
constexpr int kBusyFrameMs = 40, kBusyRoundMs = 1400;

void fillRounded(QPainter* p, const QRectF& rect, const QColor& fill, double radius) {
    p->save();
    p->setRenderHint(QPainter::Antialiasing);
    p->setPen(Qt::NoPen);
    p->setBrush(fill);
    p->drawRoundedRect(rect, radius, radius);
    p->restore();
}

/// A rounded area with a hairline as its edge.
void drawBox(QPainter* p, const QRect& rect, const QColor& fill, const QColor& edge,
             double radius = kRadius) {
    p->save();
    p->setRenderHint(QPainter::Antialiasing);
    p->setPen(edge.alpha() == 0 ? QPen(Qt::NoPen) : QPen(edge, 1));
    p->setBrush(fill);
    p->drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    p->restore();
}

/// Where the keyboard is: an edge of two pixels, seen at a glance.
void drawFocus(QPainter* p, const QRect& rect, const QColor& color, double radius = kRadius) {
    p->save();
    p->setRenderHint(QPainter::Antialiasing);
    p->setPen(QPen(color, 2));
    p->setBrush(Qt::NoBrush);
    p->drawRoundedRect(QRectF(rect).adjusted(1, 1, -1, -1), radius, radius);
    p->restore();
}

void drawChevron(QPainter* p, const QRect& rect, bool up, const QColor& color) {
    const QPointF c = QRectF(rect).center();
    const double dy = up ? -1.75 : 1.75;
    p->save();
    p->setRenderHint(QPainter::Antialiasing);
    p->setPen(QPen(color, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    p->drawPolyline(QPolygonF{{c.x() - 3.5, c.y() - dy}, {c.x(), c.y() + dy}, {c.x() + 3.5, c.y() - dy}});
    p->restore();
}

void drawSideChevron(QPainter* p, const QRect& rect, bool left, const QColor& color) {
    const QPointF c = QRectF(rect).center();
    const double dx = left ? -1.75 : 1.75;
    p->save();
    p->setRenderHint(QPainter::Antialiasing);
    p->setPen(QPen(color, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    p->drawPolyline(QPolygonF{{c.x() - dx, c.y() - 3.5}, {c.x() + dx, c.y()}, {c.x() - dx, c.y() + 3.5}});
    p->restore();
}

void drawTick(QPainter* p, const QRectF& rect, const QColor& color) {
    const auto at = [&](double x, double y) {
        return QPointF(rect.left() + x * rect.width(), rect.top() + y * rect.height());
    };
    p->save();
    p->setRenderHint(QPainter::Antialiasing);
    p->setPen(QPen(color, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    p->drawPolyline(QPolygonF{at(0.24, 0.52), at(0.43, 0.71), at(0.78, 0.31)});
    p->restore();
}

bool has(const QStyleOption* option, QStyle::StateFlag flag) {
    return option->state & flag;
}

bool hovered(const QStyleOption* option) {
    return has(option, QStyle::State_MouseOver) && has(option, QStyle::State_Enabled);
}

/// In every state of the widget, or Qt would take the disabled colour for a text that is only muted.
void setColor(QPalette& palette, QPalette::ColorRole role, const QColor& color) {
    palette.setColor(QPalette::All, role, color);
}

bool isField(const QWidget* widget) {
    return !widget || !(qobject_cast<const QComboBox*>(widget->parentWidget()) ||
                        qobject_cast<const QAbstractSpinBox*>(widget->parentWidget()));
}

void drawField(QPainter* p, const QStyleOption* option, const QWidget* widget) {
    const Palette& c = colors();
    const bool enabled = has(option, QStyle::State_Enabled);
    const bool focus = has(option, QStyle::State_HasFocus) && enabled;
    const bool title = widget && widget->objectName() == QLatin1String("title");
    const bool problem = widget && widget->property("problem").toBool();
    QColor edge = !enabled ? c.border : problem ? c.danger : c.borderStrong;
    QColor fill = enabled && !has(option, QStyle::State_ReadOnly) ? c.raised : c.surface;
    if (title && !focus) {
        edge = hovered(option) ? c.border : QColor(Qt::transparent);
        fill = Qt::transparent;
    }
    drawBox(p, option->rect, fill, edge);
    if (focus) drawFocus(p, option->rect, problem ? c.danger : c.accent);
}

struct ButtonLook {
    QColor fill, edge, text, focus;
};

ButtonLook buttonLook(const QStyleOption* option, const QWidget* widget) {
    const Palette& c = colors();
    const QString variant = widget ? widget->property("variant").toString() : QString();
    const bool keys = widget && widget->objectName() == QLatin1String("keys");
    const bool enabled = has(option, QStyle::State_Enabled), over = hovered(option);
    const bool on = has(option, QStyle::State_On);
    const QColor none = Qt::transparent;
    if (keys) {
        const bool listening = widget->property("listening").toBool();
        return {listening ? c.accentSoft
                : over    ? c.hover
                          : none,
                listening ? c.accent : none, c.text, c.accent};
    }
    if (variant == QLatin1String("primary")) {
        if (!enabled) return {c.pressed, c.pressed, c.textFaint, c.text};
        const QColor fill = over ? c.accentHover : c.accent;
        return {fill, fill, c.accentText, c.text};
    }
    if (variant == QLatin1String("ghost")) {
        const QColor text = !enabled ? c.textFaint : over || on ? c.text : c.textMuted;
        return {on ? c.accentSoft : over ? c.hover : none, none, text, c.accent};
    }
    const QColor text = !enabled ? c.textFaint : variant == QLatin1String("danger") ? c.danger : c.text;
    if (!enabled) return {c.surface, c.border, text, c.accent};
    if (on) return {c.accentSoft, c.accent, text, c.accent};
    const QColor fill = has(option, QStyle::State_Sunken) ? c.pressed : over ? c.hover : c.raised;
    return {fill, c.borderStrong, text, c.accent};
}

void drawSurface(QPainter* p, const QRect& rect, const QStyleOption* option, const QWidget* widget) {
    const Palette& c = colors();
    switch (surfaceOf(widget)) {
        case Surface::Card:
            return drawBox(p, rect, c.surface, c.border, 8);
        case Surface::Raised:
            return drawBox(p, rect, c.raised, c.borderStrong, kMenuRadius);
        case Surface::Bar:
            p->fillRect(rect, c.surface);
            return p->fillRect(rect.left(), rect.bottom(), rect.width(), 1, c.border);
        case Surface::Sidebar:
            p->fillRect(rect, c.surface);
            return p->fillRect(rect.right(), rect.top(), 1, rect.height(), c.border);
        case Surface::Line:
            return p->fillRect(rect, c.border);
        case Surface::Side:
        case Surface::View:
            return p->fillRect(rect, c.surface);
        case Surface::TextArea:
            drawBox(p, rect, c.surface, c.border);
            if (has(option, QStyle::State_HasFocus)) drawFocus(p, rect, c.accent);
            return;
        case Surface::TextField:
            return drawField(p, option, widget);
        case Surface::None:
            return;
    }
}

void drawItemPanel(QPainter* p, const QStyleOptionViewItem* item, const QWidget* widget) {
    const Palette& c = colors();
    const bool selected = has(item, QStyle::State_Selected);
    const QColor fill = selected ? c.accentSoft : hovered(item) ? c.hover : QColor(Qt::transparent);
    if (item->backgroundBrush.style() != Qt::NoBrush) p->fillRect(item->rect, item->backgroundBrush);
    if (qobject_cast<const QListView*>(widget)) {
        if (fill.alpha() > 0) fillRounded(p, item->rect, fill, kRadius);
        return;
    }
    if (fill.alpha() > 0) p->fillRect(item->rect, fill);
    p->fillRect(item->rect.left(), item->rect.bottom(), item->rect.width(), 1, c.border);
}

void drawMenuItem(QPainter* p, const QStyleOptionMenuItem* item, const QWidget* widget) {
    const Palette& c = colors();
    const bool enabled = has(item, QStyle::State_Enabled), selected = has(item, QStyle::State_Selected);
    if (item->menuItemType == QStyleOptionMenuItem::Separator && item->text.isEmpty()) {
        p->fillRect(item->rect.left() + 8, item->rect.center().y(), item->rect.width() - 16, 1, c.border);
        return;
    }
    if (selected && enabled) fillRounded(p, item->rect, c.accentSoft, kItemRadius);
    if (selected && !enabled) drawBox(p, item->rect, Qt::transparent, c.border, kItemRadius);
    QRect text = item->rect.adjusted(12, 0, -24, 0);
    if (item->maxIconWidth > 0 || item->menuHasCheckableItems) {
        const QRect picture(text.left() - 2, item->rect.center().y() - 7, 16, 16);
        if (item->checkType != QStyleOptionMenuItem::NotCheckable && item->checked)
            drawTick(p, picture, enabled ? c.accent : c.textFaint);
        else if (!item->icon.isNull())
            item->icon.paint(p, picture, Qt::AlignCenter,
                             !enabled   ? QIcon::Disabled
                             : selected ? QIcon::Active
                                        : QIcon::Normal);
        text.setLeft(text.left() + 24);
    }
    p->save();
    p->setFont(item->font);
    const bool heading = item->menuItemType == QStyleOptionMenuItem::Separator;
    const int flags = Qt::AlignVCenter | Qt::TextSingleLine | Qt::TextShowMnemonic;
    const auto tab = item->text.indexOf(u'\t');
    p->setPen(!enabled || heading ? c.textFaint : c.text);
    p->drawText(text, flags | Qt::AlignLeft, item->text.left(tab));
    if (tab >= 0) {
        p->setPen(c.textFaint);
        p->drawText(text.adjusted(0, 0, 12, 0), flags | Qt::AlignRight, item->text.mid(tab + 1));
    }
    p->restore();
    if (item->menuItemType == QStyleOptionMenuItem::SubMenu)
        drawSideChevron(p, {item->rect.right() - 20, item->rect.top(), 16, item->rect.height()},
                        item->direction == Qt::RightToLeft, enabled ? c.textMuted : c.textFaint);
    Q_UNUSED(widget);
}

void drawProgress(QPainter* p, const QStyleOptionProgressBar* bar, const QWidget* widget) {
    const Palette& c = colors();
    fillRounded(p, bar->rect, c.pressed, 2);
    QRectF chunk = bar->rect;
    if (bar->maximum > bar->minimum) {
        const double part = double(bar->progress - bar->minimum) / (double(bar->maximum) - bar->minimum);
        if (part <= 0) return;
        chunk.setWidth(chunk.width() * std::min(part, 1.0));
    } else {  // nobody knows how far: a piece that goes along
        const double at = double(QDateTime::currentMSecsSinceEpoch() % kBusyRoundMs) / kBusyRoundMs;
        chunk.setWidth(chunk.width() / 4);
        chunk.moveLeft(bar->rect.left() + at * 5 * chunk.width() - chunk.width());
        chunk = chunk.intersected(bar->rect);
        auto* self = const_cast<QWidget*>(widget);
        if (self && !self->property("busyFrame").toBool()) {
            self->setProperty("busyFrame", true);
            QTimer::singleShot(kBusyFrameMs, self, [self] {
                self->setProperty("busyFrame", false);
                self->update();
            });
        }
    }
    fillRounded(p, chunk, c.accent, 2);
}

void drawTab(QPainter* p, const QStyleOptionTab* tab) {
    const Palette& c = colors();
    const bool selected = has(tab, QStyle::State_Selected), focus = has(tab, QStyle::State_HasFocus);
    if (!selected) return;
    const TabMargins margins = tabMargins(tab);
    const QRect line(tab->rect.left() + margins.left, tab->rect.bottom() - 1,
                     tab->rect.width() - margins.left - margins.right, 2);
    p->fillRect(line, c.accent);
    if (focus) drawFocus(p, tab->rect.adjusted(margins.left - 4, 3, 4 - margins.right, -3), c.accent, 4);
}

void drawCheckBox(QPainter* p, const QStyleOption* option, bool round) {
    const Palette& c = colors();
    const bool enabled = has(option, QStyle::State_Enabled);
    const bool on = has(option, QStyle::State_On), partly = has(option, QStyle::State_NoChange);
    const double radius = round ? option->rect.height() / 2.0 : 4;
    const QColor edge = on || partly      ? (enabled ? c.accent : c.borderStrong)
                        : hovered(option) ? c.accent
                                          : c.borderStrong;
    drawBox(p, option->rect, on || partly ? (enabled ? c.accent : c.textFaint) : c.raised, edge, radius);
    const QRectF inside = option->rect;
    if (round && on)
        fillRounded(p, QRectF(inside).adjusted(5, 5, -5, -5), c.accentText, 3);
    else if (on)
        drawTick(p, inside, c.accentText);
    else if (partly)
        fillRounded(p, {inside.left() + 4, inside.center().y() - 1, inside.width() - 8, 2}, c.accentText, 1);
    if (has(option, QStyle::State_HasFocus)) drawFocus(p, option->rect, on ? c.text : c.accent, radius);
}

}  // namespace

void ThemeStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* p,
                               const QWidget* widget) const {
    const Palette& c = colors();
    const QRect& r = option->rect;
    switch (element) {
        case PE_Widget:
            if (widget && widget->objectName() == QLatin1String("page")) p->fillRect(r, c.window);
            return;
        case PE_PanelButtonCommand: {
            const ButtonLook look = buttonLook(option, widget);
            drawBox(p, r, look.fill, look.edge);
            if (has(option, State_HasFocus)) drawFocus(p, r, look.focus);
            return;
        }
        case PE_PanelButtonTool: {
            const QColor fill = has(option, State_On)         ? c.accentSoft
                                : !has(option, State_Enabled) ? QColor(Qt::transparent)
                                : has(option, State_Sunken)   ? c.pressed
                                : hovered(option)             ? c.hover
                                                              : QColor(Qt::transparent);
            drawBox(p, r, fill, Qt::transparent);
            if (has(option, State_HasFocus)) drawFocus(p, r, c.accent);
            return;
        }
        case PE_PanelLineEdit:
            if (isField(widget)) drawField(p, option, widget);
            return;
        case PE_FrameLineEdit:
        case PE_FrameTabBarBase:
        case PE_PanelScrollAreaCorner:
        case PE_FrameDefaultButton:
        case PE_FrameMenu:
            return;
        case PE_FrameTabWidget:
            return p->fillRect(r.left(), r.top(), r.width(), 1, c.border);
        case PE_FrameFocusRect: {
            // Buttons, check boxes and tabs draw it themselves; a chosen row is seen by its colour.
            const auto* view = qobject_cast<const QAbstractItemView*>(widget);
            if (view && !has(option, State_Selected)) drawFocus(p, r, c.accent, kItemRadius);
            return;
        }
        case PE_IndicatorCheckBox:
            return drawCheckBox(p, option, false);
        case PE_IndicatorItemViewItemCheck: {
            QStyleOption box = *option;
            box.state &= ~State_HasFocus;
            return drawCheckBox(p, &box, false);
        }
        case PE_IndicatorRadioButton:
            return drawCheckBox(p, option, true);
        case PE_IndicatorArrowUp:
        case PE_IndicatorArrowDown:
            return drawChevron(p, r, element == PE_IndicatorArrowUp, c.textMuted);
        case PE_IndicatorArrowLeft:
        case PE_IndicatorArrowRight:
            return drawSideChevron(p, r, element == PE_IndicatorArrowLeft, c.textMuted);
        case PE_IndicatorHeaderArrow:
            if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option))
                drawChevron(p, r, header->sortIndicator == QStyleOptionHeader::SortUp, c.textFaint);
            return;
        case PE_PanelItemViewItem:
            if (const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(option))
                drawItemPanel(p, item, widget);
            return;
        case PE_PanelItemViewRow:  // beside the items of a tree
            if (has(option, State_Selected)) p->fillRect(r, c.accentSoft);
            return;
        case PE_PanelMenu:
            p->fillRect(r, c.raised);
            return drawBox(p, r, c.raised, c.borderStrong, kMenuRadius);
        case PE_PanelTipLabel:
            p->fillRect(r, c.raised);
            return drawBox(p, r, c.raised, c.borderStrong, 0);
        default:
            return QProxyStyle::drawPrimitive(element, option, p, widget);
    }
}

void ThemeStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* p,
                             const QWidget* widget) const {
    const Palette& c = colors();
    const QRect& r = option->rect;
    switch (element) {
        case CE_ShapedFrame: {
            if (surfaceOf(widget) != Surface::None) return drawSurface(p, r, option, widget);
            const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
            if (frame && frame->frameShape == QFrame::StyledPanel) return;
            break;
        }
        case CE_PushButtonLabel:
            if (const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option)) {
                QStyleOptionButton label = *button;
                setColor(label.palette, QPalette::ButtonText, buttonLook(option, widget).text);
                label.state &= ~State_HasFocus;  // which would draw the icon as if the pointer were on it
                if (widget && widget->objectName() == QLatin1String("keys"))
                    return drawItemText(p, r.adjusted(5, 0, -5, 0), Qt::AlignLeft | Qt::AlignVCenter,
                                        label.palette, true, label.text, QPalette::ButtonText);
                return QProxyStyle::drawControl(element, &label, p, widget);
            }
            break;
        case CE_ComboBoxLabel:
            if (const auto* box = qstyleoption_cast<const QStyleOptionComboBox*>(option)) {
                // Qt would cut off what has no room in the middle of a letter
                QStyleOptionComboBox label = *box;
                const int icon = box->currentIcon.isNull() ? 0 : box->iconSize.width() + space::k4;
                const int room = subControlRect(CC_ComboBox, box, SC_ComboBoxEditField, widget).width();
                label.currentText =
                    box->fontMetrics.elidedText(box->currentText, Qt::ElideRight, room - icon - 2);
                return QProxyStyle::drawControl(element, &label, p, widget);
            }
            break;
        case CE_HeaderSection:
        case CE_HeaderEmptyArea:
            p->fillRect(r, element == CE_HeaderSection && hovered(option) ? c.hover : c.surface);
            if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
                !header || header->orientation == Qt::Horizontal)
                p->fillRect(r.left(), r.bottom(), r.width(), 1, c.border);
            return;
        case CE_Header:  // whole, because Qt asks itself where the label is, and not this style
            if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option)) {
                drawControl(CE_HeaderSection, option, p, widget);
                QStyleOptionHeader label;
                label = *header;
                label.version = QStyleOptionHeader::Version;
                label.rect = subElementRect(SE_HeaderLabel, option, widget);
                setColor(label.palette, QPalette::ButtonText, hovered(option) ? c.text : c.textMuted);
                QProxyStyle::drawControl(CE_HeaderLabel, &label, p, widget);
                if (header->sortIndicator != QStyleOptionHeader::None) {
                    label.rect = subElementRect(SE_HeaderArrow, option, widget);
                    drawPrimitive(PE_IndicatorHeaderArrow, &label, p, widget);
                }
                return;
            }
            break;
        case CE_ItemViewItem:
            if (const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(option)) {
                QStyleOptionViewItem entry = *item;
                setColor(entry.palette, QPalette::HighlightedText, entry.palette.color(QPalette::Text));
                return QProxyStyle::drawControl(element, &entry, p, widget);
            }
            break;
        case CE_MenuItem:
            if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option))
                return drawMenuItem(p, item, widget);
            break;
        case CE_MenuEmptyArea:
        case CE_ProgressBarLabel:
        case CE_ProgressBarContents:
            return;
        case CE_ProgressBarGroove:
            if (const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option))
                return drawProgress(p, bar, widget);
            break;
        case CE_Splitter:
            return p->fillRect(r, hovered(option) || has(option, State_HasFocus) ? c.accent : c.border);
        case CE_TabBarTabShape:
            if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option)) return drawTab(p, tab);
            break;
        case CE_TabBarTabLabel:
            if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option)) {
                const QRect text = subElementRect(SE_TabBarTabText, option, widget);
                if (!tab->icon.isNull())
                    tab->icon.paint(p, QRect(text.left() - tab->iconSize.width() - 4,
                                             text.center().y() - tab->iconSize.height() / 2,
                                             tab->iconSize.width(), tab->iconSize.height()));
                p->save();
                p->setPen(!has(tab, State_Enabled)                      ? c.textFaint
                          : has(tab, State_Selected) || hovered(option) ? c.text
                                                                        : c.textMuted);
                p->drawText(text, Qt::AlignCenter | Qt::TextShowMnemonic, tab->text);
                p->restore();
                return;
            }
            break;
        default:
            break;
    }
    QProxyStyle::drawControl(element, option, p, widget);
}

void ThemeStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* p,
                                    const QWidget* widget) const {
    const Palette& c = colors();
    switch (control) {
        case CC_ToolButton:
            if (const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option)) {
                proxy()->drawPrimitive(PE_PanelButtonTool, option, p, widget);
                QStyleOptionToolButton label = *button;
                label.rect = option->rect.adjusted(5, 5, -5, -5);
                const bool lit = hovered(option) || has(option, State_On);
                setColor(label.palette, QPalette::ButtonText,
                         !has(option, State_Enabled) ? c.textFaint
                         : lit                       ? c.text
                                                     : c.textMuted);
                return proxy()->drawControl(CE_ToolButtonLabel, &label, p, widget);
            }
            break;
        case CC_ComboBox: {
            drawField(p, option, widget);
            const QRect arrow = subControlRect(control, option, SC_ComboBoxArrow, widget);
            return drawChevron(p, arrow, false, has(option, State_Enabled) ? c.textMuted : c.textFaint);
        }
        case CC_SpinBox: {
            drawField(p, option, widget);
            const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
            if (!spin || spin->buttonSymbols == QAbstractSpinBox::NoButtons) return;
            for (const auto part : {SC_SpinBoxUp, SC_SpinBoxDown}) {
                const bool up = part == SC_SpinBoxUp;
                const QRect arrow = subControlRect(control, option, part, widget);
                const bool can = spin->stepEnabled &
                                 (up ? QAbstractSpinBox::StepUpEnabled : QAbstractSpinBox::StepDownEnabled);
                if (can && hovered(option) && option->activeSubControls & part)
                    fillRounded(p, arrow.adjusted(1, 1, -1, -1), c.hover, 3);
                drawChevron(p, arrow, up, can && has(option, State_Enabled) ? c.textMuted : c.borderStrong);
            }
            return;
        }
        case CC_ScrollBar: {
            const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
            if (!bar || bar->maximum <= bar->minimum) return;
            const bool over = has(option, State_MouseOver) && option->activeSubControls & SC_ScrollBarSlider;
            const QRect handle = subControlRect(control, option, SC_ScrollBarSlider, widget);
            return fillRounded(p, handle.adjusted(2, 2, -2, -2), over ? c.textFaint : c.borderStrong, 3);
        }
        case CC_Slider:
            if (const auto* slider = qstyleoption_cast<const QStyleOptionSlider*>(option);
                slider && slider->orientation == Qt::Horizontal) {
                const QRect handle = subControlRect(control, option, SC_SliderHandle, widget);
                const QRect groove(option->rect.left(), handle.center().y() - 1, option->rect.width(), 4);
                const bool focus = has(option, State_HasFocus);
                fillRounded(p, groove, c.pressed, 2);
                const bool enabled = has(option, State_Enabled);
                fillRounded(p,
                            slider->upsideDown
                                ? QRect(handle.center(), groove.bottomRight())
                                : QRect(groove.topLeft(), QPoint(handle.center().x(), groove.bottom())),
                            enabled ? c.accent : c.borderStrong, 2);
                drawBox(p, handle,
                        !enabled                   ? c.textFaint
                        : hovered(option) || focus ? c.accent
                                                   : c.text,
                        c.window, 8);
                if (focus) drawFocus(p, handle, c.text, 8);
                return;
            }
            break;
        default:
            break;
    }
    QProxyStyle::drawComplexControl(control, option, p, widget);
}

}  // namespace dailies::ui
