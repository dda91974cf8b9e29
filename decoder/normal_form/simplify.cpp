// Definitions are imported into a store of its own, oldtypes first, and rewritten there until nothing gets simpler.
#include "decoder/normal_form/simplify.h"

#include <algorithm>
#include <array>
#include <compare>
#include <iterator>
#include <span>
#include <utility>

#include "decoder/base/stable_vector.h"
#include "decoder/bounds/bounds.h"
#include "decoder/equality/fingerprint.h"
#include "decoder/normal_form/rewrites.h"

namespace ddtscope {
namespace {

/// How simple a definition is: less is simpler. The parts of a type count once for each kind of them.
struct Measure {
  Exact constructors = 0;
  Exact arguments = 0;
  int rank = 0;

  bool fits() const { return constructors.fits() && arguments.fits(); }
  bool is_shorter_than(const Measure& other) const {
    return constructors < other.constructors || (constructors == other.constructors && arguments < other.arguments);
  }
  /// A total order, so that rewriting ends.
  bool is_less_than(const Measure& other) const {
    if (is_shorter_than(other)) return true;
    return constructors == other.constructors && arguments == other.arguments && rank < other.rank;
  }
};

/// From the simplest to the hardest to read, where the arguments are as many.
int rank_of(Combiner combiner) {
  switch (combiner) {
    case Combiner::named:
    case Combiner::f90_real:
    case Combiner::f90_complex:
    case Combiner::f90_integer:
    case Combiner::dup:
    case Combiner::value_index:
      return 0;
    case Combiner::contiguous:
      return 1;
    case Combiner::resized:
      return 2;
    case Combiner::vector:
      return 3;
    case Combiner::hvector:
      return 4;
    case Combiner::indexed_block:
      return 5;
    case Combiner::hindexed_block:
      return 6;
    case Combiner::indexed:
      return 7;
    case Combiner::hindexed:
      return 8;
    case Combiner::structure:
      return 9;
    case Combiner::subarray:
      return 10;
    case Combiner::darray:
      return 11;
  }
  return 12;
}

/// The models of the libraries: all but the standard's, which is the first.
constexpr std::span<const BoundsModel> of_libraries = std::span(bounds_models).subspan(1);

bool are_equal(const Bounds& a, const Bounds& b) {
  return a.size == b.size && a.lb == b.lb && a.ub == b.ub && a.extent == b.extent && a.true_lb == b.true_lb &&
         a.true_ub == b.true_ub && a.true_extent == b.true_extent;
}

}  // namespace

class Simplifier::Implementation {
 public:
  Implementation(const DefinitionStore& store, const Layouts& layouts, IsHeldElsewhere is_held_elsewhere)
      : store_(store),
        layouts_(layouts),
        is_held_elsewhere_(std::move(is_held_elsewhere)),
        own_(store.constants()),
        in_use_(own_),
        in_use_fingerprints_(in_use_),
        rules_(own_) {}

  const DefinitionStore& store() const { return own_; }

  DefinitionId normal_form(DefinitionId id) {
    reach(id.value + 1);
    return types_[id.value].normal;
  }

  bool is_held(DefinitionId id) {
    reach(layouts_.size());
    return types_[id.value].is_held;
  }

  std::optional<Simpler> simpler(DefinitionId id, const NameOldtype& name_oldtype) {
    reach(layouts_.size());  // types made of this one have a say
    const Type& type = types_[id.value];
    if (!type.is_shorter || type.is_held || (is_held_elsewhere_ && is_held_elsewhere_(id))) return {};
    Simpler result;
    result.call = constructor_call_text(own_, type.normal,
                                        [&](DefinitionId oldtype) { return name_oldtype(originals_[oldtype.value]); });
    result.rewrites = type.rewrites;
    return result;
  }

 private:
  /// A definition of the original store; its other ids are of the own one.
  struct Type {
    DefinitionId faithful;  // the same call, with the oldtypes' faithful ones
    DefinitionId normal;
    std::vector<std::string_view> rewrites;
    bool is_shorter = false;  // by its own rewrites
    bool is_held = false;     // a type made of it would not be the same
    bool is_seen = false;     // its oldtypes have been looked through for held ones
  };
  void reach(std::size_t size) {
    while (types_.size() < size) add(DefinitionId{static_cast<std::uint32_t>(types_.size())});
  }

