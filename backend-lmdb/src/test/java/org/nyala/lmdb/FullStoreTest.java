package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.StoreUnavailableException;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.Entry;
import org.nyala.lmdb.admin.Verification;
import org.nyala.lmdb.env.LmdbSettings;

@Timeout(300)
class FullStoreTest {
  private static final LmdbSettings TINY =
      LmdbSettings.DEFAULT
          .withMapSizeBytes(1 << 20)
          .with(draft -> draft.maximumMapSizeBytes = 1 << 20);

  /** The characters of an entry that takes a run of pages. */
  private static final int LARGE = 50_000;

  @TempDir Path directory;

  private LmdbBackend open(LmdbSettings settings) {
    LmdbBackend.create(
        directory,
        TestStore.SCHEMA,
        List.of(TestStore.SUFFIX),
        TestStore.indexes(),
        settings.withMapSizeBytes(settings.maximumMapSizeBytes()));
    LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, settings);
    try (WriteTransaction write = backend.beginWrite()) {
      write.apply(new ResolvedChange.Add(new Entry(TestStore.dn(TestStore.SUFFIX))));
      write.commit();
    }
    return backend;
  }

  private static Dn name(int number) {
    return TestStore.dn("cn=" + number + "," + TestStore.SUFFIX);
  }

  private static void add(LmdbBackend backend, int first, int count) {
    add(backend, first, count, 3000);
  }

  private static void add(LmdbBackend backend, int first, int count, int length) {
    try (WriteTransaction write = backend.beginWrite()) {
      for (int number = first; number < first + count; number++) {
        Entry entry = new Entry(name(number));
        TestStore.add(entry, "cn", Integer.toString(number));
        TestStore.add(entry, "description", "d".repeat(length));
        write.apply(new ResolvedChange.Add(entry));
      }
      write.commit();
    }
  }

  private static void delete(LmdbBackend backend, int number) {
    try (WriteTransaction write = backend.beginWrite()) {
      write.beginPart();
      write.apply(new ResolvedChange.Delete(name(number), write.find(name(number))));
      write.keepPart();
      write.commit();
    }
  }

  /** Adds entries until the store is full; returns how many there are. */
  private static int fill(LmdbBackend backend, int first) {
    return fill(backend, first, 3000);
  }

  private static int fill(LmdbBackend backend, int first, int length) {
    int count = first;
    try {
      while (count < 100_000) {
        addOrTryAgain(backend, count, 1, length);
        count++;
      }
    } catch (StoreUnavailableException e) {
      assertThat(e).hasMessage("the store is full: raise nyala.store.maximumMapSizeGiB");
    }
    return count;
  }

  private static long sizeOf(LmdbBackend backend) {
    return Verification.verify(backend.environment(), TestStore.SCHEMA, 5).entries();
  }

  @Test
  void shouldRefuseWhatDoesNotFitAndGoOnReadingAndDeleting() {
    try (LmdbBackend backend = open(TINY)) {
      int count = fill(backend, 0);
      assertThat(count).isBetween(50, 400);
      for (int round = 0; round < 5; round++) {
        int full = count;
        assertThatThrownBy(() -> add(backend, full, 3))
            .isInstanceOf(StoreUnavailableException.class);
        try (ReadTransaction read = backend.beginRead()) {
          assertThat(read.find(name(count - 1))).isPositive();
          assertThat(read.find(name(count))).isZero();
        }
      }
      for (int number = 0; number < count; number++) {
        delete(backend, number);
      }
      assertThat(sizeOf(backend)).isEqualTo(1);
      int again = fill(backend, 1000);
      assertThat(again - 1000).isGreaterThan(count / 2);
      assertThat(sizeOf(backend)).isEqualTo(1 + again - 1000);
    }
    assertThat(Verification.verify(directory, TestStore.SCHEMA, 5).problems()).isEmpty();
  }

  /** LMDB does not reuse what the last commit has freed before another one was made. */
  @Test
  void shouldStoreInWhatOneDeletionHasFreed() {
    try (LmdbBackend backend = open(TINY)) {
      int next = 0;
      for (int round = 0; round < 5; round++) {
        next = fill(backend, next, LARGE);
        delete(backend, round);
        addOrTryAgain(backend, next++, 1, LARGE);
      }
      assertThat(sizeOf(backend)).isEqualTo(1 + next - 5);
    }
    assertThat(Verification.verify(directory, TestStore.SCHEMA, 5).problems()).isEmpty();
  }

  @Test
  void shouldNotAddInTheRoomThatDeletingIsGiven() {
    try (LmdbBackend backend = open(TINY)) {
      int count = fill(backend, 0);
      try (WriteTransaction write = backend.beginWrite()) {
        write.apply(new ResolvedChange.Delete(name(0), write.find(name(0))));
        Entry entry = new Entry(name(count));
        assertThatThrownBy(() -> write.apply(new ResolvedChange.Add(entry)))
            .isInstanceOf(StoreUnavailableException.class)
            .hasMessageContaining("the store is full");
        assertThatThrownBy(write::commit).isInstanceOf(IllegalStateException.class);
      }
      try (ReadTransaction read = backend.beginRead()) {
        assertThat(read.find(name(0))).isPositive();
      }
    }
  }

  @Test
  void shouldGrowWhileOthersRead() throws InterruptedException {
    LmdbSettings growing =
        LmdbSettings.DEFAULT
            .withMapSizeBytes(1 << 20)
            .with(draft -> draft.maximumMapSizeBytes = 64 << 20);
    LmdbBackend backend = open(growing);
    AtomicBoolean stop = new AtomicBoolean();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    List<Thread> readers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Thread.Builder builder = i == 0 ? Thread.ofVirtual() : Thread.ofPlatform();
      readers.add(builder.start(() -> readUntil(stop, backend, failure)));
    }
    for (int number = 0; number < 4000; number += 20) {
      addOrTryAgain(backend, number, 20, 3000);
    }
    stop.set(true);
    for (Thread reader : readers) {
      reader.join();
    }
    assertThat(failure.get()).isNull();
    assertThat(sizeOf(backend)).isEqualTo(4001);
    backend.close();
    assertThat(Verification.verify(directory, TestStore.SCHEMA, 5).problems()).isEmpty();
  }

  /** Adds entries, in another transaction where the store makes room for it, as the writer does. */
  private static void addOrTryAgain(LmdbBackend backend, int first, int count, int length) {
    try {
      add(backend, first, count, length);
    } catch (StoreUnavailableException e) {
      assertThat(e).hasMessageContaining("the store is full");
      if (!e.isWorthAnother()) {
        throw e;
      }
      addOrTryAgain(backend, first, count, length);
    }
  }

  private static void readUntil(
      AtomicBoolean stop, LmdbBackend backend, AtomicReference<@Nullable Throwable> failure) {
    try {
      while (!stop.get()) {
        try (ReadTransaction read = backend.beginRead()) {
          long top = read.find(TestStore.dn(TestStore.SUFFIX));
          long count = read.subordinateCount(top);
          assertThat(count % 20).isZero();
          if (count > 0) {
            assertThat(read.find(name((int) count - 1))).isPositive();
          }
          assertThat(read.find(name((int) count))).isZero();
        }
      }
    } catch (RuntimeException | AssertionError e) {
      failure.set(e);
    }
  }

  @Test
  void shouldNotWaitForeverForAReadToEndAndSayThatItIsFull() {
    LmdbSettings growing =
        LmdbSettings.DEFAULT
            .withMapSizeBytes(1 << 20)
            .with(draft -> draft.maximumMapSizeBytes = 64 << 20);
    try (LmdbBackend backend = open(growing);
        ReadTransaction read = backend.beginRead()) {
      assertThat(read.find(name(0))).isZero();
      assertThatThrownBy(() -> add(backend, 0, 2000))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("the store is full");
      assertThat(read.find(TestStore.dn(TestStore.SUFFIX))).isEqualTo(1);
    }
  }
}
