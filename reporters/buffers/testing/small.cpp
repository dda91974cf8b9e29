// What C++ has that C has not, without the standard library: namespaces, classes, references, templates, lambdas.
extern "C" void observe(const void* buffer, const char* type, long elements, const char* name);

namespace grid {
template <class Number, int length>
struct Cell {
  Number value[length];
  union {
    long id;
    double weight;
  };
  unsigned low : 3, high : 5;
};
class Base {
 public:
  virtual void send() = 0;

 protected:
  double* data_ = nullptr;
};
class Field : public virtual Base {
 public:
  explicit Field(double* data) { data_ = data; }
  void send() override {
    const auto later = [this, &cell = cells_[1]](int n) { observe(cell.value, "MPI_FLOAT", n, data_ ? "a" : "b"); };
    later(3);
  }

 private:
  Cell<float, 3> cells_[4] = {};
  static inline long steps_[3];
};
}  // namespace grid

static thread_local int of_thread[4];
enum class Kind : short { one, two };

extern "C" void send_all(double* values, const grid::Cell<double, 5>& cell, Kind&& kind, int n) {
  grid::Field field(values);
  field.send();
  auto& [first, second] = reinterpret_cast<double(&)[2]>(*values);
  observe(&cell.id, "MPI_LONG", 1, "cell");
  observe(&first, "MPI_DOUBLE", n, "first");
  observe(of_thread, "MPI_INT", static_cast<int>(kind) + static_cast<int>(second), "of_thread");
}