  void add(DefinitionId id) {
    while (own_.predefined().size() < store_.predefined().size()) {
      own_.add_basic(store_.predefined()[PredefinedId{static_cast<std::uint32_t>(own_.predefined().size())}]);
    }
    Type type;
    const Definition& definition = store_[id];
    if (definition.call.combiner == Combiner::named) {
      type.faithful = type.normal = added(own_.add_predefined(store_.predefined()[definition.predefined]));
    } else {
      type.faithful =
          intern_with(definition.call, [&](DefinitionId oldtype) { return types_[oldtype.value].faithful; });
      const std::optional<ObservedBounds> observed = layouts_.observed(id);
      if (observed) observe(type.faithful, *observed);
      type.normal = with_normal_oldtypes(definition.call, type.faithful);
      const Measure start = measures_[type.normal.value];
      run(type);
      type.is_shorter = measures_[type.normal.value].is_shorter_than(start);
      if (observed) observe(type.normal, *observed);
    }
    set_original(type.faithful, id);
    if (!original(type.normal).valid()) set_original(type.normal, id);
    types_.push_back(std::move(type));
  }

  DefinitionId added(DefinitionId id) {
    if (id.value < in_use_.size()) return id;
    in_use_.add(id);
    measures_.push_back(measure_of(own_[id].call));
    is_oldtype_.push_back(false);
    for (const DefinitionId oldtype : own_[id].call.datatypes) is_oldtype_[oldtype.value] = true;
    return id;
  }

  /// Only a definition that nothing has been made of can still be given bounds.
  void observe(DefinitionId id, const ObservedBounds& observed) {
    if (!is_oldtype_[id.value] && !in_use_.observed(id)) in_use_.observe(id, observed);
  }

  template <class Choose>
  DefinitionId intern_with(ConstructorCall call, Choose choose) {
    std::vector<DefinitionId> oldtypes;
    oldtypes.reserve(call.datatypes.size());
    for (const DefinitionId oldtype : call.datatypes) oldtypes.push_back(choose(oldtype));
    call.datatypes = oldtypes;
    return added(own_.intern(call).id);
  }

  using Oldtypes = std::span<const DefinitionId>;  // sorted
  static bool is_among(Oldtypes types, DefinitionId type) {
    return std::binary_search(types.begin(), types.end(), type);
  }

  template <class IsReplaced>
  DefinitionId with_replaced_oldtypes(const ConstructorCall& call, IsReplaced is_replaced) {
    return intern_with(call, [&](DefinitionId oldtype) {
      const Type& type = types_[oldtype.value];
      return is_replaced(oldtype) ? type.normal : type.faithful;
    });
  }

  /// The call with its oldtypes in normal form, but for those that would make a difference to it: these are held.
  DefinitionId with_normal_oldtypes(const ConstructorCall& call, DefinitionId faithful) {
    const DefinitionId all = with_replaced_oldtypes(call, [](DefinitionId) { return true; });
    if (is_same(all, faithful)) return all;

    std::vector<DefinitionId> kept = oldtypes_that_matter(call, faithful);
    if (kept.empty()) kept.assign(call.datatypes.begin(), call.datatypes.end());  // only together do they matter
    for (const DefinitionId oldtype : kept) hold(oldtype);
    std::sort(kept.begin(), kept.end());
    const DefinitionId rest =
        with_replaced_oldtypes(call, [&](DefinitionId oldtype) { return !is_among(kept, oldtype); });
    return is_same(rest, faithful) ? rest : faithful;
  }

  /// The oldtypes that make a difference to the call in normal form. Each is tried by itself where they are few. Many
  /// are tried in pieces, and what is in a piece that matters again: each trial is a definition as long as the call, so
  /// that where there were too many, all of a piece count.
  std::vector<DefinitionId> oldtypes_that_matter(const ConstructorCall& call, DefinitionId faithful) {
    constexpr std::size_t most_pieces = 64;
    constexpr std::size_t most_trials = 4 * most_pieces;
    std::vector<DefinitionId> candidates;
    for (const DefinitionId oldtype : call.datatypes) {
      if (types_[oldtype.value].normal != types_[oldtype.value].faithful) candidates.push_back(oldtype);
    }
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());

    std::vector<DefinitionId> found;
    std::size_t trials = 0;
    for (std::vector<Oldtypes> pending = {candidates}; !pending.empty();) {
      const Oldtypes all = pending.back();
      pending.pop_back();
      if (trials >= most_trials) {
        found.insert(found.end(), all.begin(), all.end());
        continue;
      }
      const std::size_t length = (all.size() + most_pieces - 1) / most_pieces;
      for (std::size_t begin = 0; begin < all.size(); begin += length) {
        const Oldtypes piece = all.subspan(begin, std::min(length, all.size() - begin));
        ++trials;
        if (is_same(with_replaced_oldtypes(call, [&](DefinitionId type) { return is_among(piece, type); }), faithful)) {
          continue;
        }
        if (piece.size() == 1) {
          found.push_back(piece[0]);
        } else {
          pending.push_back(piece);
        }
      }
    }
    return found;
  }

