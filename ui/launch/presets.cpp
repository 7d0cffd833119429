#include "ui/launch/presets.h"

#include <QDir>
#include <QFile>
#include <QObject>

static void initPresetResources() {
    Q_INIT_RESOURCE(presets);
}

namespace dailies::ui {

std::vector<Preset> presets() {
    initPresetResources();
    std::vector<Preset> result;
    for (const QString& name :
         QDir(QStringLiteral(":/presets")).entryList({QStringLiteral("*.yaml")}, QDir::Files, QDir::Name)) {
        QFile file(QStringLiteral(":/presets/") + name);
        if (file.open(QIODevice::ReadOnly)) {
            result.push_back(
                {name.chopped(5), sweep::parseSweep(file.readAll().toStdString(), name.toStdString())});
        }
    }
    return result;
}

Preset ownProgramStart() {
    return {QObject::tr("Your own program"), sweep::parseSweep("name: my-sweep\n"
                                                               "program: train.py\n"
                                                               "method: grid\n"
                                                               "parameters:\n"
                                                               "  lr: {values: [1e-4, 5e-5]}\n",
                                                               "own-program.yaml")};
}

}  // namespace dailies::ui
