#pragma once

#include "core/sources/collector.h"

#include <map>
#include <string>
#include <string_view>

namespace dailies::sources {

namespace tensorboard {
class Event;
class Tensor;
}  // namespace tensorboard

/// What TensorBoard's events say, whether they come while a file grows or all at once.
class EventReader {
public:
    /// Plugins by tag, of those tags that are no scalars: in some writers' files only the first value of a
    /// tag names its plugin, which may have been read long before.
    using Plugins = std::map<std::string, std::string>;

    /// What the hyperparameters' plugin says of the program.
    struct Session {
        bool started = false, ended = false, failed = false;
        double start = 0, end = 0;  ///< unix seconds; 0: it does not say
    };

    explicit EventReader(Plugins plugins = {}) : m_plugins(std::move(plugins)) {}

    /// Reads one record of an event file; false when it is none.
    bool read(std::string_view record, Collector& into);

    const Plugins& plugins() const { return m_plugins; }
    const Session& session() const { return m_session; }
    double firstTime() const { return m_firstTime; }  ///< unix seconds of the first event
    double lastTime() const { return m_lastTime; }    ///< of the newest

private:
    void on(const tensorboard::Event& event, int valueIndex, Collector& into);
    void onHParams(const std::string& content, Collector& into);

    Plugins m_plugins;
    Session m_session;
    bool m_any = false;
    double m_firstTime = 0, m_lastTime = 0;
};

}  // namespace dailies::sources
