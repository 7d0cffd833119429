#pragma once

#include <string>
#include <vector>

namespace dailies::trainer {

/// Exit statuses of dailies-train. An unproven layout is as wrong in the next attempt: no script starts it
/// again.
constexpr int kDone = 0, kFailed = 1, kBadInput = 2, kUnproven = 3;

using Args = std::vector<std::string>;

/// The verbs of dailies-train, one file each: the args after the verb go in, the exit status comes out. They
/// throw `InputError` for args that make no sense.
int batch(const Args& args);
int best(const Args& args);
int train(const Args& args);
int trainVae(const Args& args);
int cache(const Args& args);
int caption(const Args& args);
int curate(const Args& args);
int data(const Args& args);
int exportWeights(const Args& args);
int inspect(const Args& args);
int plan(const Args& args);
int preflight(const Args& args);
int sample(const Args& args);
int schema(const Args& args);
int score(const Args& args);
int scoreClips(const Args& args);
int shard(const Args& args);

/// All of dailies-train: runs the verb that `args` begin with, tells what goes wrong and returns the exit
/// status.
int runCommandLine(const Args& args);

/// The message of an error in one line for a person, on standard error, and the exit status that goes with
/// it.
int report(const std::exception& error);

/// Without LibTorch's stack trace, which helps nobody here.
std::string messageOf(const std::exception& error);

}  // namespace dailies::trainer
