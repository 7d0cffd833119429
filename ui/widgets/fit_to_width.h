#pragma once

#include <QObject>

#include <functional>
#include <initializer_list>
#include <vector>

class QAbstractButton;
class QWidget;

namespace dailies::ui {

/// Keeps what stands in a bar from lying over one another: where the bar is too narrow for all of it, takes
/// the steps in their order until the rest fits, and takes them back where there is room again.
class FitToWidth : public QObject {
public:
    /// `bar` has its layout already, and owns this.
    explicit FitToWidth(QWidget& bar);

    using Step = std::function<void(bool tight)>;
    void addStep(Step step);
    /// Buttons show their icons alone, and keep their names for screen readers.
    void iconsOnly(std::initializer_list<QAbstractButton*> buttons);
    /// The button says less; its whole text stays its name for screen readers, and its tooltip where it has
    /// none.
    void shorten(QAbstractButton& button, const QString& shorter);
    void hide(QWidget& widget);
    void narrow(QWidget& widget, int minimum);
    /// After something in the bar came or went.
    void fit();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void tighten();

    QWidget& m_bar;
    std::vector<Step> m_steps;
    std::size_t m_taken = 0;
};

}  // namespace dailies::ui
