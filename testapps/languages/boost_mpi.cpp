// Boost.MPI makes datatypes of its own, for a structure that is declared as one and for a skeleton's content.
#include <boost/mpi.hpp>
#include <boost/serialization/list.hpp>
#include <iostream>
#include <list>

struct Particle {
  int id = 0;
  double mass = 0;
  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& id& mass;
  }
};
BOOST_IS_MPI_DATATYPE(Particle)
BOOST_CLASS_TRACKING(Particle, boost::serialization::track_never)

int main(int argc, char** argv) {
  const boost::mpi::environment environment(argc, argv);
  const boost::mpi::communicator world;
  const boost::mpi::communicator self(MPI_COMM_SELF, boost::mpi::comm_duplicate);
  Particle sent, received;
  sent.id = 7;
  sent.mass = 0.5;
  for (int i = 0; i < 3; ++i) {  // the type is made once
    boost::mpi::request request = self.irecv(0, 1, received);
    self.send(0, 1, sent);
    request.wait();
  }
  std::cout << received.id << ' ' << received.mass << '\n';

  const std::list<int> numbers{1, 2, 3};
  const boost::mpi::content content = boost::mpi::get_content(numbers);
  std::cout << (content.get_mpi_datatype() != MPI_DATATYPE_NULL) << '\n';
  return 0;
}
