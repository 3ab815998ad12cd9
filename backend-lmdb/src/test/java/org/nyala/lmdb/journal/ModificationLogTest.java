package org.nyala.lmdb.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.TestStore;
import org.nyala.lmdb.admin.StoreBackupTest;
import org.nyala.lmdb.admin.StoreCompaction;
import org.nyala.lmdb.admin.Verification;
import org.nyala.lmdb.env.JournalBounds;
import org.nyala.lmdb.env.LmdbSettings;

@Timeout(120)
class ModificationLogTest {
  @TempDir Path folder;

  private final long seed = Seeds.seed();
  private final ModificationStorm storm = new ModificationStorm(seed);

  private Path data() {
    return folder.resolve("data");
  }

  private static LmdbSettings bounded(int changes, long modificationBytes) {
    return TestStore.SETTINGS.with(
        draft -> {
          draft.durability = LmdbSettings.Durability.NONE;
          draft.journal = new JournalBounds(changes, 1 << 20, 1000, modificationBytes);
        });
  }

  private LmdbBackend create(LmdbSettings settings) {
    TestStore.create(data());
    LmdbBackend backend = LmdbBackend.open(data(), TestStore.SCHEMA, settings);
    storm.begin(backend);
    return backend;
  }

  private LmdbBackend reopen(LmdbBackend backend, LmdbSettings settings) {
    backend.close();
    return LmdbBackend.open(data(), TestStore.SCHEMA, settings);
  }

  private void assertSound() {
    assertThat(Verification.verify(data(), TestStore.SCHEMA, 10).problems())
        .as("seed %d", seed)
        .isEmpty();
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
    LmdbSettings settings = bounded(10_000, 200 << 10);
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
    backend = reopen(backend, bounded(10_000, 0));
    for (int commits = 0; commits < 6; commits++) {
      changeAtOnce(backend, 1);
    }
    backend.close();
    assertSound();
    try (LmdbBackend left = LmdbBackend.open(data(), TestStore.SCHEMA, bounded(10_000, 0));
        var read = left.environment().beginRead()) {
      assertThat(left.environment().modifications().stat(read).entries).isZero();
    }
  }

  @Test
  void shouldLeaveOutARecordThatIsTooLarge() {
    LmdbBackend backend = create(bounded(10_000, 4));
    changeAtOnce(backend, 3);
    assertThat(storm.assertReplays(backend)).as("seed %d", seed).isZero();
    backend = reopen(backend, bounded(10_000, 1 << 20));
    changeAtOnce(backend, 2);
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
