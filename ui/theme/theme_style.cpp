// What ThemeStyle measures; how it draws is in theme_style_paint.cpp.
#include "ui/theme/theme_style.h"

#include "ui/theme/icons.h"
#include "ui/theme/menu_placement.h"
#include "ui/theme/theme.h"
#include "ui/theme/tokens.h"

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QPainterPath>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QScrollArea>
#include <QScrollBar>
#include <QStyleFactory>
#include <QStyleOption>
#include <QTabBar>
#include <QTableView>
#include <QTreeView>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kScrollBar = 10;
constexpr int kMinScrollHandle = 32;
constexpr int kArrow = 24;      ///< of a combo box
constexpr int kSpinArrow = 20;  ///< of a spin box
constexpr int kFieldPadding = 8 + 1;
constexpr int kHeaderHeight = 33;
constexpr int kProgressHeight = 4;
constexpr int kIndicator = 16;

bool isInsideField(const QWidget* widget) {
    return widget && (qobject_cast<const QComboBox*>(widget->parentWidget()) ||
                      qobject_cast<const QAbstractSpinBox*>(widget->parentWidget()));
}

bool isComboPopup(const QWidget* view) {
    return view && view->parentWidget() && view->parentWidget()->inherits("QComboBoxPrivateContainer");
}

/// Around an item's text and icon.
QMargins itemPadding(const QWidget* view) {
    if (isComboPopup(view)) return {8, 0, 8, 0};
    if (qobject_cast<const QListView*>(view)) return {12, 0, 12, 0};
    if (qobject_cast<const QTableView*>(view)) return {9, 0, 9, 0};
    return {};
}

QMargins frameMargins(const QWidget* widget) {
    switch (surfaceOf(widget)) {
        case Surface::Card:
            return {1, 1, 1, 1};
        case Surface::Bar:
            return {0, 0, 0, 1};
        case Surface::Sidebar:
            return {0, 0, 1, 0};
        case Surface::Raised:  // cards and labels have margins of their own
            return qobject_cast<const QAbstractItemView*>(widget) ||
                           widget->inherits("QComboBoxPrivateContainer")
                       ? QMargins(5, 5, 5, 5)
                       : QMargins();
        case Surface::TextArea:
            return {9, 9, 9, 9};
        case Surface::TextField:
            return {kFieldPadding, 1, kFieldPadding, 1};
        case Surface::None:
        case Surface::Line:
        case Surface::Side:
        case Surface::View:
            return {};
    }
    return {};
}

QRect scrollPart(const QStyleOptionSlider& bar, QStyle::SubControl part) {
    const bool vertical = bar.orientation == Qt::Vertical;
    const int room = vertical ? bar.rect.height() : bar.rect.width();
    const int range = bar.maximum - bar.minimum;
    const int length =
        range <= 0
            ? room
            : std::clamp(static_cast<int>(qint64(bar.pageStep) * room / (qint64(range) + bar.pageStep)),
                         std::min(kMinScrollHandle, room), room);
    const int at = QStyle::sliderPositionFromValue(bar.minimum, bar.maximum, bar.sliderPosition,
                                                   room - length, bar.upsideDown);
    const auto along = [&](int from, int size) {
        return vertical ? QRect(0, from, bar.rect.width(), size) : QRect(from, 0, size, bar.rect.height());
    };
    switch (part) {
        case QStyle::SC_ScrollBarGroove:
            return along(0, room);
        case QStyle::SC_ScrollBarSlider:
            return along(at, length);
        case QStyle::SC_ScrollBarSubPage:
            return along(0, at);
        case QStyle::SC_ScrollBarAddPage:
            return along(at + length, room - at - length);
        default:
            return {};
    }
}

/// Of resources/icons; empty: none of ours says the same.
QString iconNameOf(QStyle::StandardPixmap picture) {
    switch (picture) {
        case QStyle::SP_MessageBoxInformation:
            return QStringLiteral("info");
        case QStyle::SP_MessageBoxQuestion:
            return QStringLiteral("help");
        case QStyle::SP_MessageBoxWarning:
            return QStringLiteral("warning");
        case QStyle::SP_MessageBoxCritical:
            return QStringLiteral("error");
        case QStyle::SP_LineEditClearButton:
            return QStringLiteral("close");
        case QStyle::SP_DirIcon:
        case QStyle::SP_DirOpenIcon:
        case QStyle::SP_DirClosedIcon:
        case QStyle::SP_DirLinkIcon:
        case QStyle::SP_DirLinkOpenIcon:
        case QStyle::SP_DirHomeIcon:
            return QStringLiteral("folder");
        case QStyle::SP_FileIcon:
        case QStyle::SP_FileLinkIcon:
            return QStringLiteral("note");
        case QStyle::SP_ComputerIcon:
        case QStyle::SP_DesktopIcon:
        case QStyle::SP_DriveHDIcon:
            return QStringLiteral("cluster");
        case QStyle::SP_FileDialogNewFolder:
            return QStringLiteral("plus");
        case QStyle::SP_FileDialogToParent:
        case QStyle::SP_ArrowUp:
            return QStringLiteral("chevron-up");
        case QStyle::SP_FileDialogBack:
        case QStyle::SP_ArrowBack:
        case QStyle::SP_ArrowLeft:
            return QStringLiteral("chevron-left");
        case QStyle::SP_ArrowForward:
        case QStyle::SP_ArrowRight:
            return QStringLiteral("chevron-right");
        case QStyle::SP_FileDialogListView:
            return QStringLiteral("grid");
        case QStyle::SP_FileDialogDetailedView:
            return QStringLiteral("columns");
        default:
            return {};
    }
}

