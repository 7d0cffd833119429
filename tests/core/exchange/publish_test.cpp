// What needs no server; the genuine one is asked in tests/interop/publish_to_mlflow.py.
#include "core/exchange/publish.h"

#include "tests/core/exchange/exchange_fixture.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace dailies::exchange {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A loopback port whose connections are taken; what comes back is `answer`, or nothing when it is empty.
class Listener {
public:
    explicit Listener(std::string answer) : m_socket(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        ::bind(m_socket, reinterpret_cast<sockaddr*>(&address), size);
        ::getsockname(m_socket, reinterpret_cast<sockaddr*>(&address), &size);
        ::listen(m_socket, 8);
        m_port = ntohs(address.sin_port);
        if (!answer.empty()) m_thread = std::jthread([this, answer] { serve(answer); });
    }
    ~Listener() {
        ::shutdown(m_socket, SHUT_RDWR);
        ::close(m_socket);
    }
    std::string url() const { return "http://127.0.0.1:" + std::to_string(m_port); }

private:
    void serve(const std::string& answer) const {
        for (;;) {
            const int client = ::accept(m_socket, nullptr, nullptr);
            if (client < 0) return;
            char request[4096];
            if (::recv(client, request, sizeof request, 0) > 0)
                ::send(client, answer.data(), answer.size(), 0);
            ::close(client);
        }
    }

    int m_socket;
    int m_port = 0;
    std::jthread m_thread;
};

class Publish : public ExchangeTest {
protected:
    void SetUp() override { import(write("one.csv", "step,loss\n1,0.5\n")); }
    std::string failure(const std::string& server) {
        return complaint(
            [&] { publish(m_store, m_store.runs(), server, {.retryTimeout = std::chrono::seconds(1)}); });
    }
};

TEST_F(Publish, AWrongAddressIsRefusedBeforeAnythingIsSent) {
    for (const char* address : {"", "mlflow.example.org", "ftp://host", "http://", "http://host/?q=1"})
        EXPECT_THAT(failure(address), HasSubstr("https://mlflow.example.org:5000")) << address;
    EXPECT_THAT(failure("http://ada:secret@host"),
                AllOf(HasSubstr("MLFLOW_TRACKING_PASSWORD"), Not(HasSubstr("secret"))));
}

TEST_F(Publish, AServerThatIsNotThereIsTriedForAWhileAndNamed) {
    std::string nobody;
    { nobody = Listener("").url(); }
    EXPECT_THAT(failure(nobody), AllOf(HasSubstr(nobody), HasSubstr("for 1 s:"), HasSubstr("publish again")));
}

TEST_F(Publish, AServerThatNeverAnsweredIsGivenUpSoonerThanOneThatRestarts) {
    std::string nobody;
    { nobody = Listener("").url(); }
    EXPECT_THAT(complaint([&] {
                    publish(
                        m_store, m_store.runs(), nobody,
                        {.retryTimeout = std::chrono::hours(1), .connectTimeout = std::chrono::seconds(1)});
                }),
                HasSubstr("for 1 s:"));
    EXPECT_LE(PublishOptions().connectTimeout, std::chrono::seconds(10));
}

TEST_F(Publish, TellsThatItBeginsBeforeTheServerHasAnswered) {
    const Listener forbidden("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    int told = 0;
    complaint(
        [&] { publish(m_store, m_store.runs(), forbidden.url(), {}, [&](const Progress&) { ++told; }); });
    EXPECT_EQ(told, 1) << "before the first answer, which lets nothing be sent";
}

TEST_F(Publish, AServerOfAnotherKindIsToldApart) {
    const Listener page("HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello");
    EXPECT_THAT(failure(page.url()), HasSubstr("is not an MLflow tracking server"));
    const Listener forbidden(
        "HTTP/1.1 401 Unauthorized\r\nContent-Length: 13\r\nConnection: close\r\n\r\nwho are you?!");
    EXPECT_THAT(failure(forbidden.url()),
                AllOf(HasSubstr("MLFLOW_TRACKING_TOKEN"), HasSubstr("who are you")));
    const Listener busy("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(failure(busy.url()), HasSubstr("status 503"));
    const Listener moved(
        "HTTP/1.1 302 Found\r\nLocation: http://elsewhere\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(failure(moved.url()), HasSubstr("redirects to another address"));
}

TEST_F(Publish, StoppingDoesNotWaitForASilentServer) {
    const Listener silent("");
    std::stop_source stop;
    const std::jthread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        stop.request_stop();
    });
    EXPECT_THROW(publish(m_store, m_store.runs(), silent.url(), {}, {}, stop.get_token()), Cancelled);
}

}  // namespace
}  // namespace dailies::exchange
