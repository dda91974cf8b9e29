#include "reporters/model/traffic.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "reporters/model/paired_operations.h"
#include "reporters/model/uses.h"

namespace ddtscope::reporters {
namespace {

/// What one channel carried of one type.
struct Carried {
  std::uint32_t sum = 0;  // of a communicator
  std::int32_t source = 0, destination = 0;
  WorldNumber world;
  std::uint32_t type = 0;  // 0: none
  std::uint64_t messages = 0;
  Exact bytes = Exact(0);

  auto place() const { return std::tuple(sum, world, source, destination); }
};

class Sums {
 public:
  Sums(const Job& job, TrafficBy by, const std::vector<bool>& wanted) : job_(job), by_(by), wanted_(wanted) {}

  std::vector<Traffic> run() {
    for (const RankChannels& line : job_.messages.channels) {
      if (line.direction == ChannelDirection::send) add(line);
    }
    return summed();
  }

 private:
  /// What each type has of a sequence.
  const std::vector<TypeTraffic>& types_of(SequenceIndex sequence) {
    const auto [found, is_new] = sequences_.try_emplace(sequence);
    if (!is_new) return found->second;
    std::map<std::uint32_t, TypeTraffic> types;
    for (const CountedOperation& one : operations_from(job_.messages.sequences[sequence.value], 0)) {
      if (!wanted_[one.operation]) continue;
      const MessageOperation& operation = job_.messages.operations[one.operation];
      TypeTraffic& type = types[operation.type ? operation.type->value + 1 : 0];
      type.type = operation.type;
      type.messages += one.count;
      if (operation.elements == 0) continue;
      const std::optional<std::int64_t> size = size_of_element(job_, *operation.type);
      const Exact elements = Exact(static_cast<Int128>(one.count)) * Exact(static_cast<Int128>(operation.elements));
      type.bytes = type.bytes + (size ? elements * Exact(*size) : Exact::unfit());
    }
    for (const auto& [type, traffic] : types) found->second.push_back(traffic);
    return found->second;
  }

  void add(const RankChannels& line) {
    const std::vector<TypeTraffic>& types = types_of(line.sequence);
    const std::uint32_t sum = by_ == TrafficBy::communicator ? sum_of(line) : 0;
    for (const ChannelEnd& end : line.ends) {
      if (end.peer == ChannelEnd::any || end.tag == ChannelEnd::any) continue;
      for (const TypeTraffic& type : types) {
        Carried one;
        one.sum = sum;
        if (by_ == TrafficBy::pair) {
          one.source = static_cast<std::int32_t>(line.rank.number);
          one.destination = end.peer;
          one.world = line.rank.world;
        }
        one.type = type.type ? type.type->value + 1 : 0;
        one.messages = type.messages;
        one.bytes = type.bytes;
        carried_.push_back(one);
      }
      if (carried_.size() >= most_carried_) fold();
    }
  }

  /// Communicators of one name are one, and so are all MPI_COMM_SELF.
  std::uint32_t sum_of(const RankChannels& line) {
    const std::optional<Key> name =
        line.communicator ? job_.communicators[line.communicator->value].name : std::optional<Key>();
    const auto [found, is_new] =
        sums_.try_emplace({line.predefined, name}, static_cast<std::uint32_t>(communicators_.size()));
    if (is_new) communicators_.emplace_back(line.predefined, line.communicator);
    return found->second;
  }

  /// Adds up what is of one place and type.
  void fold() {
    const auto before = [](const Carried& a, const Carried& b) {
      return a.place() != b.place() ? a.place() < b.place() : a.type < b.type;
    };
    std::sort(carried_.begin(), carried_.end(), before);
    std::size_t last = 0;
    for (std::size_t i = 1; i < carried_.size(); ++i) {
      Carried& sum = carried_[last];
      if (sum.place() == carried_[i].place() && sum.type == carried_[i].type) {
        sum.messages += carried_[i].messages;
        sum.bytes = sum.bytes + carried_[i].bytes;
      } else {
        carried_[++last] = carried_[i];
      }
    }
    if (!carried_.empty()) carried_.resize(last + 1);
    most_carried_ = std::max(most_carried_, 2 * carried_.size());
  }

  std::vector<Traffic> summed() {
    fold();
    std::vector<Traffic> all;
    for (std::size_t i = 0; i < carried_.size();) {
      Traffic traffic;
      traffic.source = {carried_[i].world, carried_[i].source};
      traffic.destination = {carried_[i].world, carried_[i].destination};
      if (by_ == TrafficBy::communicator) std::tie(traffic.predefined, traffic.made) = communicators_[carried_[i].sum];
      const auto place = carried_[i].place();
      for (; i < carried_.size() && carried_[i].place() == place; ++i) {
        const Carried& one = carried_[i];
        traffic.messages += one.messages;
        traffic.bytes = traffic.bytes + one.bytes;
        const auto type = one.type != 0 ? std::optional(DefinitionId{one.type - 1}) : std::nullopt;
        traffic.types.push_back({type, one.messages, one.bytes});
      }
      traffic.types.shrink_to_fit();
      std::stable_sort(traffic.types.begin(), traffic.types.end(), [](const TypeTraffic& a, const TypeTraffic& b) {
        return place_of(b.bytes) < place_of(a.bytes);
      });
      all.push_back(std::move(traffic));
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Traffic& a, const Traffic& b) { return place_of(b.bytes) < place_of(a.bytes); });
    return all;
  }

  const Job& job_;
  const TrafficBy by_;
  const std::vector<bool>& wanted_;
  std::map<SequenceIndex, std::vector<TypeTraffic>> sequences_;
  std::map<std::pair<PredefinedCommunicator, std::optional<Key>>, std::uint32_t> sums_;
  std::vector<std::pair<PredefinedCommunicator, std::optional<CommunicatorIndex>>> communicators_;
  std::vector<Carried> carried_;
  std::size_t most_carried_ = std::size_t{1} << 20;
};

}  // namespace

std::vector<Traffic> traffic_of(const Job& job, TrafficBy by, const std::vector<bool>& wanted) {
  return Sums(job, by, wanted).run();
}

std::vector<Traffic> traffic_of(const Job& job, TrafficBy by) {
  return traffic_of(job, by, std::vector<bool>(job.messages.operations.size(), true));
}

}  // namespace ddtscope::reporters
