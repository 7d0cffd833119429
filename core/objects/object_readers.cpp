#include "core/objects/object_readers.h"

#include <utility>

namespace dailies::objects {

ObjectReaders::ObjectReaders(S3Access access, std::stop_token stop)
    : m_access(std::move(access)), m_stop(std::move(stop)) {}

ObjectReaders::Lent ObjectReaders::lend() {
    {
        const std::lock_guard lock(m_mutex);
        if (!m_idle.empty()) {
            auto reader = std::move(m_idle.back());
            m_idle.pop_back();
            return {*this, std::move(reader)};
        }
    }
    return {*this, std::make_unique<ObjectReader>(m_access, m_stop)};
}

ObjectReaders::Lent::Lent(ObjectReaders& readers, std::unique_ptr<ObjectReader> reader)
    : m_readers(readers), m_reader(std::move(reader)) {}

ObjectReaders::Lent::~Lent() {
    const std::lock_guard lock(m_readers.m_mutex);
    m_readers.m_idle.push_back(std::move(m_reader));
}

}  // namespace dailies::objects
