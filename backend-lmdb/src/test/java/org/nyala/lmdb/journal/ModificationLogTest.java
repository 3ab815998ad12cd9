package org.nyala.lmdb.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.lmdbjava.Stat;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.TestStore;
import org.nyala.lmdb.admin.StoreBackupTest;
import org.nyala.lmdb.admin.StoreCompaction;
import org.nyala.lmdb.env.JournalBounds;
import org.nyala.lmdb.env.LmdbSettings;

@Timeout(300)
class ModificationLogTest extends JournalTestCase {
  private static final long LARGEST_TRANSACTION = 16 << 10;

  private final ModificationStorm storm = new ModificationStorm(seed);

  @Override
  void begin(LmdbBackend backend) {
    storm.begin(backend);
  }

  private static LmdbSettings bounded(int changes, long modificationBytes) {
    return SETTINGS.with(
        draft -> draft.journal = new JournalBounds(changes, 1 << 20, 1000, modificationBytes));
  }

  private static Stat modifications(LmdbBackend backend) {
    try (var read = backend.environment().beginRead()) {
      return backend.environment().modifications().stat(read);
    }
  }

  private static long pageBytes(LmdbBackend backend) {
    Stat stat = modifications(backend);
    return (stat.branchPages + stat.leafPages + stat.overflowPages) * stat.pageSize;
  }

  @Test
  void shouldTellWhatEachChangeHasChanged() {
    LmdbSettings settings = bounded(10_000, 64 << 20);
    LmdbBackend backend = create(settings);
    for (int round = 0; round < 60; round++) {
      storm.transact(backend);
      if (storm.random.nextInt(15) == 0) {
        backend = reopen(backend, settings);
      }
      assertThat(storm.assertReplays(backend)).as("seed %d", seed).isEqualTo(storm.sequence());
    }
    backend.close();
    assertSound();
  }

  @Test
  void shouldKeepTheNewestWithinItsOwnBound() {
    long bound = 200 << 10;
    LmdbSettings settings = bounded(10_000, bound);
    LmdbBackend backend = create(settings);
    long kept = storm.sequence();
    while (kept == storm.sequence()) {
      storm.transact(backend);
      kept = storm.assertReplays(backend);
    }
    for (int round = 0; round < 30; round++) {
      storm.transact(backend);
      kept = storm.assertReplays(backend);
      assertThat(kept).as("seed %d", seed).isPositive();
      // The size is looked at after a 64th more; a transaction adds some pages that are not full.
      assertThat(pageBytes(backend))
          .as("seed %d", seed)
          .isBetween(bound / 2, bound + bound / 64 + LARGEST_TRANSACTION);
    }
    assertThat(kept).as("seed %d", seed).isLessThan(storm.sequence());
    backend.close();
    assertSound();
  }

  @Test
  void shouldGoWithTheJournal() {
    LmdbSettings settings = bounded(64, 64 << 20);
    LmdbBackend backend = create(settings);
    for (int round = 0; round < 60; round++) {
      storm.transact(backend);
      long kept = storm.assertReplays(backend);
      assertThat(kept).as("seed %d", seed).isLessThanOrEqualTo(JournalStorm.read(backend).size());
    }
    backend.close();
    assertSound();
  }

  @Test
  void shouldBeginAnewAfterATimeWithoutThem() {
    LmdbSettings on = bounded(10_000, 64 << 20);
    LmdbSettings off = bounded(10_000, 0);
    LmdbBackend backend = create(on);
    storm.transact(backend);
    backend = reopen(backend, off);
    // Nothing was changed meanwhile.
    backend = reopen(backend, on);
    assertThat(storm.assertReplays(backend)).as("seed %d", seed).isEqualTo(storm.sequence());
    for (int round = 0; round < 5; round++) {
      backend = reopen(backend, off);
      changeAtOnce(backend, round + 1);
      backend = reopen(backend, on);
      assertThat(storm.assertReplays(backend)).as("seed %d", seed).isZero();
      changeAtOnce(backend, round + 1);
      assertThat(storm.assertReplays(backend)).as("seed %d", seed).isEqualTo(round + 1);
    }
    backend.close();
    assertSound();
  }

