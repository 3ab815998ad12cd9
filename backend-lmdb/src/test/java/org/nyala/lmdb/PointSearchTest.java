package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Patience;
import org.nyala.core.Seeds;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.EntryCursor.Step;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.backend.StoreUnavailableException;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.schema.ByteAppender;
import org.nyala.core.search.CompiledFilter;
import org.nyala.core.search.Scope;

/** What a store remembers of searches for one value, and that nobody can tell. */
@Timeout(300)
class PointSearchTest {
  private static final int PEOPLE = 40;
  private static final int ENOUGH = PointSearch.VALUES_OF_A_QUIET_SNAPSHOT + 1;

  @TempDir Path directory;

  private LmdbBackend open(LmdbSettings settings) {
    TestStore.create(directory);
    LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, settings);
    try (WriteTransaction write = backend.beginWrite()) {
      write.apply(new ResolvedChange.Add(new Entry(TestStore.dn(TestStore.SUFFIX))));
      for (int i = 0; i < PEOPLE; i++) {
        write.apply(new ResolvedChange.Add(person(i, "d")));
      }
      write.commit();
    }
    return backend;
  }

  private static Dn name(int number) {
    return TestStore.dn("uid=u" + number + "," + TestStore.SUFFIX);
  }

  private static Entry person(int number, String description) {
    Entry entry = new Entry(name(number));
    TestStore.add(entry, "objectClass", "inetOrgPerson");
    TestStore.add(entry, "uid", "u" + number);
    TestStore.add(entry, "description", description);
    TestStore.add(entry, "title", number % 2 == 0 ? "even" : "odd");
    return entry;
  }

  private static CompiledFilter uid(int number) {
    return FilterOracle.equality("uid", "u" + number);
  }

  private static SearchSpec below(ReadTransaction read, Scope scope, CompiledFilter filter) {
    long base = read.find(TestStore.dn(TestStore.SUFFIX));
    return new SearchSpec(base, scope, filter, false, false);
  }

  /** What is found by name and read by id. */
  private static String read(ReadTransaction read, int number) {
    long id = read.find(name(number));
    EntryView view = new EntryView();
    assertThat(read.read(id, view)).isEqualTo(id != ReadTransaction.NO_ENTRY);
    return id == ReadTransaction.NO_ENTRY ? "" : text(view);
  }

  /** The ids and records that a search finds. */
  private static String found(ReadTransaction read, CompiledFilter filter, Scope scope) {
    StringBuilder text = new StringBuilder();
    EntryView view = new EntryView();
    try (EntryCursor cursor = read.search(below(read, scope, filter), 0)) {
      while (cursor.next(view, 100) == Step.ENTRY) {
        assertThat(view.id()).isEqualTo(cursor.position());
        text.append(text(view));
      }
    }
    return text.toString();
  }

  private static String text(EntryView view) {
    byte[] record = new byte[view.recordLength()];
    view.buffer().get(view.recordStart(), record);
    return view.id() + Arrays.toString(view.dn()) + Arrays.toString(record) + values(view);
  }

  private static String values(EntryView view) {
    StringBuilder text = new StringBuilder();
    ValueCursor values = new ValueCursor();
    for (int i = 0; i < view.attributeCount(); i++) {
      values.open(view, i);
      while (values.next()) {
        text.append(Arrays.toString(values.value()));
      }
    }
    return text.toString();
  }

  private static boolean isRemembered(LmdbBackend backend, ReadTransaction read, int number) {
    return backend.points().find(point(read, "u" + number), read.snapshot());
  }

  private static Point point(ReadTransaction read, String value) {
    AttributeDescription uid = AttributeDescription.parse(TestStore.SCHEMA, "uid");
    ByteAppender key = new ByteAppender(64);
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    int attribute = read.attributes().id(uid);
    IndexKeys.appendPrefix(attribute, IndexKind.EQUALITY, bytes, 0, bytes.length, key);
    Point point = new Point();
    point.take(key.array(), key.length());
    return point;
  }

  private static void searchOften(LmdbBackend backend, int number) {
    for (int i = 0; i < ENOUGH; i++) {
      try (ReadTransaction read = backend.beginRead()) {
        found(read, uid(number), Scope.SUBTREE);
      }
    }
  }

  @Test
  void shouldReadTheRecordThatItRemembers() {
    try (LmdbBackend backend = open(TestStore.SETTINGS)) {
      searchOften(backend, 3);
      try (ReadTransaction read = backend.beginRead()) {
        assertThat(isRemembered(backend, read, 3)).isTrue();
        assertThat(isRemembered(backend, read, 4)).isFalse();
        String three = found(read, uid(3), Scope.SUBTREE);
        String four = found(read, uid(4), Scope.SUBTREE);
        assertThat(isRemembered(backend, read, 4)).isTrue();
        assertThat(found(read, uid(4), Scope.SUBTREE)).isEqualTo(four).isNotEqualTo(three);
        // The table is what is read: who puts something wrong there finds that.
        Point wrong = point(read, "u4");
        backend.points().find(wrong, read.snapshot());
        Point point = point(read, "u5");
        point.found(wrong.entryId(), wrong.address(), wrong.recordLength());
        backend.points().remember(point, read.snapshot());
        assertThat(found(read, uid(5), Scope.SUBTREE)).isEqualTo(four);
      }
    }
  }

  @Test
  void shouldLookAtTheScopeOfWhatItRemembers() {
    try (LmdbBackend backend = open(TestStore.SETTINGS)) {
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
    try (LmdbBackend backend = open(TestStore.SETTINGS)) {
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
    try (LmdbBackend backend = open(TestStore.SETTINGS)) {
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
    try (LmdbBackend backend = open(TestStore.SETTINGS)) {
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

  /** A record that is damaged must not show what stands after it, nor what is no memory. */
  @Test
  void shouldEndTheBufferWhereTheRecordEnds() {
    try (LmdbBackend backend = open(TestStore.SETTINGS)) {
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
    try (LmdbBackend backend = open(TestStore.SETTINGS)) {
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
            .contains(Arrays.toString("one of many: 499".getBytes(StandardCharsets.UTF_8)));
      }
    }
  }

  @Test
  void shouldNotRememberWhatHasNoRoomInASlot() {
    try (LmdbBackend backend = open(TestStore.SETTINGS)) {
      String longValue = "t".repeat(Point.MAXIMUM_LENGTH);
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

  /** Threads keep the readers of stores that are closed, with all that these refer to. */
  @Test
  void shouldGiveItsMemoryBackWhenTheStoreIsClosed() {
    TestStore.create(directory);
    LmdbSettings large =
        TestStore.SETTINGS.withRememberedSearches(LmdbSettings.MAXIMUM_REMEMBERED_SEARCHES);
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
    try (LmdbBackend backend = open(TestStore.SETTINGS.withRememberedSearches(0))) {
      searchOften(backend, 3);
      try (ReadTransaction read = backend.beginRead()) {
        assertThat(backend.points()).isNull();
        assertThat(found(read, uid(3), Scope.SUBTREE))
            .isNotEmpty()
            .isEqualTo(found(read, twice(3), Scope.SUBTREE));
      }
    }
  }

  /** The same filter, which no plan for one value answers. */
  private static CompiledFilter twice(int number) {
    return new CompiledFilter.Or(List.of(uid(number), uid(number)));
  }

  private static ResolvedChange describe(int number, String text, ReadTransaction read) {
    AttributeDescription description = AttributeDescription.parse(TestStore.SCHEMA, "description");
    byte[] value = text.getBytes(StandardCharsets.UTF_8);
    return new ResolvedChange.Modify(
        name(number),
        read.find(name(number)),
        List.of(new AttributeChange.Replaced(description, List.of(value))));
  }

  /**
   * Pages are used again, records move and come back, the map grows and moves, and whoever reads
   * compares what is remembered with what is found without.
   */
  @Test
  void shouldFindWhatIsFoundWithoutItWhileTheStoreChangesAndItsMapMoves() throws Exception {
    long seed = Seeds.seed();
    LmdbSettings growing =
        TestStore.SETTINGS.withMapSizeBytes(1 << 20).withMaximumMapSizeBytes(64 << 20);
    AtomicBoolean stop = new AtomicBoolean();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    AtomicLong searches = new AtomicLong();
    AtomicLong hits = new AtomicLong();
    try (LmdbBackend backend = open(growing)) {
      List<Thread> readers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        Random random = new Random(seed + i);
        Thread.Builder builder = i == 0 ? Thread.ofVirtual() : Thread.ofPlatform();
        readers.add(builder.start(() -> readUntil(stop, backend, random, searches, hits, failure)));
      }
      Random random = new Random(seed + 3);
      for (int round = 0; round < 150 && failure.get() == null; round++) {
        changeOrTryAgain(backend, random, round);
        long enough = searches.get() + random.nextInt(3000);
        Patience.eventually(
            "more searches", () -> searches.get() >= enough || failure.get() != null);
      }
      stop.set(true);
      for (Thread reader : readers) {
        reader.join();
      }
      assertThat(backend.environment().env().info().mapSize).isGreaterThan(4 << 20);
    }
    assertThat(failure.get()).as("seed %d", seed).isNull();
    assertThat(hits.get()).as("seed %d", seed).isGreaterThan(searches.get() / 10);
  }

  private static void readUntil(
      AtomicBoolean stop,
      LmdbBackend backend,
      Random random,
      AtomicLong searches,
      AtomicLong hits,
      AtomicReference<@Nullable Throwable> failure) {
    try {
      while (!stop.get()) {
        try (ReadTransaction read = backend.beginRead()) {
          for (int i = 1 + random.nextInt(4); i > 0; i--) {
            int number = random.nextInt(PEOPLE);
            hits.addAndGet(isRemembered(backend, read, number) ? 1 : 0);
            String found = found(read, uid(number), Scope.SUBTREE);
            assertThat(found).isEqualTo(found(read, twice(number), Scope.SUBTREE));
            assertThat(read(read, number)).isEqualTo(found);
            searches.incrementAndGet();
          }
        }
      }
    } catch (Throwable e) {
      failure.set(e);
    }
  }

  /** What does not fit into a map that still may grow fits the next time. */
  private static void changeOrTryAgain(LmdbBackend backend, Random random, int round) {
    try {
      change(backend, random, round);
    } catch (StoreUnavailableException e) {
      assertThat(e).hasMessageContaining("the store is full");
      change(backend, random, round);
    }
  }

  private static void change(LmdbBackend backend, Random random, int round) {
    try (WriteTransaction write = backend.beginWrite()) {
      for (int i = random.nextInt(6); i >= 0; i--) {
        int number = random.nextInt(PEOPLE);
        long id = write.find(name(number));
        String text = "d".repeat(random.nextInt(3000)) + round;
        if (id == ReadTransaction.NO_ENTRY) {
          write.apply(new ResolvedChange.Add(person(number, text)));
        } else if (random.nextInt(4) == 0) {
          write.apply(new ResolvedChange.Delete(name(number), id));
        } else {
          write.apply(describe(number, text, write));
        }
      }
      // What lets the file grow.
      write.apply(new ResolvedChange.Add(person(10_000 + round, "d".repeat(30_000))));
      write.commit();
    }
  }
}
