#pragma once

#include "core/objects/object_reader.h"

#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

namespace dailies::objects {

/// Readers for many threads: each has one for as long as it needs it, whose connection stays open for the
/// next. Must outlive what it lends.
class ObjectReaders {
public:
    explicit ObjectReaders(S3Access access, std::stop_token stop = {});

    class Lent {
    public:
        ~Lent();
        Lent(const Lent&) = delete;
        Lent& operator=(const Lent&) = delete;

        ObjectReader* operator->() const { return m_reader.get(); }

    private:
        friend class ObjectReaders;
        Lent(ObjectReaders& readers, std::unique_ptr<ObjectReader> reader);

        ObjectReaders& m_readers;
        std::unique_ptr<ObjectReader> m_reader;
    };
    Lent lend();

private:
    const S3Access m_access;
    const std::stop_token m_stop;
    std::mutex m_mutex;
    std::vector<std::unique_ptr<ObjectReader>> m_idle;
};

}  // namespace dailies::objects
