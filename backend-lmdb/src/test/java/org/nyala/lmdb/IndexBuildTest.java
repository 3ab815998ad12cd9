package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.lmdb.TestStore.SCHEMA;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.filter.FilterLimitException;
import org.nyala.core.filter.FilterMatcher;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Scope;
import org.nyala.lmdb.admin.Verification;
import org.nyala.lmdb.format.IndexDefinition;

final class IndexBuildTest {
  @TempDir Path directory;
  private final long seed = Seeds.seed();
  private final Random random = new Random(seed);

  private static IndexDefinition index(String attribute, String kinds) {
    return IndexDefinition.parse(SCHEMA, attribute, kinds);
  }

  private void assertSound(LmdbBackend backend) {
    assertThat(Verification.verify(backend.environment(), SCHEMA, 5).problems())
        .as("seed %d", seed)
        .isEmpty();
  }

  @Test
  void shouldBuildAnIndexWhileEntriesChange() {
    TestStore store = TestStore.random(directory, random, 400);
    try (LmdbBackend backend = store.open()) {
      backend.addIndex(index("description", "eq,sub,pres"));
      backend.addIndex(index("givenName", "sub"));
      assertThat(backend.indexProgress())
          .allMatch(progress -> progress.isBuilding() && progress.done() == 0)
          .hasSize(4);
      assertThat(backend.indexes()).doesNotContain(index("givenName", "sub"));
      int slices = 0;
      do {
        changeSome(backend, store);
        checkFilters(backend);
        assertSound(backend);
        slices++;
      } while (backend.workOnIndexes());
      // The number of slices depends on the number of entries that the changes have left: here a
      // change came in between.
      assertThat(slices).as("seed %d", seed).isGreaterThan(1);
      assertThat(backend.indexProgress()).isEmpty();
      assertThat(backend.indexes())
          .contains(index("description", "eq,sub,pres"), index("givenName", "sub"));
      changeSome(backend, store);
      checkFilters(backend);
      assertSound(backend);
    }
  }

  @Test
  void shouldGoOnAfterTheStoreWasOpenedAgain() {
    TestStore store = TestStore.random(directory, random, 300);
    try (LmdbBackend backend = store.open()) {
      backend.addIndex(index("description", "eq"));
      assertThat(backend.workOnIndexes()).isTrue();
    }
    long done;
    try (LmdbBackend backend = store.open()) {
      done = backend.indexProgress().getFirst().done();
      assertThat(done).isPositive();
      while (backend.workOnIndexes()) {
        assertThat(backend.indexProgress().getFirst().done()).isGreaterThan(done);
        done = backend.indexProgress().getFirst().done();
      }
      assertSound(backend);
      assertThat(backend.indexes()).contains(index("description", "eq"));
      checkFilters(backend);
    }
  }

  @Test
  void shouldDeleteEveryKeyOfAnIndexThatIsDropped() {
    TestStore store = TestStore.random(directory, random, 300);
    try (LmdbBackend backend = store.open()) {
      backend.dropIndex(index("cn", "sub,pres"));
      assertThat(backend.indexes()).contains(index("cn", "eq"));
      checkFilters(backend);
      assertSound(backend);
      changeSome(backend, store);
      finish(backend);
      assertThat(backend.indexProgress()).isEmpty();
      assertSound(backend);
      checkFilters(backend);
    }
  }

  private static void finish(LmdbBackend backend) {
    boolean more = true;
    while (more) {
      more = backend.workOnIndexes();
    }
  }

  @Test
  void shouldRebuildAnIndexAndTakeItBackWhenItIsWantedAgain() {
    TestStore store = TestStore.random(directory, random, 300);
    try (LmdbBackend backend = store.open()) {
      List<IndexDefinition> before = backend.indexes();
      backend.rebuildIndex(index("cn", "eq,sub"));
      assertThat(backend.indexes()).contains(index("cn", "pres"));
      changeSome(backend, store);
      finish(backend);
      backend.dropIndex(index("cn", "sub"));
      backend.addIndex(index("cn", "sub"));
      finish(backend);
      backend.addIndex(index("sn", "pres"));
      backend.dropIndex(index("sn", "pres"));
      finish(backend);
      assertThat(Set.copyOf(backend.indexes())).isEqualTo(Set.copyOf(before));
      assertSound(backend);
      checkFilters(backend);
    }
  }

