#pragma once

#include <QProxyStyle>

class QFrame;

namespace dailies::ui {

/// Draws every control from the tokens of the theme of the moment, on top of Fusion. There is no style sheet:
/// Qt would restyle every widget that exists when the theme changes, which took seconds. What a widget is (a
/// card, a bar, a primary button, a field with a problem) is said by properties that are read when it is
/// painted:
///
/// - QFrame: "card", "bar" (hairline below), "line"; object names "sidebar", "side", "toast"
/// - QPushButton: "variant" = "", "primary", "ghost", "danger"
/// - fields: "problem" = true; QPlainTextEdit "field" = true is a form's field and no text area
/// - QWidget in a QScrollArea: "clear" = true shows what is behind the scroll area
/// - QWidget#page with WA_StyledBackground: a page
class ThemeStyle : public QProxyStyle {
    Q_OBJECT

public:
    ThemeStyle();

    using QProxyStyle::polish;
    void polish(QWidget* widget) override;

    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* result) const override;
    QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                           const QWidget* widget) const override;
    QRect subElementRect(SubElement element, const QStyleOption* option,
                         const QWidget* widget) const override;
    QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                         const QWidget* widget) const override;

    /// Ours, where Qt has pictures of its own: in message boxes, file dialogs, fields.
    QIcon standardIcon(StandardPixmap picture, const QStyleOption* option,
                       const QWidget* widget) const override;
    QPixmap standardPixmap(StandardPixmap picture, const QStyleOption* option,
                           const QWidget* widget) const override;

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                            const QWidget* widget) const override;
};

/// What a frame or a view is drawn as.
enum class Surface { None, Card, Bar, Line, Sidebar, Side, Raised, View, TextArea, TextField };
Surface surfaceOf(const QWidget* widget);

/// Between the outer edge of a tab and its underline; the first one stands where the pages' text does.
struct TabMargins {
    int left, right;
};
TabMargins tabMargins(const QStyleOption* tab);

}  // namespace dailies::ui
