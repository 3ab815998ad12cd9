package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Scope;
import org.nyala.lmdb.explain.SearchExplainer.IndexEstimate;
import org.nyala.lmdb.explain.SearchExplanation;
import org.nyala.lmdb.format.IndexDefinition;

/** The index that is advised for a search, and its estimated cost. */
class IndexAdviceTest extends ExplainerTestCase {
  @Test
  void shouldAdviseTheIndexThatHelps() {
    try (LmdbBackend backend = people(1000)) {
      FilterNode filter =
          new FilterNode.And(
              List.of(equal("description", "description 5"), equal("street", "odd")));
      SearchExplanation before = explain(backend, TestStore.SUFFIX, Scope.SUBTREE, filter);
      assertThat(before.plan()).startsWith("no index helps");
      assertThat(before.entriesRead()).isEqualTo(1001);
      assertThat(before.results()).isEqualTo(10);
      assertThat(before.advice())
          .extracting(SearchExplanation.Advice::index)
          .containsExactly("description:eq", "street:eq");
      assertThat(before.advice().getFirst().reason())
          .isEqualTo("(description=description 5) is true for 10 of the 1001 entries read");
      backend.addIndex(IndexDefinition.parse(TestStore.SCHEMA, "description", "eq"));
      while (backend.workOnIndexes()) {
        assertThat(backend.indexProgress()).isNotEmpty();
      }
      SearchExplanation after = explain(backend, TestStore.SUFFIX, Scope.SUBTREE, filter);
      assertThat(after.entriesRead()).isEqualTo(10);
      assertThat(after.results()).isEqualTo(10);
      assertThat(after.advice()).isEmpty();
    }
  }

  @Test
  void shouldAdviseByTheKindOfTest() {
    try (LmdbBackend backend = people(300)) {
      FilterNode.Substrings pieces =
          new FilterNode.Substrings("description", null, List.of(bytes("tion 77")), null);
      assertThat(explain(backend, "", Scope.SUBTREE, pieces).advice())
          .extracting(SearchExplanation.Advice::index)
          .containsExactly("description:sub");
      FilterNode.Substrings tooShort =
          new FilterNode.Substrings("description", null, List.of(bytes("zz")), null);
      SearchExplanation none = explain(backend, "", Scope.SUBTREE, tooShort);
      assertThat(none.advice()).isEmpty();
      assertThat(none.terms().getFirst().note()).isEqualTo("pieces too short for an index");
      assertThat(explain(backend, "", Scope.SUBTREE, new FilterNode.Present("title")).results())
          .isZero();
      // The NOT of a rare test leaves nearly everything.
      SearchExplanation negated =
          explain(
              backend,
              "",
              Scope.SUBTREE,
              new FilterNode.And(
                  List.of(
                      new FilterNode.Not(equal("street", "odd")),
                      new FilterNode.Not(equal("street", "even")))));
      assertThat(negated.advice()).isEmpty();
      assertThat(negated.results()).isEqualTo(1);
    }
  }

  @Test
  void shouldAdviseNothingForAnOrThatNoIndexCanHelp() {
    try (LmdbBackend backend = people(300)) {
      FilterNode rare = equal("description", "description 5");
      FilterNode.Substrings tooShort =
          new FilterNode.Substrings("street", null, List.of(bytes("zz")), null);
      SearchExplanation useless =
          explain(backend, "", Scope.SUBTREE, new FilterNode.Or(List.of(rare, tooShort)));
      assertThat(useless.results()).isEqualTo(3);
      assertThat(useless.advice()).isEmpty();
      SearchExplanation useful =
          explain(
              backend,
              "",
              Scope.SUBTREE,
              new FilterNode.Or(List.of(rare, equal("street", "nowhere"), equal("uid", "u9"))));
      assertThat(useful.advice())
          .extracting(SearchExplanation.Advice::index)
          .containsExactly("street:eq", "description:eq");
      // A part beside the OR helps all the same.
      SearchExplanation beside =
          explain(
              backend,
              "",
              Scope.SUBTREE,
              new FilterNode.And(
                  List.of(
                      equal("description", "description 7"),
                      new FilterNode.Or(List.of(rare, tooShort)))));
      assertThat(beside.advice())
          .extracting(SearchExplanation.Advice::index)
          .containsExactly("description:eq");
      assertThat(beside.advice().getFirst().reason())
          .isEqualTo("(description=description 7) is true for 3 of the 301 entries read");
    }
  }

  @Test
  void shouldEstimateAnIndexRoughly() throws Exception {
    try (LmdbBackend backend = people(20_000)) {
      for (String kinds : List.of("description:eq", "description:sub", "uid:pres")) {
        IndexDefinition definition =
            IndexDefinition.parse(
                TestStore.SCHEMA, kinds.replaceAll(":.*", ""), kinds.replaceAll(".*:", ""));
        IndexEstimate estimate;
        try (LmdbSnapshot store = (LmdbSnapshot) backend.beginRead()) {
          AtomicLong nanos = new AtomicLong();
          estimate = IndexEstimate.of(store, definition, nanos::incrementAndGet);
        }
        long before = live(backend);
        backend.addIndex(definition);
        while (backend.workOnIndexes()) {
          assertThat(backend.indexProgress()).isNotEmpty();
        }
        long actual = live(backend) - before;
        assertThat(estimate.bytes()).as(kinds).isBetween(actual / 4 - 16_384, actual * 4 + 16_384);
        assertThat(estimate.nanos()).isPositive();
      }
    }
    assertThat(Files.exists(directory.resolve("data.mdb"))).isTrue();
  }

  private static long live(LmdbBackend backend) {
    try (var txn = backend.environment().beginRead()) {
      var stat = backend.environment().index().stat(txn);
      return (stat.branchPages + stat.leafPages + stat.overflowPages) * (long) stat.pageSize;
    }
  }
}
