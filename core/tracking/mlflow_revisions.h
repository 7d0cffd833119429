#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace dailies::tracking {

inline constexpr const char* kNewestMlflow = "3.17";

/// Every revision of MLflow's tables up to MLflow 3.17.2, oldest first (the migrations in its
/// store/db_migrations/versions). Between them the tables that Dailies writes only gained columns with
/// defaults, so rows that name their columns fit all of them; of a later revision nobody can say that.
inline constexpr std::array<std::string_view, 67> kMlflowRevisions = {
    "451aebb31d03", "90e64c465722", "181f10493468", "df50e92ffc5e", "7ac759974ad8",  "89d4b8295536",
    "2b4d017a5e9b", "cfd24bdc0731", "0a8213491aaa", "728d730b5ebd", "27a6a02d2cf1",  "84291f40a231",
    "a8c4a736bde6", "39d1c3be5f05", "c48cb773bb87", "bd07f7e963c5", "0c779009ac13",  "cc1f77228345",
    "97727af70f4d", "3500859a5d39", "7f2a7d5fae7d", "2d6e25af4d3e", "acf3f17fdcc7",  "867495a8f9d4",
    "5b0e9adcef9c", "4465047574b1", "f5a4f2784254", "0584bdc529eb", "400f98739977",  "6953534de441",
    "bda7b8c39065", "cbc13b556ace", "770bee3ae1dd", "a1b2c3d4e5f6", "de4033877273",  "1a0cddfcaa16",
    "534353b11cbc", "71994744cf8e", "3da73c924c2f", "bf29a5ff90ea", "1bd49d398cd23", "b7c8d9e0f1a2",
    "5d2d30f0abce", "c9d4e5f6a7b8", "2c33131f4dae", "d3e4f5a6b7c8", "d0e1f2a3b4c5",  "c8d9e0f1a2b3",
    "1b5f0d9ad7c1", "e1f2a3b4c5d6", "76601a5f987d", "c3d6457b6d8a", "a5b4c3d2e1f0",  "ae8bbe7743c9",
    "7d34483879f0", "da6fb0208061", "89d3d66ed43f", "b7e4c1a90f23", "a8b9c0d1e2f3",  "c1d2e3f4a5b6",
    "c3d9e7f1a2b4", "6f8d9c3b2a1e", "1971f2d9a75b", "17e22815139b", "b7e2c1a4d9f3",  "75868b020152",
    "dc11669786a5"};

constexpr bool isKnownRevision(std::string_view revision) {
    return std::find(kMlflowRevisions.begin(), kMlflowRevisions.end(), revision) != kMlflowRevisions.end();
}

}  // namespace dailies::tracking