  @Test
  void shouldNotGoOnBehindAGap() {
    LmdbSettings on = bounded(10_000, 64 << 20);
    LmdbBackend backend = create(on);
    changeAtOnce(backend, 1000);
    backend = reopen(backend, bounded(10_000, 0));
    changeAtOnce(backend, 1);
    backend = reopen(backend, on);
    assertThat(modifications(backend).entries).as("left before the gap").isGreaterThan(500);
    assertThat(storm.assertReplays(backend)).as("seed %d", seed).isZero();
    for (int changes = 1; changes <= 3; changes++) {
      changeAtOnce(backend, 1);
      assertThat(storm.assertReplays(backend)).as("seed %d", seed).isEqualTo(changes);
    }
    assertThat(modifications(backend).entries).as("left before the gap").isGreaterThan(500);
    backend.close();
    assertSound();
  }

  private void changeAtOnce(LmdbBackend backend, int changes) {
    try (WriteTransaction write = backend.beginWrite()) {
      for (int i = 0; i < changes; i++) {
        storm.change(write);
      }
      write.commit();
    }
  }

  @Test
  void shouldLeaveTheStoreOnceTheyAreNotKept() {
    LmdbBackend backend = create(bounded(10_000, 64 << 20));
    changeAtOnce(backend, 1000);
    assertThat(modifications(backend).entries).isGreaterThanOrEqualTo(1000);
    backend = reopen(backend, bounded(10_000, 0));
    changeAtOnce(backend, 1);
    assertThat(modifications(backend).entries).as("deleted by and by").isBetween(1L, 999L);
    for (int commits = 0; commits < 5; commits++) {
      changeAtOnce(backend, 1);
    }
    assertThat(modifications(backend).entries).isZero();
    backend.close();
    assertSound();
  }

  @Test
  void shouldLeaveOutARecordThatIsTooLarge() {
    LmdbBackend backend = create(bounded(10_000, 64 << 10));
    changeAtOnce(backend, 1);
    try (WriteTransaction write = backend.beginWrite()) {
      storm.enlarge(write, 20 << 10);
      write.commit();
    }
    long large = storm.sequence();
    changeAtOnce(backend, 2);
    try (var read = backend.beginRead();
        var journal = read.journal(TestStore.dn(TestStore.SUFFIX))) {
      assertThat(journal.modifications(large - 1)).isNotNull();
      assertThat(journal.modifications(large)).isNull();
      assertThat(journal.firstModifications()).isEqualTo(large + 1);
    }
    assertThat(storm.assertReplays(backend)).as("seed %d", seed).isEqualTo(2);
    backend.close();
    assertSound();
  }

  @Test
  void shouldGoOnAfterACompaction() throws Exception {
    LmdbSettings settings = bounded(10_000, 64 << 20);
    try (LmdbBackend backend = create(settings)) {
      storm.transact(backend);
      int[] calls = new int[1];
      new StoreCompaction(
              backend,
              settings,
              (step, _, _) -> {
                if (step == StoreCompaction.Step.COPYING && calls[0]++ < 5) {
                  changeAtOnce(backend, 2);
                }
              })
          .run();
      assertThat(calls[0]).isPositive();
      changeAtOnce(backend, 2);
      assertThat(storm.assertReplays(backend)).as("seed %d", seed).isEqualTo(storm.sequence());
    }
    assertSound();
  }

  @Test
  void shouldBeInBackups() {
    LmdbSettings settings = bounded(10_000, 64 << 20);
    LmdbBackend backend = create(settings);
    storm.transact(backend);
    backend.close();
    StoreBackupTest.backUp(data(), folder.resolve("backup"));
    Path other = folder.resolve("other");
    StoreBackupTest.restore(folder.resolve("backup"), other, false);
    try (LmdbBackend restored = LmdbBackend.open(other, TestStore.SCHEMA, settings)) {
      assertThat(storm.assertReplays(restored)).as("seed %d", seed).isEqualTo(storm.sequence());
    }
  }
}
