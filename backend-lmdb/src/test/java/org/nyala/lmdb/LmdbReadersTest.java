package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.lmdbjava.Txn;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.env.StoreException;

/** The readers that a store allows at a time, and their end when it is closed. */
class LmdbReadersTest {
  private static final LmdbSettings FEW_READERS =
      LmdbSettings.DEFAULT.withMapSizeBytes(64L << 20).with(draft -> draft.maximumReaders = 8);

  @TempDir Path directory;

  private void createForFewReaders() {
    LmdbBackend.create(
        directory, TestStore.SCHEMA, List.of(TestStore.SUFFIX), List.of(), FEW_READERS);
    try {
      // It has as many places as by default; without one, the next start makes it.
      Files.delete(directory.resolve("lock.mdb"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void shouldReuseReaderSlotsOfEndedThreads() throws InterruptedException {
    createForFewReaders();
    try (LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, FEW_READERS)) {
      for (int i = 0; i < 50; i++) {
        Thread.Builder builder = i % 2 == 0 ? Thread.ofPlatform() : Thread.ofVirtual();
        boolean[] done = new boolean[1];
        Thread thread = builder.start(() -> done[0] = readOnce(backend));
        thread.join();
        assertThat(done[0]).as("thread %d", i).isTrue();
      }
    }
    for (int i = 0; i < 20; i++) {
      try (LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, FEW_READERS)) {
        assertThat(readOnce(backend)).isTrue();
      }
    }
  }

  @Test
  void shouldSayWhatToDoWhenThereAreTooManyReaders() {
    createForFewReaders();
    try (LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, FEW_READERS)) {
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
    createForFewReaders();
    try (LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, FEW_READERS)) {
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

  /** A read that saw an open store, and whose reader is about to begin when it is closed. */
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
        // Virtual threads give up their carrier, of which there may be only one, to others.
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
}