  @Test
  void shouldBuildOnAThreadOfItsOwn() throws InterruptedException {
    TestStore store = TestStore.random(directory, random, 300);
    try (LmdbBackend backend = store.open()) {
      backend.addIndex(index("description", "eq,sub"));
      Thread thread = Thread.ofPlatform().start(() -> finish(backend));
      changeSome(backend, store);
      thread.join();
      assertThat(backend.indexProgress()).isEmpty();
      assertSound(backend);
      checkFilters(backend);
    }
  }

  @Test
  void shouldIndexAnAttributeThatNoEntryHasYet() throws IOException {
    TestStore store = TestStore.random(directory, random, 50);
    try (LmdbBackend backend = store.open()) {
      backend.addIndex(index("roomNumber", "eq"));
      finish(backend);
      try (WriteTransaction write = backend.beginWrite()) {
        write.apply(new ResolvedChange.Add(person("new", "roomNumber", "12")));
        write.commit();
      }
      assertSound(backend);
      assertThat(found(backend, new FilterNode.Equality("roomNumber", utf8("12")), true))
          .hasSize(1);
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static Entry person(String uid, String attribute, String value) {
    Entry entry = new Entry(TestStore.dn("uid=" + uid + "," + TestStore.SUFFIX));
    TestStore.add(entry, "objectClass", "inetOrgPerson");
    TestStore.add(entry, "uid", uid);
    TestStore.add(entry, attribute, value);
    return entry;
  }

  private int added;

  private void changeSome(LmdbBackend backend, TestStore store) {
    AttributeDescription description = AttributeDescription.parse(SCHEMA, "description");
    assertThat(description).isNotNull();
    try (WriteTransaction write = backend.beginWrite()) {
      for (int i = 0; i < 15; i++) {
        Entry entry = store.entries.get(store.randomId(random));
        long id = entry == null ? 0 : write.find(entry.dn());
        if (id != 0) {
          List<byte[]> values =
              random.nextBoolean() ? List.of() : List.of(utf8(TestStore.word(random)));
          AttributeChange change = new AttributeChange.Replaced(description, values);
          write.apply(new ResolvedChange.Modify(entry.dn(), id, List.of(change)));
        }
        write.apply(
            new ResolvedChange.Add(
                person("added" + added++, "description", TestStore.word(random))));
      }
      write.commit();
    }
  }

  private void checkFilters(LmdbBackend backend) {
    for (int i = 0; i < 25; i++) {
      String attribute = List.of("description", "givenName", "cn", "sn").get(random.nextInt(4));
      byte[] value = utf8(TestStore.word(random));
      FilterNode node =
          switch (random.nextInt(3)) {
            case 0 -> new FilterNode.Present(attribute);
            case 1 -> new FilterNode.Equality(attribute, value);
            default -> new FilterNode.Substrings(attribute, null, List.of(value), null);
          };
      assertThat(found(backend, node, true))
          .as("seed %d %s", seed, node)
          .isEqualTo(found(backend, node, false));
    }
  }

  private static Set<Long> found(LmdbBackend backend, FilterNode node, boolean indexed) {
    CompiledFilter filter = compile(node);
    CompiledFilter candidates = indexed ? filter : CompiledFilter.Constant.TRUE;
    FilterMatcher matcher = new FilterMatcher(SCHEMA, _ -> true);
    Set<Long> found = new TreeSet<>();
    EntryView view = new EntryView();
    try (ReadTransaction read = backend.beginRead()) {
      long base = read.find(TestStore.dn(TestStore.SUFFIX));
      try (EntryCursor cursor =
          read.search(new SearchSpec(base, Scope.SUBTREE, candidates, false, false), 0)) {
        boolean isExact = cursor.isExact() && indexed;
        while (cursor.next(view, Integer.MAX_VALUE) == EntryCursor.Step.ENTRY) {
          if (isExact
              || matcher.match(filter, view, read.attributes(), read::hasSubordinates)
                  == Ternary.TRUE) {
            found.add(view.id());
          }
        }
      }
    }
    return found;
  }

  private static CompiledFilter compile(FilterNode node) {
    try {
      return new FilterCompiler(SCHEMA, _ -> true, 10, 100).compileOwn(node);
    } catch (FilterLimitException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
