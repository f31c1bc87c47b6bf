#include "plumbline/doctor/diagnosis.h"
#include "plumbline/doctor/diagnosis_output.h"
#include "plumbline/doctor/readers/collector.h"
#include "plumbline/doctor/readers/read_inputs.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/targets.h"

namespace plumbline::test {

/// One file of any kind, then every finding over what it says, then every output.
void fuzz_doctor(std::string_view bytes) {
  if (is_packed(bytes)) return;
  expect_value_or_error([&] {
    doctor::Collector collector;
    doctor::read_one_file(file_of(bytes), collector);
    doctor::put_together(collector);
    const doctor::Diagnosis diagnosis = doctor::diagnose(std::move(collector.evidence));
    doctor::diagnosis_json(diagnosis);
    doctor::diagnosis_text(diagnosis);
    doctor::diagnosis_page(diagnosis);
  });
}

}  // namespace plumbline::test
