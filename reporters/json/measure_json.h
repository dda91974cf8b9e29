// What was measured of types, as JSON (measure.schema.json).
#pragma once

#include "reporters/json/json.h"
#include "reporters/measure/measurement.h"
#include "reporters/model/job.h"

namespace ddtscope {

Json measurement_json(const Job& job, const Measurement& measurement);

}  // namespace ddtscope
