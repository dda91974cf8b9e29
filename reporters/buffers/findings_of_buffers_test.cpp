// What is told of buffers of which a Fortran compiler's descriptor says what the elements are (MPI-4.1 19.1.6), and no
// variable does.
#include "reporters/buffers/findings_of_buffers.h"

#include <gtest/gtest.h>

#include "reporters/model/job_fixture.h"

namespace ddtscope::reporters::findings_of_buffers_test {
namespace {

using Element = ArrayDescriptor::Element;
constexpr ArrayDescriptor integers{Element::integer, 4, false};
constexpr ArrayDescriptor doubles{Element::real, 8, false};
constexpr ArrayDescriptor complexes{Element::complex, 16, false};
constexpr ArrayDescriptor section_of_doubles{Element::real, 8, true};

class DescribedBuffers : public test::JobFixture {
 protected:
  DefinitionId definition(TypeNumber type) { return job_.type(type).definition; }
  DefinitionId structure(std::initializer_list<Member> members) { return definition(JobFixture::structure(members)); }
  /// What is told of so many elements; empty where nothing is.
  std::string told(DefinitionId type, std::uint64_t elements, const ArrayDescriptor& descriptor,
                   JobPlace place = NoPlace{}) {
    const std::vector<JobFinding> findings = all_told(type, elements, descriptor, std::move(place));
    EXPECT_LE(findings.size(), 1u);
    return findings.empty() ? "" : findings.front().message;
  }
  std::vector<JobFinding> all_told(DefinitionId type, std::uint64_t elements, const ArrayDescriptor& descriptor,
                                   JobPlace place) {
    JobBuffer buffer;
    buffer.type = type;
    buffer.elements = elements;
    buffer.called = "MPI_Bcast";
    buffer.binding = "mpi_f08";
    buffer.parameter = trace::UseParameter::datatype;
    buffer.descriptor = descriptor;
    buffer.place = std::move(place);
    job_.buffers = {buffer};
    return findings_of_sources(job_).findings;
  }
};

TEST_F(DescribedBuffers, AnElementIsHeldAgainstItsKind) {
  EXPECT_EQ(told(named("MPI_INTEGER"), 10, integers), "");
  EXPECT_EQ(told(named("MPI_DOUBLE_PRECISION"), 10, doubles), "");
  EXPECT_EQ(told(named("MPI_INTEGER"), 10, doubles),
            "MPI_Bcast is given 10 x MPI_INTEGER at an array of real(kind=8): MPI_INTEGER at array(1) of type "
            "real(kind=8): floating against integer.");
}

// A structure is sent by its first component, of which alone the descriptor speaks.
TEST_F(DescribedBuffers, AStructureMayBeSentByItsFirstComponent) {
  const DefinitionId node = structure({{0, "MPI_INTEGER"}, {8, "MPI_DOUBLE_PRECISION"}});
  EXPECT_EQ(told(node, 1, integers), "");
  EXPECT_EQ(told(node, 4, integers), "");
  EXPECT_EQ(told(structure({{0, "MPI_DOUBLE_PRECISION"}, {8, "MPI_INTEGER"}}), 3, doubles), "");
  EXPECT_EQ(told(structure({{0, "MPI_REAL"}, {4, "MPI_INTEGER"}}), 3, integers), "");
}

TEST_F(DescribedBuffers, BehindTheFirstElementOtherComponentsMayLie) {
  EXPECT_EQ(told(structure({{8, "MPI_DOUBLE_PRECISION"}}), 1, integers), "") << "the second component alone";
  // Copies of a structure whose size is no multiple of its first component's.
  const DefinitionId apart = structure({{0, "MPI_COMPLEX32"}});
  const TypeNumber resized = make(Combiner::resized, {{}, {0, 40}, {}, {apart}});
  EXPECT_EQ(told(definition(resized), 3, {Element::complex, 32, false}), "");
}

TEST_F(DescribedBuffers, ADerivedTypeOfOneKindIsAccusedByTheFirstElement) {
  EXPECT_EQ(told(definition(vector(3, 2, 4, "MPI_DOUBLE_PRECISION")), 2, doubles), "");
  EXPECT_NE(told(definition(vector(3, 2, 4, "MPI_DOUBLE_PRECISION")), 2, integers), "");
  EXPECT_NE(told(definition(vector(3, 2, 4, "MPI_INTEGER")), 2, complexes), "");
}

TEST_F(DescribedBuffers, OfASectionNoElementIsNamed) {
  EXPECT_EQ(told(named("MPI_DOUBLE_PRECISION"), 8, section_of_doubles), "");
  EXPECT_EQ(
      told(named("MPI_INTEGER"), 8, section_of_doubles),
      "MPI_Bcast is given 8 x MPI_INTEGER at a section of an array of real(kind=8): MPI_INTEGER at its elements of "
      "type real(kind=8): floating against integer.");
  EXPECT_EQ(told(definition(vector(3, 1, 2, "MPI_INTEGER")), 1, section_of_doubles), "")
      << "the library describes the section by a type of its own";
}

TEST_F(DescribedBuffers, TheBlocksEndIsKnownWhateverTheElementsAre) {
  HeapPlace small;
  small.block = {0, 16};
  const DefinitionId node = structure({{0, "MPI_INTEGER"}, {8, "MPI_DOUBLE_PRECISION"}});
  EXPECT_EQ(told(node, 1, integers, small), "");
  EXPECT_NE(told(node, 2, integers, small).find("memory that was allocated"), std::string::npos);
}

// Else "use the variable's own type" were all that is said of memory that is overwritten.
TEST_F(DescribedBuffers, ALengthIsToldBesideTypesThatAreNoError) {
  HeapPlace small;
  small.block = {0, 16};
  const std::vector<JobFinding> both = all_told(named("MPI_UINT64_T"), 4, {Element::integer, 8, false}, small);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].kind, &kind_of(FindingId::source_type));
  EXPECT_EQ(both[0].severity, Severity::warning);
  EXPECT_EQ(both[0].message.find("beyond"), std::string::npos) << both[0].message;
  EXPECT_EQ(both[1].kind, &kind_of(FindingId::buffer_too_small));
  EXPECT_EQ(both[1].severity, Severity::error);
  EXPECT_NE(both[1].message.find("16 bytes beyond its end"), std::string::npos) << both[1].message;
  // Of the wrong type it has another length, too.
  const std::vector<JobFinding> wrong = all_told(named("MPI_DOUBLE_PRECISION"), 4, integers, small);
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0].severity, Severity::error);
  EXPECT_NE(wrong[0].message.find("16 bytes beyond its end"), std::string::npos) << wrong[0].message;
}

}  // namespace
}  // namespace ddtscope::reporters::findings_of_buffers_test
