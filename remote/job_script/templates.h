#pragma once

#include <string_view>

namespace dailies::remote {

/// resources/slurm/*.sbatch as they were when this program was built.
extern const std::string_view kSweepTemplate;
extern const std::string_view kBuildTemplate;
extern const std::string_view kCheckTemplate;
extern const std::string_view kPreflightTemplate;
/// resources/slurm/preflight_step.sh: what kSweepTemplate holds for runs of several nodes.
extern const std::string_view kPreflightStep;
/// What kSweepTemplate holds of the program: before its environment is set up, before it is started, after it
/// has ended. `kTrainer…`: dailies-train; `kProgram…`: one of the user's own.
extern const std::string_view kTrainerBegin, kTrainerInit, kTrainerEnd;
extern const std::string_view kProgramBegin, kProgramEnter, kProgramEnd;
/// Behind kProgramBegin and within kProgramEnd, of a program that can go on from its checkpoints.
extern const std::string_view kProgramResume, kProgramRequeue;
/// How scripts of programs find what matches a pattern: before kProgramResume and kProgramSampling.
extern const std::string_view kProgramPaths;
/// Behind kProgramBegin, of a program whose checkpoints are sampled; it holds the script of those jobs.
extern const std::string_view kProgramSampling, kSampleCheckpoint;
/// Before kProgramEnter, of a program whose processes find each other by MASTER_ADDR and MASTER_PORT.
extern const std::string_view kProgramRanks;
/// resources/python/dailies.py: what a program of the user's own may import.
extern const std::string_view kPythonModule;

}  // namespace dailies::remote
