#pragma once

#include <string>
#include <vector>

namespace dailies::trainer {

/// Exit statuses of dailies-train. An unproven layout is as wrong in the next attempt: no script starts it
/// again.
constexpr int kDone = 0, kFailed = 1, kBadInput = 2, kUnproven = 3;

using Words = std::vector<std::string>;

/// The verbs of dailies-train, one file each: the words after the verb go in, the exit status comes out. They
/// throw `InputError` for words that make no sense.
int train(const Words& words);
int trainVae(const Words& words);
int cache(const Words& words);
int data(const Words& words);
int exportWeights(const Words& words);
int inspect(const Words& words);
int plan(const Words& words);
int preflight(const Words& words);
int sample(const Words& words);
int schema(const Words& words);
int score(const Words& words);

/// The message of an error in one line for a person, on standard error, and the exit status that goes with
/// it.
int report(const std::exception& error);

/// Without LibTorch's stack trace, which helps nobody here.
std::string messageOf(const std::exception& error);

}  // namespace dailies::trainer
