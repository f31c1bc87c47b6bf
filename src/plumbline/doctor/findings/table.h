/// Every kind of finding, causes before what they cause: findings of one severity are shown in this order.
#pragma once

#include <array>

#include "plumbline/doctor/finding.h"

namespace plumbline::doctor {

extern const FindingKind kUnreadable;
extern const FindingKind kTargetModulesLiteral;
extern const FindingKind kConfigErrorInLog;
extern const FindingKind kNonfiniteFigures;
extern const FindingKind kTemplateMissing;
extern const FindingKind kTemplateMismatch;
extern const FindingKind kGroupSizeMixed;
extern const FindingKind kMixedMetric;
extern const FindingKind kPinMismatch;
extern const FindingKind kContamination;
extern const FindingKind kJudgeOutage;
extern const FindingKind kTeacherAllFailed;
extern const FindingKind kStaleCopy;
extern const FindingKind kImpossibleValue;
extern const FindingKind kTokenCapSuspected;
extern const FindingKind kTruncationConfound;
extern const FindingKind kNoCodeBlock;
extern const FindingKind kBothArmsZero;
extern const FindingKind kOneArmZero;
extern const FindingKind kRewardHackingOnset;
extern const FindingKind kRewardHacks;
extern const FindingKind kAnswerOnly;
extern const FindingKind kMeanRewardHeadline;
extern const FindingKind kSampledHeadline;
extern const FindingKind kDuplicatePrompts;
extern const FindingKind kUnpaired;
extern const FindingKind kUnderpowered;
extern const FindingKind kJudgeDisagreement;
extern const FindingKind kNotReplicated;
extern const FindingKind kOverclaim;
extern const FindingKind kDeadGradient;
extern const FindingKind kExpertsNotAdapted;
extern const FindingKind kQuantCertFailed;
extern const FindingKind kCertOnTrainingData;
extern const FindingKind kMissingCompletions;
extern const FindingKind kFloorNotBroken;

/// Pointers, since the kinds live in other files and are filled in before main.
inline constexpr std::array<const FindingKind*, 36> kFindingKinds = {
    &kUnreadable,         &kTargetModulesLiteral, &kConfigErrorInLog,   &kNonfiniteFigures,   &kTemplateMissing,
    &kTemplateMismatch,   &kGroupSizeMixed,       &kMixedMetric,        &kPinMismatch,        &kContamination,
    &kJudgeOutage,        &kTeacherAllFailed,     &kStaleCopy,          &kImpossibleValue,    &kTokenCapSuspected,
    &kTruncationConfound, &kNoCodeBlock,          &kBothArmsZero,       &kOneArmZero,         &kRewardHackingOnset,
    &kRewardHacks,        &kAnswerOnly,           &kMeanRewardHeadline, &kSampledHeadline,    &kDuplicatePrompts,
    &kUnpaired,           &kUnderpowered,         &kJudgeDisagreement,  &kNotReplicated,      &kOverclaim,
    &kDeadGradient,       &kExpertsNotAdapted,    &kQuantCertFailed,    &kCertOnTrainingData, &kMissingCompletions,
    &kFloorNotBroken,
};

}  // namespace plumbline::doctor
