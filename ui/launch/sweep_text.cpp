#include "ui/launch/sweep_text.h"

#include "core/base/text.h"
#include "ui/widgets/widgets.h"

#include <QStringList>

#include <algorithm>

namespace dailies::ui {

QString varyingParamsText(const sweep::Sweep& sweep) {
    std::vector<const sweep::Parameter*> varied;
    std::vector<std::string> keys;
    for (const auto& parameter : sweep.parameters) {
        if (parameter.kind != sweep::Parameter::Kind::Fixed &&
            (parameter.kind != sweep::Parameter::Kind::Values || parameter.values.size() > 1)) {
            varied.push_back(&parameter);
            keys.push_back(parameter.key);
        }
    }
    keys = shortKeys(keys);
    QStringList parts;
    for (std::size_t i = 0; i < varied.size(); ++i) {
        const auto& parameter = *varied[i];
        const QString name = sanitized(keys[i]);
        const auto number = [](double value) { return QString::fromStdString(shortNumber(value)); };
        if (parameter.kind == sweep::Parameter::Kind::Values) {
            parts << QStringLiteral("%1 × %2").arg(name).arg(parameter.values.size());
        } else if (sweep::isNormal(parameter.kind)) {
            parts << QStringLiteral("%1 around %2 ± %3")
                         .arg(name, number(parameter.mu), number(parameter.sigma));
        } else if (sweep::isBeta(parameter.kind)) {
            parts << QStringLiteral("%1 beta(%2, %3)").arg(name, number(parameter.a), number(parameter.b));
        } else {
            parts << QStringLiteral("%1 %2 … %3")
                         .arg(name, number(parameter.minimum), number(parameter.maximum));
        }
    }
    return parts.join(QStringLiteral(", "));
}

bool canStopEarly(const sweep::Sweep& sweep, const std::vector<sweep::PlannedRun>& runs) {
    if (sweep.program) return sweep.earlyStop.has_value();  // how long its runs are is not known
    return sweep.earlyStop && std::any_of(runs.begin(), runs.end(), [&](const sweep::PlannedRun& run) {
               return !sweep::rungsOf(*sweep.earlyStop, run.config.value("steps", std::int64_t{0})).empty();
           });
}

}  // namespace dailies::ui
