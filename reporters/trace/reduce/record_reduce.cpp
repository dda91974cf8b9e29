#include "reporters/trace/reduce/record_reduce.h"

#include <utility>

namespace ddtscope::reduce {

RecordSource::State RecordReduce::next(Record& record) {
  while (true) {
    RecordSource* least = nullptr;
    for (RecordSource* source : sources_) {
      const RecordSource::State state = source->state();
      if (state == RecordSource::State::waiting) return state;
      if (state == RecordSource::State::ready &&
          (least == nullptr || place_of(source->head()) < place_of(least->head()))) {
        least = source;
      }
    }
    const bool is_same = least != nullptr && current_ && place_of(least->head()) == place_of(*current_);
    if (least != nullptr && current_ && place_of(least->head()) < place_of(*current_)) {
      throw NotReduced("a rank's records are out of order");
    }
    if (current_ && !is_same) {
      record = std::move(*current_);
      current_.reset();
      return RecordSource::State::ready;
    }
    if (least == nullptr) return RecordSource::State::ended;
    if (is_same) {
      combine(*current_, std::move(least->head()));
    } else {
      current_ = std::move(least->head());
    }
    least->pop();
  }
}

}  // namespace ddtscope::reduce
