#include "plumbline/run/arm_summary.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

constexpr char kTable[] =
    "step\trew\tstd\tsprd\tN\tgt\thack\tloss\tcin\tcout\tfired\tsec\tvacuous\n"
    "0\t0.5\t0\tF\t4\t0\t0.25\t0\tnan\tnan\tnan\t1\t0\n"
    "1\t1\t1\tT\t4\t0.25\t0.1\t0\tnan\tnan\t0.5\t1\t0\n"
    "2\t1\t1\tT\t4\t0.25\t0.2\t0\tnan\tnan\t0.5\t1\t0\n"
    "3\t1\t1\tT\t4\t0.25\t0.3\t0\tnan\tnan\t0.5\t1\t0\n"
    "4\t1\t1\tT\t4\t0.25\t0.4\t0\tnan\tnan\t0.5\t1\t0\n"
    "5\t2\t1\tT\t2\t0.5\t0.5\t0\tnan\tnan\t0.5\t1\t0.75\n";

TEST(ArmSummary, FinalIsTheMeanOfTheLastFiveSteps) {
  const test::TemporaryFolder folder;
  const StepTable table = read_step_table(folder.write("steps.tsv", kTable));
  const ArmSummary arm = summarize_steps(table, "vanilla", 3, 6);
  EXPECT_EQ(arm.steps_done, 6);
  EXPECT_NEAR(arm.final_hack, (0.1 + 0.2 + 0.3 + 0.4 + 0.5) / 5, 1e-12);
  EXPECT_NEAR(arm.final_pass, (4 * 0.25 + 0.5) / 5, 1e-12);
  EXPECT_NEAR(arm.final_vacuous, 0.15, 1e-12);
  EXPECT_NEAR(arm.first_hack, 0.25, 1e-12);
  EXPECT_NEAR(arm.share_with_spread, 5.0 / 6, 1e-12);
  EXPECT_EQ(arm.num_graded_final, 18);
  EXPECT_NEAR(arm.mean_fired, 2.5 / 6, 1e-12);
  EXPECT_TRUE(arm.loss_finite);
}

TEST(ArmSummary, NonFiniteLossIsSeen) {
  const test::TemporaryFolder folder;
  std::string text = kTable;
  text.replace(text.find("0.1\t0\t"), 6, "0.1\tnan\t");
  EXPECT_FALSE(summarize_steps(read_step_table(folder.write("steps.tsv", text)), "vanilla", 0, 6).loss_finite);
}

}  // namespace
}  // namespace plumbline
