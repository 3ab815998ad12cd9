package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.backend.EntryCursor.Step;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.Scope;
import org.nyala.lmdb.admin.Verification;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.env.StoreLock;

/** The entries that a store finds and shows. */
class LmdbBackendTest {
  @TempDir Path directory;

  @Test
  void shouldFindEveryEntryByNameAndShowIt() {
    TestStore store = TestStore.random(directory, new Random(1), 300);
    try (LmdbBackend backend = store.open();
        ReadTransaction read = backend.beginRead()) {
      EntryView view = new EntryView();
      store.entries.forEach(
          (id, entry) -> {
            assertThat(read.find(entry.dn())).isEqualTo(id);
            assertThat(read.distanceToNearest(entry.dn())).isZero();
            assertThat(read.read(id, view)).isTrue();
            assertThat(view.dn()).isEqualTo(entry.dn().raw());
            assertThat(view.attributeCount()).isEqualTo(entry.descriptions().size());
            assertThat(read.hasSubordinates(id)).isEqualTo(store.parents.containsValue(id));
          });
      assertThat(read.read(store.entries.lastKey() + 1, view)).isFalse();
      assertThat(backend.namingContexts()).containsExactly(TestStore.dn(TestStore.SUFFIX));
    }
  }

  @Test
  void shouldTellTheNearestEntryThatExists() {
    TestStore store = TestStore.random(directory, new Random(2), 50);
    try (LmdbBackend backend = store.open();
        ReadTransaction read = backend.beginRead()) {
      Dn known = store.entries.lastEntry().getValue().dn();
      assertThat(read.find(TestStore.dn("cn=no," + known))).isEqualTo(ReadTransaction.NO_ENTRY);
      assertThat(read.distanceToNearest(TestStore.dn("cn=no," + known))).isEqualTo(1);
      assertThat(read.distanceToNearest(TestStore.dn("cn=x,cn=y,cn=no," + known))).isEqualTo(3);
      assertThat(read.distanceToNearest(TestStore.dn("dc=org"))).isEqualTo(-1);
      assertThat(read.distanceToNearest(Dn.EMPTY)).isEqualTo(-1);
      assertThat(read.find(known)).isEqualTo(store.entries.lastKey());
    }
  }

  @Test
  void shouldFindLongNamesApart() {
    TestStore.createWithoutIndexes(directory);
    String stem = "cn=" + "n".repeat(600);
    try (LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, TestStore.SETTINGS)) {
      add(backend, TestStore.SUFFIX, stem + "a,", stem + "b,");
    }
    try (LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, TestStore.SETTINGS);
        ReadTransaction read = backend.beginRead()) {
      assertThat(read.find(TestStore.dn(stem + "a," + TestStore.SUFFIX))).isEqualTo(2);
      assertThat(read.find(TestStore.dn(stem + "b," + TestStore.SUFFIX))).isEqualTo(3);
      assertThat(read.find(TestStore.dn(stem + "c," + TestStore.SUFFIX))).isZero();
    }
    assertThat(Verification.verify(directory, TestStore.SCHEMA, 5).problems()).isEmpty();
  }

  @Test
  void shouldSeeWhatWasCommittedBeforeTheReadBegan() {
    TestStore.create(directory);
    try (LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, TestStore.SETTINGS)) {
      Dn added = TestStore.dn("cn=x," + TestStore.SUFFIX);
      try (ReadTransaction read = backend.beginRead()) {
        assertThat(read.distanceToNearest(added)).isEqualTo(-1);
        add(backend, TestStore.SUFFIX, "cn=x,");
        assertThat(read.find(added)).isZero();
        assertThat(read.attributes().size()).isZero();
      }
      try (ReadTransaction read = backend.beginRead()) {
        assertThat(read.find(added)).isEqualTo(2);
        assertThat(read.attributes().size()).isEqualTo(1);
        SearchSpec spec = search(FilterOracle.equality("cn", "X"));
        EntryView view = new EntryView();
        try (var cursor = read.search(spec, 0)) {
          assertThat(cursor.next(view, 10)).isEqualTo(Step.ENTRY);
          assertThat(view.id()).isEqualTo(2);
          assertThat(cursor.next(view, 10)).isEqualTo(Step.END);
          assertThat(cursor.isExact()).isTrue();
        }
      }
      assertThat(backend.entryCount()).isEqualTo(2);
    }
  }

  @Test
  void shouldKeepSeveralCursorsOfOneReadApart() {
    TestStore store = TestStore.random(directory, new Random(3), 200);
    try (LmdbBackend backend = store.open();
        ReadTransaction read = backend.beginRead()) {
      SearchSpec spec = search(FilterOracle.equality("objectClass", "top"));
      EntryView outer = new EntryView();
      EntryView inner = new EntryView();
      try (var first = read.search(spec, 0)) {
        while (first.next(outer, 1000) == Step.ENTRY) {
          byte[] dn = outer.dn();
          try (var second = read.search(spec, outer.id())) {
            if (second.next(inner, 1000) == Step.ENTRY) {
              assertThat(inner.id()).isGreaterThan(outer.id());
              assertThat(read.find(store.entries.get(inner.id()).dn())).isEqualTo(inner.id());
            }
          }
          assertThat(outer.dn()).isEqualTo(dn);
        }
      }
    }
  }

  @Test
  void shouldSayWhyAStoreCannotBeOpened() throws IOException {
    assertOpeningFails("import an LDIF file first");
    Files.write(directory.resolve("data.mdb"), new byte[8192]);
    assertOpeningFails("data.mdb is not an LMDB file");
    Files.delete(directory.resolve("data.mdb"));
    TestStore.createWithoutIndexes(directory);
    try (StoreLock lock = StoreLock.acquire(directory)) {
      assertThat(lock).isNotNull();
      assertOpeningFails("in use by another Nyala process");
    }
  }

  private void assertOpeningFails(String reason) {
    assertThatThrownBy(() -> LmdbBackend.open(directory, TestStore.SCHEMA, TestStore.SETTINGS))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(reason);
  }

  private static SearchSpec search(CompiledFilter filter) {
    return new SearchSpec(1, Scope.SUBTREE, filter, false, false);
  }

  private static void add(LmdbBackend backend, String suffix, String... prefixes) {
    try (WriteTransaction writer = backend.beginWrite()) {
      Entry top = new Entry(TestStore.dn(suffix));
      writer.apply(new ResolvedChange.Add(top));
      for (String prefix : prefixes) {
        Entry entry = new Entry(TestStore.dn(prefix + suffix));
        TestStore.add(entry, "cn", prefix.substring(3, prefix.length() - 1));
        writer.apply(new ResolvedChange.Add(entry));
      }
      writer.commit();
    }
  }
}