/// What a message box is about has the colour that it has elsewhere.
QIcon iconOf(QStyle::StandardPixmap picture) {
    const QString name = iconNameOf(picture);
    switch (picture) {
        case QStyle::SP_MessageBoxInformation:
        case QStyle::SP_MessageBoxQuestion:
            return icon(name, colors().info);
        case QStyle::SP_MessageBoxWarning:
            return icon(name, colors().warning);
        case QStyle::SP_MessageBoxCritical:
            return icon(name, colors().danger);
        default:
            return name.isEmpty() ? QIcon() : icon(name);
    }
}

}  // namespace

Surface surfaceOf(const QWidget* widget) {
    if (!widget) return Surface::None;
    if (const auto* text = qobject_cast<const QPlainTextEdit*>(widget)) {
        if (text->frameShape() == QFrame::NoFrame) return Surface::None;
        return text->property("field").toBool() ? Surface::TextField : Surface::TextArea;
    }
    const QString name = widget->objectName();
    if (name == QLatin1String("proposals") || name == QLatin1String("filterProblem") ||
        name == QLatin1String("toast") || widget->inherits("QComboBoxPrivateContainer"))
        return Surface::Raised;
    if (qobject_cast<const QAbstractItemView*>(widget)) {
        if (widget->isWindow()) return Surface::Raised;  // completions
        return isComboPopup(widget) ? Surface::None : Surface::View;
    }
    if (name == QLatin1String("sidebar")) return Surface::Sidebar;
    if (name == QLatin1String("side")) return Surface::Side;
    if (widget->dynamicPropertyNames().isEmpty()) return Surface::None;
    if (widget->property("card").toBool()) return Surface::Card;
    if (widget->property("bar").toBool()) return Surface::Bar;
    return widget->property("line").toBool() ? Surface::Line : Surface::None;
}

TabMargins tabMargins(const QStyleOption* tab) {
    const auto* option = qstyleoption_cast<const QStyleOptionTab*>(tab);
    const bool first = option && (option->position == QStyleOptionTab::Beginning ||
                                  option->position == QStyleOptionTab::OnlyOneTab);
    return {first ? 14 : 4, 12};
}

ThemeStyle::ThemeStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {
    setObjectName(QStringLiteral("dailies"));
}

void ThemeStyle::polish(QWidget* widget) {
    QProxyStyle::polish(widget);
    const Surface surface = surfaceOf(widget);
    if (auto* view = qobject_cast<QAbstractItemView*>(widget)) {
        view->viewport()->setAttribute(Qt::WA_Hover);
        if (surface != Surface::View) view->viewport()->setAutoFillBackground(false);
    } else if (auto* text = qobject_cast<QPlainTextEdit*>(widget)) {
        text->viewport()->setAutoFillBackground(surface == Surface::None);
    } else if (auto* area = qobject_cast<QScrollArea*>(widget)) {
        area->viewport()->setAutoFillBackground(false);
    } else if (auto* bar = qobject_cast<QScrollBar*>(widget)) {
        bar->setAttribute(Qt::WA_OpaquePaintEvent, false);
    } else if (auto* tabs = qobject_cast<QTabBar*>(widget)) {
        tabs->setDrawBase(false);
    } else if (auto* progress = qobject_cast<QProgressBar*>(widget)) {
        progress->setFixedHeight(kProgressHeight);
    } else if (auto* menu = qobject_cast<QMenu*>(widget)) {
        keepInWindow(*menu);
    } else if (qobject_cast<QLineEdit*>(widget)) {
        widget->setAttribute(Qt::WA_Hover);
    } else if (widget->property("clear").toBool()) {
        widget->setAutoFillBackground(false);  // QScrollArea had set it
    }
    // A frame measures its edge when it is made, before anybody said what it is. (A label would lose how its
    // height follows its width; the one that is a surface sets its margins itself.)
    auto* frame = qobject_cast<QFrame*>(widget);
    if (frame && !qobject_cast<QLabel*>(widget) &&
        (surface != Surface::None || qobject_cast<QAbstractScrollArea*>(widget)))
        frame->setFrameStyle(frame->frameStyle());
    widget->update();  // who changes a property asks for this
}

int ThemeStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    switch (metric) {
        case PM_DefaultFrameWidth:
        case PM_ComboBoxFrameWidth:
        case PM_SpinBoxFrameWidth:
        case PM_MenuPanelWidth:
        case PM_SplitterWidth:
            return 1;
        case PM_MenuHMargin:
        case PM_MenuVMargin:
            return 4;
        case PM_ScrollBarExtent:
            return kScrollBar;
        case PM_ScrollBarSliderMin:
            return kMinScrollHandle;
        case PM_ScrollView_ScrollBarSpacing:
        case PM_ButtonShiftHorizontal:
        case PM_ButtonShiftVertical:
        case PM_TabBarTabShiftHorizontal:
        case PM_TabBarTabShiftVertical:
        case PM_TabBarTabOverlap:
        case PM_TabBarBaseOverlap:
        case PM_TabBarBaseHeight:
            return 0;
        case PM_TabBarTabHSpace:
            return 2 * 4 + 4 + 12;
        case PM_TabBarTabVSpace:
            return 2 * 8 + 2;
        case PM_IndicatorWidth:
        case PM_IndicatorHeight:
        case PM_ExclusiveIndicatorWidth:
        case PM_ExclusiveIndicatorHeight:
        case PM_SliderThickness:
        case PM_SliderControlThickness:
        case PM_SliderLength:
            return kIndicator;
        case PM_CheckBoxLabelSpacing:
        case PM_RadioButtonLabelSpacing:
            return 8;
        case PM_ToolTipLabelFrameWidth:
            return 6;
        case PM_HeaderMarkSize:
            return 10;
        default:
            return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int ThemeStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                          QStyleHintReturn* result) const {
    switch (hint) {
        case SH_ComboBox_Popup:  // a list below, and not a menu over the field
        case SH_DialogButtonBox_ButtonsHaveIcons:
        case SH_EtchDisabledText:
        case SH_DitherDisabledText:
        case SH_ScrollBar_Transient:
            return 0;
        case SH_Menu_Mask:
            if (auto* mask = qstyleoption_cast<QStyleHintReturnMask*>(result); mask && option) {
                QPainterPath path;
                path.addRoundedRect(option->rect, 8, 8);
                mask->region = QRegion(path.toFillPolygon().toPolygon());
                return 1;
            }
            return 0;
        default:
            return QProxyStyle::styleHint(hint, option, widget, result);
    }
}

QSize ThemeStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                                   const QWidget* widget) const {
    switch (type) {
        case CT_PushButton: {
            const bool keys = widget && widget->objectName() == QLatin1String("keys");
            return {contents.width() + 2 * ((keys ? 6 : 12) + 1),
                    std::max(contents.height(), keys ? 24 : 30) + 2};
        }
        case CT_ToolButton:
            return contents + QSize(10, 10);
        case CT_LineEdit:
            if (isInsideField(widget)) return contents;
            return {contents.width() + 2 * kFieldPadding, std::max(contents.height() + 2, kControlHeight)};
        case CT_ComboBox:
            return {contents.width() + 2 * kFieldPadding + kArrow,
                    std::max(contents.height() + 2, kControlHeight)};
        case CT_SpinBox: {
            const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
            const int arrows =
                spin && spin->buttonSymbols == QAbstractSpinBox::NoButtons ? kFieldPadding : kSpinArrow + 1;
            return {contents.width() + kFieldPadding + arrows, std::max(contents.height(), kControlHeight)};
        }
        case CT_TabBarTab:
            return contents + QSize(tabMargins(option).left - tabMargins(nullptr).left, 0);
        case CT_HeaderSection: {
            const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
            if (!header) break;
            const bool sorted = header->sortIndicator != QStyleOptionHeader::None;
            const QSize text = header->fontMetrics.size(0, header->text);
            return {text.width() + 24 + (sorted ? 14 : 0), std::max(text.height() + 9, kHeaderHeight)};
        }
        case CT_MenuItem: {
            const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option);
            if (!item) break;
            if (item->menuItemType == QStyleOptionMenuItem::Separator && item->text.isEmpty())
                return {contents.width(), 9};
            const bool picture = item->maxIconWidth > 0 || item->menuHasCheckableItems;
            return {contents.width() + 12 + (picture ? 24 : 0) + (item->text.contains(u'\t') ? 24 : 0) + 24,
                    item->fontMetrics.height() + 12};
        }
        case CT_ItemViewItem: {
            const QSize base = QProxyStyle::sizeFromContents(type, option, contents, widget);
            const QMargins pad = itemPadding(widget);
            const int width = base.width() + pad.left() + pad.right();
            if (isComboPopup(widget)) return {width, std::max(base.height(), 28)};
            if (qobject_cast<const QListView*>(widget)) return {width, std::max(base.height(), kRowHeight)};
            if (qobject_cast<const QTreeView*>(widget)) return {width, std::max(base.height(), 28) + 1};
            return {width, base.height() + 1};
        }
        case CT_ProgressBar:
            return {contents.width(), kProgressHeight};
        default:
            break;
    }
    return QProxyStyle::sizeFromContents(type, option, contents, widget);
}

