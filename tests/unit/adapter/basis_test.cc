#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "plumbline/adapter/basis_cache.h"
#include "plumbline/adapter/basis_probe.h"
#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using torch::Tensor;

/// Points the cache at a folder of the test's own.
class CacheFolder {
 public:
  CacheFolder() : CacheFolder("") {}
  explicit CacheFolder(const std::string& below) {
    const char* before = std::getenv("PLUMBLINE_CACHE");
    if (before) before_ = before;
    setenv("PLUMBLINE_CACHE", (folder_.path() + below).c_str(), 1);
  }
  ~CacheFolder() {
    if (before_) {
      setenv("PLUMBLINE_CACHE", before_->c_str(), 1);
    } else {
      unsetenv("PLUMBLINE_CACHE");
    }
  }
  CacheFolder(const CacheFolder&) = delete;
  CacheFolder& operator=(const CacheFolder&) = delete;
  const test::TemporaryFolder& folder() const { return folder_; }
  std::vector<std::string> files() const {
    std::vector<std::string> paths;
    if (!fs::exists(folder_.file("basis"))) return paths;
    for (const auto& entry : fs::directory_iterator(folder_.file("basis"))) paths.push_back(entry.path().string());
    return paths;
  }

 private:
  test::TemporaryFolder folder_;
  std::optional<std::string> before_;
};

Tensor sample_weight() {
  torch::manual_seed(21);
  return torch::randn({12, 8});
}

void expect_same(const SvdBasis& a, const SvdBasis& b) {
  EXPECT_TRUE(torch::equal(a.u_OR, b.u_OR));
  EXPECT_TRUE(torch::equal(a.s_R, b.s_R));
  EXPECT_TRUE(torch::equal(a.vh_RI, b.vh_RI));
}

TEST(BasisCache, SecondCallReadsWhatTheFirstOneComputed) {
  const CacheFolder cache;
  const CachedBasis first = cached_basis(sample_weight(), true), second = cached_basis(sample_weight(), true);
  EXPECT_TRUE(first.computed);
  EXPECT_FALSE(second.computed);
  EXPECT_EQ(first.content_hash, second.content_hash);
  expect_same(first.basis, second.basis);
  EXPECT_EQ(cache.files().size(), 1u);
}

/// Runs that start together write the same basis; taking each other's file away, or writing into one that another has
/// mapped, ended some with SIGBUS.
TEST(BasisCache, AFileThatAnotherProcessIsWritingIsLeftAlone) {
  const CacheFolder cache;
  const CachedBasis first = cached_basis(sample_weight(), true);
  ASSERT_EQ(cache.files().size(), 1u);
  const std::string path = cache.files()[0], theirs = path + ".partial";
  fs::remove(path);
  write_file(theirs, "half of it");
  EXPECT_TRUE(cached_basis(sample_weight(), true).computed);
  EXPECT_EQ(read_file(theirs), "half of it");
  EXPECT_FALSE(cached_basis(sample_weight(), true).computed);
  EXPECT_EQ(cache.files().size(), 2u) << "nothing of its own is left beside the basis";
}

TEST(BasisCache, AnotherDtypeOrOneChangedWeightIsAnotherBasis) {
  const CacheFolder cache;
  Tensor changed = sample_weight();
  changed[0][0] += 1e-3;
  cached_basis(sample_weight(), true);
  EXPECT_TRUE(cached_basis(sample_weight().to(torch::kBFloat16), true).computed);
  EXPECT_TRUE(cached_basis(changed, true).computed);
  EXPECT_EQ(cache.files().size(), 3u);
}

TEST(BasisCache, DamagedFileIsComputedAgainAndReplaced) {
  const CacheFolder cache;
  const CachedBasis first = cached_basis(sample_weight(), true);
  const std::string path = cache.files().at(0), good = read_file(path);
  std::string flipped = good;
  flipped.back() = static_cast<char>(flipped.back() ^ 4);
  for (const std::string& bad : {flipped, good.substr(0, good.size() / 2), std::string("x"), std::string()}) {
    write_file(path, bad);
    const CachedBasis again = cached_basis(sample_weight(), true);
    EXPECT_TRUE(again.computed);
    expect_same(again.basis, first.basis);
    EXPECT_EQ(read_file(path), good);
  }
}

TEST(BasisCache, FolderThatCannotBeWrittenIsDoneWithout) {
  const CacheFolder cache("/file");
  cache.folder().write("file", "not a folder");
  EXPECT_TRUE(cached_basis(sample_weight(), true).computed);
  EXPECT_TRUE(cached_basis(sample_weight(), true).computed);
}

TEST(BasisCache, IsNotTouchedWhenNotWanted) {
  const CacheFolder cache;
  EXPECT_TRUE(cached_basis(sample_weight(), false).computed);
  EXPECT_TRUE(cache.files().empty());
}

std::map<std::string, Tensor> probe_of(const SvdBasis& basis) {
  return {{"layer.q_proj", basis_probe("layer.q_proj", basis)}};
}

TEST(BasisProbe, IsTheSameForAnotherSvdRoutineAndForFlippedSigns) {
  const SvdBasis ours = thin_svd(sample_weight());
  const auto [u, s, vh] = torch::linalg_svd(sample_weight(), /*full_matrices=*/false);
  const Tensor sign_R = torch::where(torch::arange(8) % 2 == 0, torch::ones({8}), -torch::ones({8}));
  EXPECT_NO_THROW(check_basis_probes(probe_of(ours), probe_of({u, s, vh}), "direction"));
  EXPECT_NO_THROW(check_basis_probes(
      probe_of(ours), probe_of({ours.u_OR * sign_R, ours.s_R, ours.vh_RI * sign_R.unsqueeze(1)}), "direction"));
}

void expect_mismatch(const SvdBasis& stored, const SvdBasis& ours, const std::string& part) {
  try {
    check_basis_probes(probe_of(stored), probe_of(ours), "direction.safetensors");
    FAIL() << "accepted";
  } catch (const DataError& error) {
    EXPECT_EQ(error.id(), "data.basis_mismatch");
    EXPECT_EQ(error.where(), "direction.safetensors");
    EXPECT_THAT(error.line(), testing::HasSubstr("layer.q_proj"));
    EXPECT_THAT(error.line(), testing::HasSubstr(part));
  }
}

TEST(BasisProbe, RotationInsideNearEqualSingularValuesIsRefusedByIndex) {
  const SvdBasis basis = thin_svd(sample_weight());
  Tensor rotation = torch::eye(8);
  const float c = std::cos(0.1f), s = std::sin(0.1f);
  rotation[4][4] = c, rotation[4][5] = -s, rotation[5][4] = s, rotation[5][5] = c;
  const SvdBasis turned{torch::matmul(basis.u_OR, rotation), basis.s_R, torch::matmul(rotation.t(), basis.vh_RI)};
  expect_mismatch(basis, turned, "indices 4, 5");
}

TEST(BasisProbe, OneFlippedSideAnotherWeightAnotherRankAndAMissingModuleAreRefused) {
  const SvdBasis basis = thin_svd(sample_weight());
  expect_mismatch(basis, {basis.u_OR, basis.s_R, -basis.vh_RI}, "indices 0, 1, 2");
  expect_mismatch(basis, thin_svd(sample_weight().flip(0)), "indices");
  expect_mismatch(basis, thin_svd(sample_weight().slice(1, 0, 5)), "8 entries, this basis 5");
  EXPECT_THROW(check_basis_probes({}, probe_of(basis), "x"), DataError);
}

}  // namespace
}  // namespace plumbline
