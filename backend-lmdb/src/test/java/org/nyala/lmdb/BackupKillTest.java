package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.lmdb.admin.BackupManifest;
import org.nyala.lmdb.admin.CopyProgress;
import org.nyala.lmdb.admin.StoreBackup;
import org.nyala.lmdb.admin.StoreBackupTest;
import org.nyala.lmdb.admin.StoreRestore;
import org.nyala.lmdb.admin.Verification;
import org.nyala.lmdb.env.StoreException;

/**
 * Kills backups and restores in processes of their own, at every kind of moment.
 *
 * <p>{@code -Dnyala.kills=N} kills more often, {@code -Dnyala.kill.entries=N} takes more entries.
 */
@Timeout(600)
class BackupKillTest {
  private static final int KILLS = Integer.getInteger("nyala.kills", 3);
  private static final int SIZE = Integer.getInteger("nyala.kill.entries", 1500);

  @TempDir Path folder;

  @Test
  void shouldLoseNothingWhenARestoreIsKilled() throws Exception {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    Path data = folder.resolve("data");
    Path backup = folder.resolve("backup");
    TestStore.random(folder.resolve("source"), random, SIZE);
    String fresh = Exported.names(folder.resolve("source"));
    StoreBackupTest.backUp(folder.resolve("source"), backup);
    TestStore.random(data, random, 200);
    String old = Exported.names(data);
    Path spare = folder.resolve("spare");
    StoreBackupTest.backUp(data, spare);
    long longest = 0;
    int replaced = 0;
    for (int kill = 0; kill < KILLS; kill++) {
      // The first two run to their ends, to measure how long that takes.
      int life = kill < 2 ? Integer.MAX_VALUE : random.nextInt((int) longest + 1);
      long lived = run("restore", backup, data, life);
      longest = kill < 2 ? lived : longest;
      String context = "seed " + seed + " kill " + kill + " after " + life + " ms";
      assertThat(Verification.verify(data, TestStore.SCHEMA, 10).problems()).as(context).isEmpty();
      boolean isReplaced = Exported.names(data).equals(fresh);
      replaced += isReplaced ? 1 : 0;
      assertThat(Exported.names(data)).as(context).isEqualTo(isReplaced ? fresh : old);
      // This restore settles the remains of the killed one.
      assertThat(StoreBackupTest.restore(spare, data, true).isRestored()).as(context).isTrue();
      assertThat(Exported.names(data)).as(context).isEqualTo(old);
      List<Path> kept = kept();
      assertThat(kept).as(context).hasSize(isReplaced ? 1 : 0);
      if (isReplaced) {
        assertThat(Exported.names(kept.getFirst())).as(context).isEqualTo(old);
        delete(kept.getFirst());
      }
    }
    assertThat(replaced).isGreaterThanOrEqualTo(2);
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("data", "source", "backup", "spare");
    }
  }

  @Test
  void shouldRestoreNoBackupThatWasKilled() throws Exception {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    Path data = folder.resolve("data");
    TestStore.random(data, random, SIZE);
    String before = Exported.names(data);
    long longest = 0;
    for (int kill = 0; kill < KILLS; kill++) {
      Path backup = folder.resolve("backup" + kill);
      int life = kill < 2 ? Integer.MAX_VALUE : random.nextInt((int) longest + 1);
      long lived = run("backup", data, backup, life);
      longest = kill < 2 ? lived : longest;
      String context = "seed " + seed + " kill " + kill + " after " + life + " ms";
      Path other = folder.resolve("other" + kill);
      if (Files.exists(backup.resolve(BackupManifest.FILE_NAME))) {
        assertThat(StoreBackupTest.restore(backup, other, false).problems()).as(context).isEmpty();
        assertThat(Exported.names(other)).as(context).isEqualTo(before);
      } else {
        assertThatExceptionOfType(StoreException.class)
            .as(context)
            .isThrownBy(() -> StoreBackupTest.restore(backup, other, false))
            .withMessageContaining("is not a complete backup");
        assertThat(kill).as(context).isGreaterThan(1);
      }
    }
    assertThat(Exported.names(data)).isEqualTo(before);
  }

  private List<Path> kept() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().contains(".before-restore-")).toList();
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }

  /** Runs the other process until it ends or its time is over; returns how long it lived. */
  private static long run(String what, Path from, Path to, int lifeMillis) throws Exception {
    Process process =
        OtherProcess.start(BackupKillTest.class, what, from.toString(), to.toString());
    try (BufferedReader output = process.inputReader()) {
      assertThat(output.readLine()).isEqualTo("begins");
      long start = System.nanoTime();
      boolean hasEnded = process.waitFor(lifeMillis, TimeUnit.MILLISECONDS);
      assertThat(!hasEnded || process.exitValue() == 0).as("exit code").isTrue();
      return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  /** The process that is killed. */
  public static void main(String[] arguments) {
    Path from = Path.of(arguments[1]);
    Path to = Path.of(arguments[2]);
    System.out.println("begins");
    System.out.flush();
    if (arguments[0].equals("backup")) {
      StoreBackup.write(
          from, TestStore.SETTINGS, to, "nyala test", InstantSource.system(), CopyProgress.SILENT);
    } else {
      StoreRestore.restore(
          from,
          to,
          TestStore.SCHEMA,
          new StoreRestore.OldData(false, Instant.now()),
          10,
          CopyProgress.SILENT);
    }
  }
}