QRect ThemeStyle::subElementRect(SubElement element, const QStyleOption* option,
                                 const QWidget* widget) const {
    const QRect r = option->rect;
    switch (element) {
        case SE_ShapedFrameContents:
        case SE_FrameContents: {
            const QMargins margins = frameMargins(widget);
            if (!margins.isNull()) return r.marginsRemoved(margins);
            const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
            const bool panel = frame && frame->frameShape == QFrame::StyledPanel;
            return panel ? r : QProxyStyle::subElementRect(element, option, widget);
        }
        case SE_LineEditContents:
            return isInsideField(widget) ? r : r.adjusted(kFieldPadding, 1, -kFieldPadding, -1);
        case SE_PushButtonContents:
            return r.adjusted(2, 1, -2, -1);
        case SE_HeaderLabel: {
            const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
            const bool sorted = header && header->sortIndicator != QStyleOptionHeader::None;
            return r.adjusted(12, 0, sorted ? -18 : -12, 0);
        }
        case SE_HeaderArrow:
            return {r.right() - 13, r.center().y() - 4, 10, 10};
        case SE_TabBarTabText: {
            const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option);
            const TabMargins margins = tabMargins(option);
            const int icon = tab && !tab->icon.isNull() ? tab->iconSize.width() + 4 : 0;
            const int right = tab && tab->rightButtonSize.isValid() ? tab->rightButtonSize.width() : 0;
            return r.adjusted(margins.left + 4 + icon, 0, -margins.right - 4 - right, -2);
        }
        case SE_ItemViewItemCheckIndicator:
        case SE_ItemViewItemDecoration:
        case SE_ItemViewItemText:
            if (const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(option)) {
                QStyleOptionViewItem inside = *item;
                inside.rect = r.marginsRemoved(itemPadding(widget));
                return QProxyStyle::subElementRect(element, &inside, widget);
            }
            break;
        default:
            break;
    }
    return QProxyStyle::subElementRect(element, option, widget);
}

QRect ThemeStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                                 const QWidget* widget) const {
    const QRect r = option->rect;
    switch (control) {
        case CC_ScrollBar:
            if (const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option))
                return visualRect(bar->direction, r, scrollPart(*bar, part));
            break;
        case CC_ComboBox: {
            const QRect arrow(r.right() - kArrow, r.top() + 1, kArrow, r.height() - 2);
            if (part == SC_ComboBoxArrow) return visualRect(option->direction, r, arrow);
            if (part == SC_ComboBoxEditField)
                return visualRect(option->direction, r, r.adjusted(kFieldPadding, 1, -kArrow - 1, -1));
            return r;
        }
        case CC_SpinBox: {
            const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
            const bool arrows = spin && spin->buttonSymbols != QAbstractSpinBox::NoButtons;
            const QRect up(r.right() - kSpinArrow, r.top() + 1, kSpinArrow, r.height() / 2 - 1);
            switch (part) {
                case SC_SpinBoxUp:
                    return arrows ? visualRect(option->direction, r, up) : QRect();
                case SC_SpinBoxDown:
                    return arrows ? visualRect(option->direction, r, up.translated(0, up.height())) : QRect();
                case SC_SpinBoxEditField:
                    return visualRect(
                        option->direction, r,
                        r.adjusted(kFieldPadding, 1, arrows ? -kSpinArrow - 1 : -kFieldPadding, -1));
                default:
                    return r;
            }
        }
        default:
            break;
    }
    return QProxyStyle::subControlRect(control, option, part, widget);
}

QIcon ThemeStyle::standardIcon(StandardPixmap picture, const QStyleOption* option,
                               const QWidget* widget) const {
    const QIcon ours = iconOf(picture);
    return ours.isNull() ? QProxyStyle::standardIcon(picture, option, widget) : ours;
}

QPixmap ThemeStyle::standardPixmap(StandardPixmap picture, const QStyleOption* option,
                                   const QWidget* widget) const {
    const QIcon ours = iconOf(picture);
    if (ours.isNull()) return QProxyStyle::standardPixmap(picture, option, widget);
    const int size = pixelMetric(PM_SmallIconSize, option, widget);
    return ours.pixmap(QSize(size, size), widget ? widget->devicePixelRatioF() : 1.0);
}

}  // namespace dailies::ui
