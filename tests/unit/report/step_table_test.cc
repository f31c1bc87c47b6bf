#include "plumbline/report/step_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plumbline/base/error.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

TEST(StepTable, ColumnsByNameWithFlagsAndMissingValues) {
  const test::TemporaryFolder folder;
  const StepTable table = read_step_table(folder.write("steps.tsv", "step\tsprd\tcin\n1\tT\tnan\n2\tF\t-0.5\n"));
  EXPECT_EQ(table.column("sprd"), (std::vector<double>{1, 0}));
  EXPECT_TRUE(std::isnan(table.column("cin")[0]));
  EXPECT_EQ(table.column("cin")[1], -0.5);
  EXPECT_FALSE(table.has_column("fired"));
  EXPECT_THROW(table.column("fired"), DataError);
}

TEST(StepTable, RaggedOrForeignRowsAreRefusedWithTheirLine) {
  const test::TemporaryFolder folder;
  try {
    read_step_table(folder.write("steps.tsv", "step\trew\n0\t1\n1\n"));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.id(), "data.steps_table");
    EXPECT_NE(error.where().find("steps.tsv:3"), std::string::npos);
  }
  EXPECT_THROW(read_step_table(folder.write("b.tsv", "step\nx\n")), DataError);
  EXPECT_THROW(read_step_table(folder.write("c.tsv", "step\trew\n1\t\n")), DataError);
}

TEST(StepTable, ARowThatIsBeingWrittenIsLeftOutWhenAsked) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("steps.tsv", "step\trew\n1\t0.5\n2\t0.");
  EXPECT_EQ(read_step_table(path, CutLine::kLeaveOut).rows.size(), 1u);
  EXPECT_EQ(read_step_table(folder.write("empty.tsv", ""), CutLine::kLeaveOut).rows.size(), 0u);
}

}  // namespace
}  // namespace plumbline
