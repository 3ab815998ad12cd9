package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Scope;
import org.nyala.lmdb.explain.ShapeIndexes;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.lmdb.format.IndexUses;

/** The indexes that filters without values use and lack, and the uses of indexes. */
class ShapeIndexesTest extends ExplainerTestCase {
  private static FilterNode shape(String attribute) {
    return equal(attribute, "?");
  }

  private static ShapeIndexes indexes(LmdbBackend backend) {
    AtomicLong clock = new AtomicLong();
    return new ShapeIndexes(backend, () -> clock.addAndGet(20_000));
  }

  private static List<String> remedy(LmdbBackend backend, FilterNode filter) {
    return indexes(backend)
        .remedy(filter)
        .map(found -> found.indexes().stream().map(IndexDefinition::toString).toList())
        .orElse(List.of());
  }

  @Test
  void shouldNameTheIndexThatLeavesTheFewest() {
    try (LmdbBackend backend = people(1000)) {
      // A description is that of ten people, a street that of half of them.
      FilterNode both = new FilterNode.And(List.of(shape("street"), shape("description")));
      Optional<ShapeIndexes.Remedy> found = indexes(backend).remedy(both);
      assertThat(remedy(backend, both)).containsExactly("description:eq");
      assertThat(found)
          .hasValueSatisfying(
              each -> {
                assertThat(each.entriesPerSearch()).isBetween(5L, 20L);
                assertThat(each.bytes()).isPositive();
              });
      assertThat(remedy(backend, shape("street"))).containsExactly("street:eq");
      backend.addIndex(IndexDefinition.parse(TestStore.SCHEMA, "description", "eq"));
      while (backend.workOnIndexes()) {
        assertThat(backend.indexProgress()).isNotEmpty();
      }
      assertThat(remedy(backend, both)).isEmpty();
    }
  }

  @Test
  void shouldNameNothingThatWouldNotHelp() {
    try (LmdbBackend backend = people(300)) {
      FilterNode unknown = shape("?");
      FilterNode any = new FilterNode.Present("objectClass");
      FilterNode.Substrings inner =
          new FilterNode.Substrings("description", null, List.of(bytes("?")), null);
      assertThat(remedy(backend, unknown)).isEmpty();
      assertThat(remedy(backend, any)).isEmpty();
      assertThat(remedy(backend, new FilterNode.Not(shape("description")))).isEmpty();
      assertThat(remedy(backend, new FilterNode.Or(List.of(any, shape("description"))))).isEmpty();
      assertThat(remedy(backend, new FilterNode.Or(List.of(unknown, shape("description")))))
          .containsExactly("description:eq");
      assertThat(remedy(backend, new FilterNode.Or(List.of(shape("street"), shape("description")))))
          .containsExactly("street:eq", "description:eq");
      assertThat(remedy(backend, inner)).containsExactly("description:sub");
      assertThat(remedy(backend, shape("description;?"))).containsExactly("description:eq");
      assertThat(indexes(backend).remedy(new FilterNode.Present("street")))
          .hasValueSatisfying(each -> assertThat(each.entriesPerSearch()).isEqualTo(300));
      assertThat(remedy(backend, new FilterNode.And(List.of()))).isEmpty();
      assertThat(remedy(backend, new FilterNode.Extensible("2.5.13.2", null, bytes("?"), false)))
          .isEmpty();
    }
  }

  @Test
  void shouldDescribeEachPart() {
    try (LmdbBackend backend = people(300)) {
      List<ShapeIndexes.Part> parts =
          indexes(backend)
              .parts(
                  new FilterNode.And(List.of(shape("uid"), new FilterNode.Not(shape("street")))));
      assertThat(parts)
          .extracting(each -> each.depth() + " " + each.text())
          .containsExactly("0 &", "1 (uid=?)", "1 !", "2 (street=?)");
      assertThat(parts.get(1).present()).containsExactly("uid:eq");
      assertThat(parts.get(1).entriesPerValue()).isEqualTo(1);
      assertThat(parts.get(3).missing()).containsExactly("street:eq");
    }
  }

  private static IndexUses.Use use(LmdbBackend backend, String index, long now) {
    backend.indexUses().look(now);
    try (ReadTransaction read = backend.beginRead()) {
      return backend.indexUses().of(read.attributes(), backend.indexes()).stream()
          .filter(each -> each.index().toString().equals(index))
          .findFirst()
          .orElseThrow();
    }
  }

  private static void search(LmdbBackend backend, FilterNode filter) {
    try (ReadTransaction read = backend.beginRead();
        EntryCursor cursor =
            read.search(
                new SearchSpec(
                    ReadTransaction.NO_ENTRY, Scope.SUBTREE, compile(filter), false, false),
                0)) {
      assertThat(cursor.next(new EntryView(), 10)).isNotNull();
    }
  }

  @Test
  void shouldCountTheUsesOfClientsAlone() {
    try (LmdbBackend backend = people(300)) {
      assertThat(use(backend, "uid:eq", 1000).count()).isZero();
      assertThat(use(backend, "uid:eq", 1000).lastMillis()).isZero();
      explain(backend, "", Scope.SUBTREE, equal("uid", "u9"));
      assertThat(indexes(backend).parts(shape("uid"))).hasSize(1);
      assertThat(use(backend, "uid:eq", 2000).count()).isZero();
      search(backend, equal("uid", "u9"));
      search(backend, equal("street", "odd"));
      assertThat(use(backend, "uid:eq", 3000).count()).isEqualTo(1);
      assertThat(use(backend, "uid:eq", 4000).lastMillis()).isEqualTo(3000);
      search(backend, new FilterNode.And(List.of(equal("uid", "u9"), equal("street", "odd"))));
      assertThat(use(backend, "uid:eq", 5000).count()).isEqualTo(2);
      assertThat(use(backend, "uid:eq", 6000).lastMillis()).isEqualTo(5000);
    }
  }
}
