package org.nyala.lmdb.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.lmdb.search.PointPeople.below;
import static org.nyala.lmdb.search.PointPeople.describe;
import static org.nyala.lmdb.search.PointPeople.found;
import static org.nyala.lmdb.search.PointPeople.isRemembered;
import static org.nyala.lmdb.search.PointPeople.name;
import static org.nyala.lmdb.search.PointPeople.open;
import static org.nyala.lmdb.search.PointPeople.person;
import static org.nyala.lmdb.search.PointPeople.point;
import static org.nyala.lmdb.search.PointPeople.twice;
import static org.nyala.lmdb.search.PointPeople.uid;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.EntryCursor.Step;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.Scope;
import org.nyala.lmdb.FilterOracle;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.TestStore;
import org.nyala.lmdb.env.LmdbSettings;

/** Remembered searches for one value, whose results are the same as without them. */
@Timeout(300)
class CachedLookupTest {
  private static final int ENOUGH = CachedLookup.VALUES_OF_A_QUIET_SNAPSHOT + 1;

  @TempDir Path directory;

  private static void searchOften(LmdbBackend backend, int number) {
    for (int i = 0; i < ENOUGH; i++) {
      try (ReadTransaction read = backend.beginRead()) {
        found(read, uid(number), Scope.SUBTREE);
      }
    }
  }

  @Test
  void shouldReadTheRecordThatItRemembers() {
    try (LmdbBackend backend = open(directory, TestStore.SETTINGS)) {
      searchOften(backend, 3);
      try (ReadTransaction read = backend.beginRead()) {
        assertThat(isRemembered(backend, read, 3)).isTrue();
        assertThat(isRemembered(backend, read, 4)).isFalse();
        String three = found(read, uid(3), Scope.SUBTREE);
        String four = found(read, uid(4), Scope.SUBTREE);
        assertThat(isRemembered(backend, read, 4)).isTrue();
        assertThat(found(read, uid(4), Scope.SUBTREE)).isEqualTo(four).isNotEqualTo(three);
        // The table is what is read: a wrong entry put there is found.
        LookupKey wrong = point(read, "u4");
        backend.points().find(wrong, read.snapshot());
        LookupKey point = point(read, "u5");
        point.found(wrong.entryId(), wrong.address(), wrong.recordLength());
        backend.points().remember(point, read.snapshot());
        assertThat(found(read, uid(5), Scope.SUBTREE)).isEqualTo(four);
      }
    }
  }

  @Test
  void shouldLookAtTheScopeOfWhatItRemembers() {
    try (LmdbBackend backend = open(directory, TestStore.SETTINGS)) {
      searchOften(backend, 3);
      try (ReadTransaction read = backend.beginRead()) {
        assertThat(isRemembered(backend, read, 3)).isTrue();
        assertThat(found(read, uid(3), Scope.ONE_LEVEL)).isNotEmpty();
        assertThat(found(read, uid(3), Scope.SUBORDINATE)).isNotEmpty();
        assertThat(found(read, uid(3), Scope.BASE)).isNotEmpty();
        SearchSpec elsewhere =
            new SearchSpec(read.find(name(4)), Scope.SUBTREE, uid(3), false, false);
        try (EntryCursor cursor = read.search(elsewhere, 0)) {
          assertThat(cursor.next(new EntryView(), 10)).isEqualTo(Step.END);
        }
        long id = read.find(name(3));
        try (EntryCursor cursor = read.search(below(read, Scope.SUBTREE, uid(3)), id)) {
          assertThat(cursor.next(new EntryView(), 10)).isEqualTo(Step.END);
        }
      }
    }
  }

  @Test
  void shouldNotTakeTheOnlyOneInScopeForTheOnlyOne() {
    try (LmdbBackend backend = open(directory, TestStore.SETTINGS)) {
      CompiledFilter title = FilterOracle.equality("title", "shared");
      try (WriteTransaction write = backend.beginWrite()) {
        for (int i = 1000; i < 1200; i++) {
          Entry entry = new Entry(TestStore.dn("uid=u" + i + "," + name(i == 1000 ? 1 : 0)));
          TestStore.add(entry, "title", "shared");
          write.apply(new ResolvedChange.Add(entry));
        }
        write.commit();
      }
      for (int i = 0; i < 2 * ENOUGH; i++) {
        try (ReadTransaction read = backend.beginRead()) {
          SearchSpec one = new SearchSpec(read.find(name(1)), Scope.ONE_LEVEL, title, false, false);
          assertThat(count(read, one)).isEqualTo(1);
          assertThat(count(read, below(read, Scope.SUBTREE, title))).isEqualTo(200);
        }
      }
    }
  }

  private static int count(ReadTransaction read, SearchSpec spec) {
    EntryView view = new EntryView();
    int count = 0;
    try (EntryCursor cursor = read.search(spec, 0)) {
      Step step = cursor.next(view, 50);
      while (step != Step.END) {
        count += step == Step.ENTRY ? 1 : 0;
        step = cursor.next(view, 50);
      }
    }
    return count;
  }

