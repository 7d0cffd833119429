#include "core/base/error.h"
#include "core/tracking/schema.h"
#include "tests/core/tracking/store_fixture.h"
#include "tests/support/folders.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

namespace dailies::tracking {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr double kLargest = std::numeric_limits<double>::max();

/// What MLflow's table says: the truth that every reading of a curve is held against.
std::vector<MetricPoint> pointsInTable(const std::filesystem::path& file, const CurveKey& key) {
    SQLite::Database db(file, SQLite::OPEN_READONLY, 20'000);
    SQLite::Statement query(
        db,
        "SELECT step, timestamp, value, is_nan FROM metrics WHERE run_uuid = ? AND \"key\" = ? "
        "ORDER BY step, timestamp, value, is_nan");
    query.bind(1, key.runId);
    query.bind(2, key.key);
    std::vector<MetricPoint> points;
    while (query.executeStep()) {
        double value = query.getColumn(2).getDouble();
        if (query.getColumn(3).getInt()) value = kNan;
        if (std::abs(value) >= kLargest) value = std::copysign(kInfinity, value);
        points.push_back({query.getColumn(0).getInt64(), query.getColumn(1).getInt64(), value});
    }
    return points;
}

bool same(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

/// Whether the bucket says exactly what these points are.
bool holds(const CurveBucket& bucket, const MetricPoint* begin, const MetricPoint* end) {
    double first = kNan, last = kNan, minimum = kNan, maximum = kNan, sum = 0;
    std::uint32_t finite = 0;
    int marks = 0;
    for (const auto* p = begin; p != end; ++p) {
        if (std::isnan(p->value)) {
            marks |= CurveBucket::kNan;
        } else if (std::isinf(p->value)) {
            marks |= p->value > 0 ? CurveBucket::kPlusInfinity : CurveBucket::kMinusInfinity;
        } else {
            if (finite++ == 0) first = minimum = maximum = p->value;
            last = p->value;
            minimum = std::min(minimum, p->value);
            maximum = std::max(maximum, p->value);
            sum += p->value;
        }
    }
    const double mean = finite ? sum / finite : kNan;
    return bucket.firstStep == begin->step && bucket.lastStep == (end - 1)->step &&
           bucket.firstMs == begin->timestampMs && bucket.lastMs == (end - 1)->timestampMs &&
           same(bucket.first, first) && same(bucket.last, last) && same(bucket.minimum, minimum) &&
           same(bucket.maximum, maximum) && bucket.count == end - begin && bucket.finite == finite &&
           bucket.marks == marks &&
           (same(bucket.mean, mean) || std::abs(bucket.mean - mean) <= 1e-9 * (1 + maximum - minimum));
}

/// Whether the buckets are these points from some rank on, without a gap; the rank, or -1.
std::ptrdiff_t rankOf(const Curve& curve, const std::vector<MetricPoint>& points, std::ptrdiff_t latest) {
    for (std::ptrdiff_t start = latest; start >= 0; --start) {
        const auto* at = points.data() + start;
        const auto* const end = points.data() + points.size();
        if (std::all_of(curve.buckets.begin(), curve.buckets.end(), [&](const CurveBucket& bucket) {
                if (at + bucket.count > end || !holds(bucket, at, at + bucket.count)) return false;
                at += bucket.count;
                return true;
            }))
            return start;
    }
    return -1;
}

void expectRight(const Curve& curve, const std::vector<MetricPoint>& points, std::optional<StepRange> steps,
                 int atMost) {
    ASSERT_EQ(curve.points, static_cast<std::int64_t>(points.size()));
    auto begin = points.begin(), end = points.end();
    if (steps) {
        begin = std::partition_point(begin, end, [&](const auto& p) { return p.step < steps->first; });
        end = std::partition_point(begin, end, [&](const auto& p) { return p.step <= steps->last; });
    }
    const auto first = begin - points.begin(), last = end - points.begin();
    const auto count = static_cast<std::ptrdiff_t>(curve.buckets.size());
    ASSERT_LE(count, atMost + (steps ? 2 : 0));
    const auto rank = points.empty() ? 0 : rankOf(curve, points, std::max<std::ptrdiff_t>(first - 1, 0));
    ASSERT_GE(rank, 0) << "the buckets are not the points";
    std::ptrdiff_t until = rank;
    for (const auto& bucket : curve.buckets) until += bucket.count;
    ASSERT_TRUE(first == 0 ? rank == 0 : rank < first) << "the bucket before the range is missing";
    ASSERT_TRUE(last == std::ssize(points) ? until == last : until > last)
        << "the bucket after it is missing";
    if (last - first <= atMost) {
        ASSERT_TRUE(curve.exact);
        ASSERT_EQ(count, last - first + (first > 0) + (last < std::ssize(points)));
    } else {
        ASSERT_GE(count, std::min<std::ptrdiff_t>(atMost, last - first) / 3) << "too coarse";
    }
}

/// The user's cache folder is one of the test's own.
class Curves : public StoreTest {
protected:
    Curves() { ::setenv("XDG_CACHE_HOME", m_caches.path().c_str(), 1); }
    ~Curves() override { ::unsetenv("XDG_CACHE_HOME"); }

    void expectAllRight(const Store& store, const std::vector<CurveKey>& keys, std::mt19937& random,
                        int times) {
        const auto upTo = [&](std::int64_t last) {
            return std::uniform_int_distribution<std::int64_t>(0, last)(random);
        };
        for (const auto& key : keys) {
            const auto points = pointsInTable(store.file(), key);
            ASSERT_EQ(steps(store.history(key.runId, key.key)), steps(points)) << key.key;
            for (int i = 0; i < times; ++i) {
                const int atMost = static_cast<int>(std::int64_t{1} << upTo(11));
                std::optional<StepRange> range;
                if (upTo(2) > 0 && !points.empty()) {
                    const std::int64_t edge = points.back().step - points.front().step;
                    range = {points.front().step - 5 + upTo(edge + 10), 0};
                    range->last = range->first + upTo(edge) / (1 + upTo(20));
                }
                const auto found = store.curves({key}, range, atMost);
                ASSERT_THAT(found, SizeIs(1));
                SCOPED_TRACE(
                    key.key + ", at most " + std::to_string(atMost) +
                    (range ? ", steps " + std::to_string(range->first) + ".." + std::to_string(range->last)
                           : ""));
                ASSERT_NO_FATAL_FAILURE(expectRight(found[0], points, range, atMost));
            }
        }
    }

    /// As MLflow's client logs a point: it knows nothing of the curves.
    static void logAsMlflow(SQLite::Database& db, const CurveKey& key, const MetricPoint& point) {
        SQLite::Statement insert(
            db,
            "INSERT OR IGNORE INTO metrics (\"key\", value, timestamp, run_uuid, step, is_nan) "
            "VALUES (?, ?, ?, ?, ?, ?)");
        const bool nan = std::isnan(point.value);
        SQLite::bind(insert, key.key, nan ? 0.0 : point.value, point.timestampMs, key.runId, point.step,
                     nan ? 1 : 0);
        insert.exec();
    }

    TemporaryFolder m_caches{"caches"};
};

TEST_F(Curves, AnyReadingOfAnyCurveIsWhatTheTableSaysWhateverWasWrittenInWhateverOrder) {
    std::mt19937 random(5);
    const auto upTo = [&](int last) { return std::uniform_int_distribution<int>(0, last)(random); };
    std::optional<Store> store(std::in_place, file());
    const auto first = aRun("first"), second = aRun("second");
    store->createRun(first);
    store->createRun(second);
    const std::vector<CurveKey> keys = {{first.id, "loss"},
                                        {first.id, "lr"},
                                        {first.id, "seldom"},
                                        {second.id, "loss"},
                                        {second.id, "human"}};
    const auto value = [&] {
        switch (upTo(60)) {
            case 0:
                return kNan;
            case 1:
                return kInfinity;
            case 2:
                return -kInfinity;
            case 3:
                return -0.0;
            case 4:
                return 1e9;
            default:
                return std::uniform_real_distribution(-1.0, 1.0)(random);
        }
    };
    std::map<std::string, std::int64_t> at, attempt{{first.id, 1}, {second.id, 1}}, seq;
    const auto event = [&](const std::string& run, events::Payload payload) {
        const auto n = ++seq[run];
        return events::Event{n, attempt[run], 1.7e9 + static_cast<double>(upTo(3) ? n : n / 2),
                             std::move(payload)};
    };
    for (int round = 0; round < 120; ++round) {
        const std::string& run = upTo(1) ? first.id : second.id;
        const int what = upTo(9);
        if (what < 6) {  // the trainer goes on: a point, some points, many
            std::vector<events::Event> batch;
            for (int i = 0, n = what < 2 ? 1 : what < 5 ? upTo(90) : upTo(3'000); i < n; ++i) {
                at[run] += upTo(3);  // several points of one step, too
                std::map<std::string, double> values{{"loss", value()}, {"lr", value()}};
                if (upTo(40) == 0) values["seldom"] = value();
                batch.push_back(event(run, events::Metrics{at[run], values}));
            }
            store->ingest(run, batch, seq[run]);
        } else if (what == 6) {  // taken up again from a checkpoint
            ++attempt[run];
            at[run] = upTo(4) ? std::max<std::int64_t>(at[run] - upTo(700), 0) : at[run] / 2;
            store->ingest(run, {event(run, events::Resume{at[run]})}, seq[run]);
        } else if (what == 7) {  // late points: a merged log, a clock set back
            std::vector<events::Event> batch;
            for (int i = 0; i < upTo(5); ++i)
                batch.push_back(
                    event(run, events::Metrics{upTo(static_cast<int>(at[run]) + 1), {{"loss", value()}}}));
            store->ingest(run, batch, seq[run]);
        } else if (what == 8) {  // MLflow's client logs to the same runs
            SQLite::Database db(file(), SQLite::OPEN_READWRITE, 20'000);
            SQLite::Transaction transaction(db);
            for (int i = 0; i < upTo(200); ++i) {
                const auto& key = keys[static_cast<std::size_t>(upTo(static_cast<int>(keys.size()) - 1))];
                logAsMlflow(db, key,
                            {upTo(static_cast<int>(at[run]) + 10), 1'700'000'000'000 + upTo(9'000), value()});
            }
            transaction.commit();
        } else if (upTo(3) == 0) {  // MLflow's migrations rebuild the table; rows get other numbers
            SQLite::Database db(file(), SQLite::OPEN_READWRITE, 20'000);
            db.exec(
                "CREATE TABLE copied AS SELECT * FROM metrics ORDER BY random(); DELETE FROM metrics; "
                "INSERT INTO metrics SELECT * FROM copied; DROP TABLE copied");
        } else {
            store.emplace(file());  // the program starts again
        }
        if (round % 6 == 0) {
            const Store reader(file(), Store::Mode::ReadOnly);  // before and after the copy is complete
            ASSERT_NO_FATAL_FAILURE(expectAllRight(reader, keys, random, 2)) << "read only, round " << round;
        }
        ASSERT_NO_FATAL_FAILURE(expectAllRight(*store, keys, random, 4)) << "round " << round;
    }
    EXPECT_GT(pointsInTable(file(), keys[0]).size(), 3'000u) << "the rounds did not reach the upper levels";
    SQLite::Database db(file());
    EXPECT_EQ(db.execAndGet("PRAGMA integrity_check").getString(), "ok");
}

TEST_F(Curves, ASpikeOfOnePointAmongAQuarterMillionIsInEveryOverview) {
    Store store(file());
    const auto run = aRun();
    store.createRun(run);
    std::vector<MetricPoint> points(250'000);
    for (std::size_t i = 0; i < points.size(); ++i)
        points[i] = {static_cast<std::int64_t>(i), static_cast<std::int64_t>(i), 1.0};
    points[154'321].value = 77;
    points[23'456].value = kNan;
    store.importRun(run, {{"loss", points}});
    for (const int atMost : {1, 10, 1'000, 5'000}) {
        const auto curve = store.curves({{run.id, "loss"}}, std::nullopt, atMost)[0];
        EXPECT_LE(curve.buckets.size(), static_cast<std::size_t>(atMost));
        EXPECT_EQ(curve.points, 250'000);
        EXPECT_FALSE(curve.exact);
        double maximum = 0;
        int marks = 0;
        for (const auto& bucket : curve.buckets) {
            maximum = std::max(maximum, bucket.maximum);
            marks |= bucket.marks;
        }
        EXPECT_EQ(maximum, 77);
        EXPECT_EQ(marks, CurveBucket::kNan);
    }
    const auto zoomed = store.curves({{run.id, "loss"}}, StepRange{154'300, 154'330}, 100)[0];
    EXPECT_TRUE(zoomed.exact);
    EXPECT_THAT(zoomed.buckets, SizeIs(33)) << "31 points and a neighbour on each side";
}

TEST_F(Curves, WhilePanningAndWhileTheRunGoesOnTheBucketsStayTheSame) {
    Store store(file());
    const auto run = aRun();
    store.createRun(run);
    std::vector<events::Event> batch;
    for (int step = 0; step < 20'000; ++step) batch.push_back(metrics(1, step, {{"loss", 1.0 * step}}));
    store.ingest(run.id, batch, 1);
    const auto boundaries = [&](std::int64_t from) {
        std::vector<std::int64_t> found;
        const auto curve = store.curves({{run.id, "loss"}}, StepRange{from, from + 9'000}, 200)[0];
        for (const auto& bucket : curve.buckets)
            if (bucket.firstStep > 5'000 && bucket.lastStep < 8'000) found.push_back(bucket.firstStep);
        return found;
    };
    const auto before = boundaries(1'000);
    EXPECT_THAT(before, testing::Not(IsEmpty()));
    EXPECT_EQ(boundaries(1'037), before);
    store.ingest(run.id, {metrics(1, 20'000, {{"loss", 0.0}})}, 2);
    EXPECT_EQ(boundaries(1'000), before);
}

TEST_F(Curves, UnknownCurvesAreEmpty) {
    Store store(file());
    const auto run = aRun();
    store.createRun(run);
    const auto found = store.curves({{run.id, "none"}, {"nobody", "loss"}}, StepRange{1, 5}, 10);
    ASSERT_THAT(found, SizeIs(2));
    EXPECT_THAT(found[0].buckets, IsEmpty());
    EXPECT_EQ(found[1].points, 0);
}

TEST_F(Curves, AForeignFileThatMayNotBeWrittenKeepsItsCurvesInTheUsersCache) {
    {
        SQLite::Database db(file(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        db.exec(kMlflowTables);
        db.exec(readFile(std::string(DAILIES_SOURCE_FOLDER) + "/tests/core/tracking/mlflow_run.sql"));
    }
    const std::string before = readFile(file());
    const CurveKey key{"0123456789abcdef0123456789abcdef", "loss"};
    for (int again = 0; again < 2; ++again) {
        const Store store(file(), Store::Mode::ReadOnly);
        const auto curve = store.curves({key}, std::nullopt, 10)[0];
        ASSERT_THAT(curve.buckets, SizeIs(2));
        EXPECT_EQ(curve.buckets[0].first, 0.5);
        EXPECT_EQ(curve.buckets[1].marks, CurveBucket::kNan);
    }
    EXPECT_EQ(readFile(file()), before) << "the file was written";
    EXPECT_FALSE(std::filesystem::is_empty(m_caches.path()));

    SQLite::Database mlflow(file(), SQLite::OPEN_READWRITE);
    logAsMlflow(mlflow, key, {3, 1'700'000'003'000, 0.25});
    const Store store(file(), Store::Mode::ReadOnly);
    EXPECT_EQ(store.curves({key}, std::nullopt, 10)[0].points, 3);

    std::filesystem::permissions(m_caches.path(), std::filesystem::perms::none);
    ::setenv("XDG_CACHE_HOME", "/proc/no-such-folder", 1);
    EXPECT_EQ(Store(file(), Store::Mode::ReadOnly).curves({key}, std::nullopt, 10)[0].points, 3);
    std::filesystem::permissions(m_caches.path(), std::filesystem::perms::owner_all);
}

TEST_F(Curves, PreparingALargeForeignFileTellsHowFarItIsAndCanBeStopped) {
    const auto run = aRun();
    {
        Store store(file());
        store.createRun(run);
        SQLite::Database mlflow(file(), SQLite::OPEN_READWRITE, 20'000);
        SQLite::Transaction transaction(mlflow);
        for (int step = 0; step < 200'000; ++step)
            logAsMlflow(mlflow, {run.id, "loss"}, {step, step, 1.0 * step});
        transaction.commit();
    }
    const Store store(file());
    std::stop_source stop;
    std::int64_t reached = 0;
    EXPECT_THROW(store.prepareCurves(stop.get_token(),
                                     [&](std::int64_t done, std::int64_t total) {
                                         EXPECT_EQ(total, 200'000);
                                         reached = done;
                                         if (done > total / 2) stop.request_stop();
                                     }),
                 Cancelled);
    EXPECT_GT(reached, 100'000);
    std::int64_t resumed = 0;
    store.prepareCurves({}, [&](std::int64_t done, std::int64_t) { resumed = resumed ? resumed : done; });
    EXPECT_GT(resumed, 100'000) << "it goes on where it stopped";
    EXPECT_EQ(store.curves({{run.id, "loss"}}, std::nullopt, 10)[0].points, 200'000) << "and is complete";
}

TEST_F(Curves, ARunThatAnotherProgramRemovedAndThatIsImportedAgainHasItsPointsOnce) {
    Store store(file());
    const auto run = aRun("removed"), other = aRun("other");
    const MetricHistories histories{{"loss", {{1, 1, 0.5}, {2, 2, 0.25}}}};
    store.importRun(run, histories);
    store.importRun(other, histories);
    SQLite::Database gc(file(), SQLite::OPEN_READWRITE, 20'000);
    for (const char* table : {"metrics", "latest_metrics", "params", "tags", "runs"})
        gc.exec(std::string("DELETE FROM ") + table + " WHERE run_uuid = '" + run.id + "'");
    EXPECT_EQ(store.importRun(run, histories).pointsAdded, 2);
    EXPECT_EQ(steps(store.history(run.id, "loss")), (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(steps(store.history(other.id, "loss")), (std::vector<std::int64_t>{1, 2}));
}

TEST_F(Curves, RestartsAreWhereAttemptsWentOnAndVoidOnesAreForgotten) {
    Store store(file());
    const auto run = aRun();
    store.createRun(run);
    store.ingest(run.id,
                 {metrics(1, 100, {{"loss", 1}}), at(2, events::Resume{90}), metrics(2, 150, {{"loss", 1}}),
                  at(3, events::Resume{140})},
                 1);
    ASSERT_THAT(store.restarts(run.id), SizeIs(2));
    EXPECT_EQ(store.restarts(run.id)[0].attempt, 2);
    EXPECT_EQ(store.restarts(run.id)[1].fromStep, 140);
    EXPECT_EQ(store.restarts(run.id)[1].timeMs, 1'700'000'004'000);
    store.ingest(run.id, {at(4, events::Resume{95})}, 2);
    ASSERT_THAT(store.restarts(run.id), SizeIs(2)) << "steps 96 to 140 will be run through without a seam";
    EXPECT_EQ(store.restarts(run.id)[1].attempt, 4);
    store.ingest(run.id, {at(5, events::Start{}), metrics(5, 1, {{"loss", 1}})}, 3);
    ASSERT_THAT(store.restarts(run.id), SizeIs(1));
    EXPECT_EQ(store.restarts(run.id)[0].fromStep, 0) << "it began anew";
}

}  // namespace
}  // namespace dailies::tracking
