#pragma once

#include "core/objects/object_reader.h"
#include "core/objects/object_writer.h"

#include <memory>
#include <mutex>
#include <stop_token>
#include <utility>
#include <vector>

namespace dailies::objects {

/// Readers, or writers, for many threads: each has one for as long as it needs it, whose connection stays
/// open for the next. Must outlive what it lends.
template <class Client>
class ObjectClients {
public:
    explicit ObjectClients(S3Access access, std::stop_token stop = {})
        : m_access(std::move(access)), m_stop(std::move(stop)) {}

    class Lent {
    public:
        ~Lent() {
            const std::lock_guard lock(m_clients.m_mutex);
            m_clients.m_idle.push_back(std::move(m_client));
        }
        Lent(const Lent&) = delete;
        Lent& operator=(const Lent&) = delete;

        Client* operator->() const { return m_client.get(); }

    private:
        friend class ObjectClients;
        Lent(ObjectClients& clients, std::unique_ptr<Client> client)
            : m_clients(clients), m_client(std::move(client)) {}

        ObjectClients& m_clients;
        std::unique_ptr<Client> m_client;
    };

    Lent lend() {
        {
            const std::lock_guard lock(m_mutex);
            if (!m_idle.empty()) {
                auto client = std::move(m_idle.back());
                m_idle.pop_back();
                return {*this, std::move(client)};
            }
        }
        return {*this, std::make_unique<Client>(m_access, m_stop)};
    }

private:
    const S3Access m_access;
    const std::stop_token m_stop;
    std::mutex m_mutex;
    std::vector<std::unique_ptr<Client>> m_idle;
};

using ObjectReaders = ObjectClients<ObjectReader>;
using ObjectWriters = ObjectClients<ObjectWriter>;

}  // namespace dailies::objects
