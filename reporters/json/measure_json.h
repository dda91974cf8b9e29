// What was measured of types, as JSON (measure.schema.json).
#pragma once

#include "reporters/json/json.h"
#include "reporters/measure/measurement.h"
#include "reporters/model/job.h"

namespace ddtscope::reporters {

/// An element of `types`.
Json measured_type_json(const Job& job, const MeasuredType& type);
/// The same, with where and by what it was measured.
Json kept_measurement_json(const Job& job, const KeptMeasurement& kept);
/// What the other way has written of the type. Throws where that is damaged.
KeptMeasurement kept_measurement_of(const Json& json, TypeNumber type);
Json measurement_json(const Job& job, const Measurement& measurement);

}  // namespace ddtscope::reporters
