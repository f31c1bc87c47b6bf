#include "plumbline/doctor/evidence.h"

namespace plumbline::doctor {

std::string Comparison::where() const {
  return base_file == candidate_file ? candidate_file->where : base_file->where + " and " + candidate_file->where;
}

const std::vector<std::pair<double, double>>* TrainingLog::find(const std::string& name) const {
  const auto found = series.find(name);
  return found == series.end() ? nullptr : &found->second;
}

}  // namespace plumbline::doctor