  /// No simpler form is proposed for this type, nor for any that it is made of.
  void hold(DefinitionId id) {
    std::vector<DefinitionId> pending = {id};
    while (!pending.empty()) {
      Type& type = types_[pending.back().value];
      const ConstructorCall& call = store_[pending.back()].call;
      pending.pop_back();
      if (type.is_seen) continue;
      type.is_seen = true;
      type.is_held = true;
      pending.insert(pending.end(), call.datatypes.begin(), call.datatypes.end());
    }
  }

  /// An oldtype that made a difference to the call may make none to what it was rewritten to.
  DefinitionId with_oldtypes_that_may_be_normal_now(const Type& type) {
    if (own_[type.normal].call.datatypes.empty()) return type.normal;
    const DefinitionId all = intern_with(
        own_[type.normal].call, [&](DefinitionId oldtype) { return types_[originals_[oldtype.value].value].normal; });
    return is_same(all, type.faithful) ? all : type.normal;
  }

  /// Rewrites until nothing gets simpler.
  void run(Type& type) {
    const auto table = rewrites();
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (i == 0) type.normal = with_oldtypes_that_may_be_normal_now(type);
      const std::optional<DefinitionId> next = rewritten(table[i], type.normal);
      if (!next || !is_same(*next, type.faithful)) continue;
      type.normal = *next;
      if (std::find(type.rewrites.begin(), type.rewrites.end(), table[i].name) == type.rewrites.end()) {
        type.rewrites.push_back(table[i].name);
      }
      i = static_cast<std::size_t>(-1);  // from the first one again
    }
  }

  /// What the rewrite makes of a definition, if it is simpler.
  std::optional<DefinitionId> rewritten(const Rewrite& rewrite, DefinitionId id) {
    const ConstructorCall& call = own_[id].call;
    const std::optional<Rewritten> result = rewrite.apply(RewriteSubject{own_, in_use_, call});
    if (!result) return {};
    if (const DefinitionId* existing = std::get_if<DefinitionId>(&*result)) {
      if (!measures_[existing->value].is_less_than(measures_[id.value])) return {};
      return *existing;
    }
    const NewCall& wanted = std::get<NewCall>(*result);
    CallFromContents built;
    if (!build(wanted, call, built) || !measure_of(built.call()).is_less_than(measures_[id.value])) return {};
    return added(own_.intern(built.call()).id);
  }

  /// In the form of the call that it replaces; in the large one also where numbers need it and an oldtype had it.
  bool build(const NewCall& wanted, const ConstructorCall& replaced, CallFromContents& built) const {
    const auto build_form = [&](Form form) {
      return built.build(wanted.combiner, form, contents_of(wanted.combiner, form, wanted.arguments));
    };
    if (build_form(replaced.form)) return true;
    const bool is_large_within =
        std::any_of(replaced.datatypes.begin(), replaced.datatypes.end(),
                    [&](DefinitionId oldtype) { return own_[oldtype].call.form == Form::large_counts; });
    return is_large_within && build_form(Form::large_counts);
  }

  Measure measure_of(const ConstructorCall& call) const {
    Measure measure;
    measure.rank = rank_of(call.combiner);
    if (call.combiner == Combiner::named) return measure;
    const Envelope envelope = envelope_of(call);
    measure.constructors = 1;
    measure.arguments = Exact(envelope.num_integers) + Exact(envelope.num_addresses) +
                        Exact(envelope.num_large_counts) + Exact(envelope.num_datatypes);
    std::vector<DefinitionId> kinds(call.datatypes.begin(), call.datatypes.end());
    std::sort(kinds.begin(), kinds.end());
    kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
    for (const DefinitionId kind : kinds) {
      measure.constructors += measures_[kind.value].constructors;
      measure.arguments += measures_[kind.value].arguments;
    }
    return measure;
  }

  /// Two own definitions: the same typemap and bounds under every model, and as the job has them.
  bool is_same(DefinitionId a, DefinitionId b) {
    if (a == b) return true;
    if (!are_equal(standard_bounds(a), standard_bounds(b))) return false;
    for (const BoundsModel library : of_libraries) {
      if (!are_equal(rules_[library].bounds(a), rules_[library].bounds(b))) return false;
    }
    // Layouts that agree with others of those that are looked at would only show the same again.
    const bool is_standard_in_use = is_laid_out_by_standard(a) && is_laid_out_by_standard(b);
    const bool libraries_agree = libraries_place_by_standard(a) && libraries_place_by_standard(b);
    for (const BoundsModel model : bounds_models) {
      if (model == BoundsModel::standard ? is_standard_in_use : libraries_agree) continue;
      if (rules_.places_as_before(model, a) && rules_.places_as_before(model, b)) continue;
      const Layouts& layouts = rules_[model].layouts();
      std::optional<Fingerprints>& fingerprints = fingerprints_[static_cast<std::size_t>(model)];
      if (!fingerprints) fingerprints.emplace(layouts);
      if (!have_same_entries(layouts, *fingerprints, a, b)) return false;
    }
    return have_same_entries(in_use_, in_use_fingerprints_, a, b) && have_same_bounds_in_use(a, b);
  }

  /// Whether the bounds in use put the entries where the standard does.
  bool is_laid_out_by_standard(DefinitionId id) {
    return in_use_agrees_(own_, id, [&](DefinitionId oldtype) {
      // These are the standard's: on what the oldtype is made of there is agreement.
      const Bounds& bounds = in_use_.computed(oldtype);
      return in_use_.lb(oldtype) == bounds.lb && in_use_.extent(oldtype) == bounds.extent;
    });
  }

  bool libraries_place_by_standard(DefinitionId id) {
    return libraries_agree_(own_, id, [&](DefinitionId oldtype) {
      const Bounds& bounds = standard_bounds(oldtype);
      return std::all_of(of_libraries.begin(), of_libraries.end(), [&](BoundsModel library) {
        const Bounds& other = rules_[library].bounds(oldtype);
        return other.lb == bounds.lb && other.extent == bounds.extent;
      });
    });
  }

  const Bounds& standard_bounds(DefinitionId id) {
    return is_laid_out_by_standard(id) ? in_use_.computed(id) : rules_[BoundsModel::standard].bounds(id);
  }

  static bool have_same_entries(const Layouts& layouts, Fingerprints& fingerprints, DefinitionId a, DefinitionId b) {
    const std::optional<Fingerprint> first = fingerprints.layout(layouts.root(a));
    return first && first == fingerprints.layout(layouts.root(b));
  }

  /// What the library would say of a definition that the job did not make is known where a rule foretells what it
  /// says of the other one, since the rules see no difference between the two.
  bool have_same_bounds_in_use(DefinitionId a, DefinitionId b) {
    if (in_use_.lb(a) == in_use_.lb(b) && in_use_.extent(a) == in_use_.extent(b)) return true;
    if (in_use_.observed(a) && in_use_.observed(b)) return false;
    const DefinitionId known = in_use_.observed(a) ? a : b;
    return std::any_of(std::begin(bounds_models), std::end(bounds_models), [&](BoundsModel model) {
      const Bounds& bounds = rules_[model].bounds(known);
      return in_use_.lb(known) == bounds.lb && in_use_.extent(known) == bounds.extent;
    });
  }

  DefinitionId original(DefinitionId own) const {
    return own.value < originals_.size() ? originals_[own.value] : DefinitionId{};
  }
  void set_original(DefinitionId own, DefinitionId id) {
    if (originals_.size() <= own.value) originals_.resize(own.value + 1);
    originals_[own.value] = id;
  }

  const DefinitionStore& store_;
  const Layouts& layouts_;
  IsHeldElsewhere is_held_elsewhere_;
  std::vector<Type> types_;  // by id in the original store
  DefinitionStore own_;
  Layouts in_use_;  // of the own store, with the original's extents in use
  Fingerprints in_use_fingerprints_;
  OldtypesAgree in_use_agrees_, libraries_agree_;                                   // with the standard
  AllRules rules_;                                                                  // of the own store
  std::array<std::optional<Fingerprints>, std::size(bounds_models)> fingerprints_;  // by model
  std::vector<Measure> measures_;                                                   // by id in the own store
  std::vector<bool> is_oldtype_;         // by id in the own store: something has been made of it
  std::vector<DefinitionId> originals_;  // by id in the own store: a definition that it is, or is the normal form of
};

Simplifier::Simplifier(const DefinitionStore& store, const Layouts& layouts, IsHeldElsewhere is_held_elsewhere)
    : implementation_(std::make_unique<Implementation>(store, layouts, std::move(is_held_elsewhere))) {}

Simplifier::~Simplifier() = default;

std::optional<Simpler> Simplifier::simpler(DefinitionId id, const NameOldtype& name_oldtype) {
  return implementation_->simpler(id, name_oldtype);
}

bool Simplifier::is_held(DefinitionId id) { return implementation_->is_held(id); }

DefinitionId Simplifier::normal_form(DefinitionId id) { return implementation_->normal_form(id); }

const DefinitionStore& Simplifier::normal_forms() const { return implementation_->store(); }

}  // namespace ddtscope