  @Test
  void shouldShowAWriterItsOwnChangesAndNobodyElse() {
    try (LmdbBackend backend = open(directory, TestStore.SETTINGS)) {
      searchOften(backend, 3);
      try (WriteTransaction write = backend.beginWrite()) {
        write.apply(describe(3, "changed", write));
        String changed = found(write, uid(3), Scope.SUBTREE);
        for (int i = 0; i < 2 * ENOUGH; i++) {
          assertThat(found(write, uid(3), Scope.SUBTREE)).isEqualTo(changed);
        }
        assertThat(isRemembered(backend, write, 3)).isFalse();
        try (ReadTransaction read = backend.beginRead()) {
          assertThat(isRemembered(backend, read, 3)).isTrue();
          assertThat(found(read, uid(3), Scope.SUBTREE)).isNotEmpty().isNotEqualTo(changed);
        }
        write.apply(new ResolvedChange.Delete(name(3), write.find(name(3))));
        assertThat(found(write, uid(3), Scope.SUBTREE)).isEmpty();
        write.commit();
      }
      try (ReadTransaction read = backend.beginRead()) {
        assertThat(found(read, uid(3), Scope.SUBTREE)).isEmpty();
      }
    }
  }

  @Test
  void shouldForgetWhereTheMapMovesAlthoughNothingChanges() {
    try (LmdbBackend backend = open(directory, TestStore.SETTINGS)) {
      searchOften(backend, 3);
      String before;
      long snapshot;
      try (ReadTransaction read = backend.beginRead()) {
        assertThat(isRemembered(backend, read, 3)).isTrue();
        before = found(read, uid(3), Scope.SUBTREE);
        snapshot = read.snapshot();
      }
      assertThat(backend.mapSize().addHeadRoom()).isTrue();
      try (ReadTransaction read = backend.beginRead()) {
        assertThat(read.snapshot()).isEqualTo(snapshot);
        assertThat(isRemembered(backend, read, 3)).isFalse();
        assertThat(found(read, uid(3), Scope.SUBTREE)).isEqualTo(before);
        assertThat(isRemembered(backend, read, 3)).isTrue();
        assertThat(found(read, uid(3), Scope.SUBTREE)).isEqualTo(before);
      }
    }
  }

  /** A damaged record must not show the bytes after it, nor addresses that are no memory. */
  @Test
  void shouldEndTheBufferWhereTheRecordEnds() {
    try (LmdbBackend backend = open(directory, TestStore.SETTINGS)) {
      searchOften(backend, 3);
      EntryView view = new EntryView();
      try (ReadTransaction read = backend.beginRead()) {
        assertThat(isRemembered(backend, read, 3)).isTrue();
        try (EntryCursor cursor = read.search(below(read, Scope.SUBTREE, uid(3)), 0)) {
          assertThat(cursor.next(view, 10)).isEqualTo(Step.ENTRY);
          assertThat(view.recordStart()).isPositive();
          assertThat(view.buffer().limit()).isEqualTo(view.recordStart() + view.recordLength());
        }
      }
    }
  }

  @Test
  void shouldFindTheValuesThatAreKeptApartFromARecord() {
    try (LmdbBackend backend = open(directory, TestStore.SETTINGS)) {
      try (WriteTransaction write = backend.beginWrite()) {
        Entry entry = person(1000, "d");
        for (int i = 0; i < 500; i++) {
          TestStore.add(entry, "description", "one of many: " + i);
        }
        write.apply(new ResolvedChange.Add(entry));
        write.commit();
      }
      searchOften(backend, 1000);
      try (ReadTransaction read = backend.beginRead()) {
        assertThat(isRemembered(backend, read, 1000)).isTrue();
        assertThat(found(read, uid(1000), Scope.SUBTREE))
            .isEqualTo(found(read, twice(1000), Scope.SUBTREE))
            .contains("one of many: 499\n");
      }
    }
  }

  @Test
  void shouldNotRememberWhatHasNoRoomInASlot() {
    try (LmdbBackend backend = open(directory, TestStore.SETTINGS)) {
      String longValue = "t".repeat(LookupKey.MAXIMUM_LENGTH);
      try (WriteTransaction write = backend.beginWrite()) {
        Entry entry = person(1000, "d");
        TestStore.add(entry, "title", longValue);
        write.apply(new ResolvedChange.Add(entry));
        write.commit();
      }
      CompiledFilter title = FilterOracle.equality("title", longValue);
      for (int i = 0; i < 2 * ENOUGH; i++) {
        try (ReadTransaction read = backend.beginRead()) {
          assertThat(found(read, title, Scope.SUBTREE))
              .isNotEmpty()
              .isEqualTo(found(read, twice(1000), Scope.SUBTREE));
        }
      }
    }
  }

  /** Threads keep the readers of closed stores, with all that these refer to. */
  @Test
  void shouldGiveItsMemoryBackWhenTheStoreIsClosed() {
    TestStore.create(directory);
    LmdbSettings large =
        TestStore.SETTINGS.with(
            draft -> draft.rememberedSearches = LmdbSettings.MAXIMUM_REMEMBERED_SEARCHES);
    long bytes = 0;
    while (bytes < 2 * Runtime.getRuntime().maxMemory()) {
      try (LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, large);
          ReadTransaction read = backend.beginRead()) {
        assertThat(read.find(name(3))).isEqualTo(ReadTransaction.NO_ENTRY);
      }
      bytes += 128 << 20;
    }
  }

  @Test
  void shouldRememberNothingWhereThatIsConfigured() {
    try (LmdbBackend backend =
        open(directory, TestStore.SETTINGS.with(draft -> draft.rememberedSearches = 0))) {
      searchOften(backend, 3);
      try (ReadTransaction read = backend.beginRead()) {
        assertThat(backend.points()).isNull();
        assertThat(found(read, uid(3), Scope.SUBTREE))
            .isNotEmpty()
            .isEqualTo(found(read, twice(3), Scope.SUBTREE));
      }
    }
  }
}
