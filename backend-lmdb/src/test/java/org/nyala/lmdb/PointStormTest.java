package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.lmdb.search.PointPeople.PEOPLE;
import static org.nyala.lmdb.search.PointPeople.describe;
import static org.nyala.lmdb.search.PointPeople.found;
import static org.nyala.lmdb.search.PointPeople.isRemembered;
import static org.nyala.lmdb.search.PointPeople.name;
import static org.nyala.lmdb.search.PointPeople.open;
import static org.nyala.lmdb.search.PointPeople.person;
import static org.nyala.lmdb.search.PointPeople.read;
import static org.nyala.lmdb.search.PointPeople.twice;
import static org.nyala.lmdb.search.PointPeople.uid;

import java.nio.file.Path;
import java.util.ArrayList;
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
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.StoreUnavailableException;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.message.Scope;
import org.nyala.lmdb.env.LmdbSettings;

/**
 * Remembered searches for one value, while the store changes.
 *
 * <p>{@code -Dnyala.storm.searches=N} searches more between the changes.
 */
@Timeout(300)
class PointStormTest {
  /** The searches between two changes, at most. */
  private static final int SEARCHES = Integer.getInteger("nyala.storm.searches", 400);

  @TempDir Path directory;

  /**
   * Pages are reused, records move and come back, the map grows and moves, and every reader
   * compares remembered results with those found without them.
   */
  @Test
  void shouldFindWhatIsFoundWithoutItWhileTheStoreChangesAndItsMapMoves() throws Exception {
    long seed = Seeds.seed();
    LmdbSettings growing =
        TestStore.SETTINGS
            .withMapSizeBytes(1 << 20)
            .with(draft -> draft.maximumMapSizeBytes = 64 << 20);
    AtomicBoolean stop = new AtomicBoolean();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    AtomicLong searches = new AtomicLong();
    AtomicLong hits = new AtomicLong();
    try (LmdbBackend backend = open(directory, growing)) {
      List<Thread> readers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        Random random = new Random(seed + i);
        Thread.Builder builder = i == 0 ? Thread.ofVirtual() : Thread.ofPlatform();
        readers.add(builder.start(() -> readUntil(stop, backend, random, searches, hits, failure)));
      }
      Random random = new Random(seed + 3);
      for (int round = 0; round < 150 && failure.get() == null; round++) {
        changeOrTryAgain(backend, random, round);
        long enough = searches.get() + random.nextInt(SEARCHES);
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

  /**
   * Makes a change, trying again if the map was too small: it may still grow, and then the change
   * fits.
   */
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
      // Large entries make the file grow.
      write.apply(new ResolvedChange.Add(person(10_000 + round, "d".repeat(30_000))));
      write.commit();
    }
  }
}
