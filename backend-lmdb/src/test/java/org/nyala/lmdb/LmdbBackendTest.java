package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.lmdbjava.Txn;
import org.nyala.core.backend.EntryCursor.Step;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.search.CompiledFilter;
import org.nyala.core.search.Scope;

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
    assertThat(StoreVerifier.verify(directory, TestStore.SCHEMA, 5).problems()).isEmpty();
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
  void shouldReuseReaderSlotsOfEndedThreads() throws InterruptedException {
    LmdbSettings fewReaders =
        LmdbSettings.DEFAULT.withMapSizeBytes(64L << 20).withMaximumReaders(8);
    LmdbBackend.create(
        directory, TestStore.SCHEMA, List.of(TestStore.SUFFIX), List.of(), fewReaders);
    try (LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, fewReaders)) {
      for (int i = 0; i < 50; i++) {
        Thread.Builder builder = i % 2 == 0 ? Thread.ofPlatform() : Thread.ofVirtual();
        boolean[] done = new boolean[1];
        Thread thread = builder.start(() -> done[0] = readOnce(backend));
        thread.join();
        assertThat(done[0]).as("thread %d", i).isTrue();
      }
    }
    for (int i = 0; i < 20; i++) {
      try (LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, fewReaders)) {
        assertThat(readOnce(backend)).isTrue();
      }
    }
  }

  @Test
  void shouldSayWhatToDoWhenThereAreTooManyReaders() {
    LmdbSettings fewReaders =
        LmdbSettings.DEFAULT.withMapSizeBytes(64L << 20).withMaximumReaders(8);
    LmdbBackend.create(
        directory, TestStore.SCHEMA, List.of(TestStore.SUFFIX), List.of(), fewReaders);
    try (LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, fewReaders)) {
      List<Txn<ByteBuffer>> others = new ArrayList<>();
      assertThatThrownBy(
              () -> {
                while (true) {
                  others.add(backend.environment().beginRead());
                }
              })
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("raise nyala.store.maximumReaders");
      assertThat(others).hasSize(8);
      others.forEach(Txn::close);
      assertThat(readOnce(backend)).isTrue();
    }
  }

  @Test
  void shouldLetVirtualThreadsWaitForReaders() throws InterruptedException {
    LmdbSettings fewReaders =
        LmdbSettings.DEFAULT.withMapSizeBytes(64L << 20).withMaximumReaders(8);
    LmdbBackend.create(
        directory, TestStore.SCHEMA, List.of(TestStore.SUFFIX), List.of(), fewReaders);
    try (LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, fewReaders)) {
      CountDownLatch reading = new CountDownLatch(4);
      CountDownLatch gate = new CountDownLatch(1);
      AtomicInteger done = new AtomicInteger();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        threads.add(Thread.ofVirtual().start(() -> readAtTheGate(backend, reading, gate, done)));
      }
      reading.await();
      assertThat(readOnce(backend)).as("platform threads have readers left").isTrue();
      assertThat(done).hasValue(0);
      gate.countDown();
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(done).hasValue(200);
    }
  }

  private static void readAtTheGate(
      LmdbBackend backend, CountDownLatch reading, CountDownLatch gate, AtomicInteger done) {
    try (ReadTransaction _ = backend.beginRead()) {
      reading.countDown();
      gate.await();
      done.incrementAndGet();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean readOnce(LmdbBackend backend) {
    try (ReadTransaction read = backend.beginRead()) {
      return read.find(TestStore.dn("cn=no," + TestStore.SUFFIX)) == 0;
    }
  }

  @Test
  void shouldRefuseASecondReadAndUseAfterClose() {
    TestStore.createWithoutIndexes(directory);
    LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, TestStore.SETTINGS);
    try (ReadTransaction read = backend.beginRead()) {
      assertThatThrownBy(backend::beginRead).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(backend::close).isInstanceOf(IllegalStateException.class);
      assertThat(read.hasSubordinates(1)).isFalse();
    }
    backend.close();
    backend.close();
    assertThatThrownBy(backend::beginRead).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldWaitForOpenReadsAndRefuseNewOnesWhileItCloses() throws InterruptedException {
    LmdbBackend backend = emptyStore();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    Thread closing = new Thread(() -> catching(failure, () -> backend.close(60_000)));
    try (ReadTransaction read = backend.beginRead()) {
      closing.start();
      Thread other = new Thread(() -> catching(failure, () -> readUntilClosed(backend)));
      other.start();
      other.join();
      assertThatThrownBy(backend::entryCount).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(backend::indexes).isInstanceOf(IllegalStateException.class);
      assertThat(closing.isAlive()).isTrue();
      assertThat(read.hasSubordinates(1)).isFalse();
    }
    closing.join();
    assertThat(failure.get()).isNull();
    LmdbBackend.open(directory, TestStore.SCHEMA, TestStore.SETTINGS).close();
  }

  @Test
  void shouldStayOpenWhenAReadDoesNotEnd() throws InterruptedException {
    LmdbBackend backend = emptyStore();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    Thread reader =
        new Thread(
            () -> {
              try (ReadTransaction read = backend.beginRead()) {
                begun.countDown();
                mayEnd.await();
                assertThat(read.find(TestStore.dn(TestStore.SUFFIX))).isZero();
              } catch (InterruptedException | AssertionError e) {
                failure.set(e);
              }
            });
    reader.start();
    begun.await();
    assertThatThrownBy(() -> backend.close(3))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("has not ended within 3 ms");
    assertThatThrownBy(backend::beginRead).isInstanceOf(IllegalStateException.class);
    mayEnd.countDown();
    reader.join();
    assertThat(failure.get()).isNull();
    backend.close();
  }

  @Test
  void shouldNeverReadAStoreThatIsClosed() throws InterruptedException {
    emptyStore().close();
    for (int round = 0; round < 30; round++) {
      LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, TestStore.SETTINGS);
      AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
      CountDownLatch reading = new CountDownLatch(4);
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        Thread.Builder builder = i % 2 == 0 ? Thread.ofPlatform() : Thread.ofVirtual();
        threads.add(
            builder.start(
                () -> {
                  readOnce(backend);
                  reading.countDown();
                  catching(failure, () -> readUntilClosed(backend));
                }));
      }
      reading.await();
      backend.close();
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(failure.get()).as("round %d", round).isNull();
    }
  }

  /** The read that saw an open store, and whose reader comes to begin when it is closed. */
  @Test
  void shouldLookAgainWhetherTheStoreIsClosedBeforeAReaderBegins() {
    LmdbBackend backend = emptyStore();
    LmdbReader reader = (LmdbReader) backend.beginRead();
    reader.close();
    backend.close();
    assertThatThrownBy(reader::begin)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the store is closed");
    assertThat(reader.isReading()).isFalse();
  }

  private LmdbBackend emptyStore() {
    TestStore.createWithoutIndexes(directory);
    return LmdbBackend.open(directory, TestStore.SCHEMA, TestStore.SETTINGS);
  }

  private static void readUntilClosed(LmdbBackend backend) {
    try {
      while (readOnce(backend)) {
        // Virtual threads give their carrier, of which there may be one, to others.
        LockSupport.parkNanos(1000);
      }
    } catch (IllegalStateException e) {
      assertThat(e).hasMessage("the store is closed");
    }
  }

  private static void catching(AtomicReference<@Nullable Throwable> failure, Runnable action) {
    try {
      action.run();
    } catch (RuntimeException | AssertionError e) {
      failure.set(e);
    }
  }

  @Test
  void shouldDropReadersThatCannotBeginAgain() throws InterruptedException {
    LmdbBackend backend = emptyStore();
    for (Thread.Builder builder : List.of(Thread.ofVirtual(), Thread.ofPlatform())) {
      AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
      builder.start(() -> catching(failure, () -> readWithABrokenReader(backend))).join();
      assertThat(failure.get()).isNull();
    }
    backend.close();
  }

  private static void readWithABrokenReader(LmdbBackend backend) {
    LmdbReader broken = (LmdbReader) backend.beginRead();
    broken.close();
    broken.dispose();
    assertThatThrownBy(backend::beginRead)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("beginning to read");
    assertThat(broken.isReading()).isFalse();
    assertThat(readOnce(backend)).isTrue();
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
