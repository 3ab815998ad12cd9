package org.nyala.lmdb.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.nyala.core.Patience.eventually;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.lmdb.Exported;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.OtherProcess;
import org.nyala.lmdb.StaleReaders;
import org.nyala.lmdb.TestStore;
import org.nyala.lmdb.WriteKillTest;
import org.nyala.lmdb.env.StoreException;

@Timeout(300)
public class StoreBackupTest {
  private static final Instant TIME = Instant.parse("2026-11-22T01:02:03Z");

  @TempDir Path folder;

  private Path data() {
    return folder.resolve("data");
  }

  private Path target() {
    return folder.resolve("backup");
  }

  public static BackupManifest backUp(Path data, Path target) {
    return StoreBackup.write(
        data,
        TestStore.SETTINGS,
        target,
        "nyala test",
        InstantSource.fixed(TIME),
        CopyProgress.SILENT);
  }

  public static StoreRestore.Result restore(Path backup, Path data, boolean discards) {
    return StoreRestore.restore(
        backup,
        data,
        TestStore.SCHEMA,
        new StoreRestore.OldData(discards, TIME),
        10,
        CopyProgress.SILENT);
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private static String content(Path data) throws IOException {
    return Exported.ldif(data);
  }

  @Test
  void shouldRestoreWhatWasBackedUp() throws IOException {
    long seed = Seeds.seed();
    TestStore store = TestStore.random(data(), new Random(seed), 2000);
    String before = content(data());
    BackupManifest manifest = backUp(data(), target());
    assertThat(manifest.entries()).as("seed %d", seed).isEqualTo(store.entries.size());
    assertThat(manifest.namingContexts()).containsExactly(TestStore.SUFFIX);
    assertThat(BackupManifest.read(target())).isEqualTo(manifest);
    try (Stream<Path> files = Files.list(target())) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("data.mdb", "backup.manifest");
    }
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(target())))
        .isEqualTo("rwx------");
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(target().resolve("data.mdb"))))
        .isEqualTo("rw-------");
    assertThat(content(data())).isEqualTo(before);
    Path other = folder.resolve("other");
    StoreRestore.Result result = restore(target(), other, false);
    assertThat(result.problems()).isEmpty();
    assertThat(result.kept()).isEmpty();
    assertThat(content(other)).isEqualTo(before);
    assertThat(names()).containsExactly("backup", "data", "other");
  }

  @Test
  void shouldLeaveOutWhatIsFree() throws IOException {
    TestStore.random(data(), new Random(7), 3000);
    try (LmdbBackend backend = LmdbBackend.open(data(), TestStore.SCHEMA, TestStore.SETTINGS)) {
      backend.indexes().forEach(backend::dropIndex);
      while (backend.workOnIndexes()) {
        assertThat(backend.indexProgress()).isNotEmpty();
      }
    }
    BackupManifest manifest = backUp(data(), target());
    assertThat(manifest.bytes())
        .isEqualTo(Files.size(target().resolve("data.mdb")))
        .isLessThan(Files.size(data().resolve("data.mdb")) * 9 / 10);
  }

  @Test
  void shouldKeepTheOldDataUnlessItIsToBeDiscarded() throws IOException {
    TestStore.random(data(), new Random(1), 100);
    String first = content(data());
    backUp(data(), target());
    Path other = folder.resolve("other");
    TestStore.random(other, new Random(2), 100);
    String second = content(other);
    StoreRestore.Result result = restore(target(), other, false);
    Path kept = folder.resolve("other.before-restore-20261122T010203Z");
    assertThat(result.kept()).contains(kept);
    assertThat(content(other)).isEqualTo(first);
    assertThat(content(kept)).isEqualTo(second);
    Path again = folder.resolve("other.before-restore-20261122T010203Z-2");
    assertThat(restore(target(), other, false).kept()).contains(again);
    assertThat(content(again)).isEqualTo(first);
    assertThat(restore(target(), other, true).kept()).isEmpty();
    assertThat(content(other)).isEqualTo(first);
    assertThat(content(kept)).isEqualTo(second);
    // Two stores on one file would destroy each other's data.
    assertThat(Files.isSameFile(again.resolve("data.mdb"), other.resolve("data.mdb"))).isFalse();
  }

  @Test
  void shouldRefuseATargetThatIsNotEmpty() throws IOException {
    TestStore.create(data());
    Files.createDirectory(target());
    Path file = Files.writeString(target().resolve("mine"), "precious");
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> backUp(data(), target()))
        .withMessageContaining("is not empty");
    assertThat(file).hasContent("precious");
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> backUp(data(), file))
        .withMessageContaining("is not a folder");
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> backUp(target(), folder.resolve("other")))
        .withMessageContaining("no data in");
    assertThat(folder.resolve("other")).doesNotExist();
  }

  @Test
  void shouldRestoreNothingThatIsNotSound() throws IOException {
    TestStore.random(data(), new Random(3), 300);
    String before = content(data());
    backUp(data(), target());
    Path manifest = target().resolve("backup.manifest");
    Path copy = target().resolve("data.mdb");
    String text = Files.readString(manifest);
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> restore(data(), data(), false))
        .withMessageContaining("is not a complete backup");
    Files.writeString(manifest, text.replace("backup      1", "backup      9"));
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> restore(target(), data(), false))
        .withMessageContaining("not the manifest of a backup that this Nyala reads");
    Files.writeString(manifest, text.replace("entries           ", "entries           1"));
    assertThat(restore(target(), data(), false).problems())
        .singleElement()
        .asString()
        .contains("entries");
    Files.writeString(manifest, text);
    try (RandomAccessFile file = new RandomAccessFile(copy.toFile(), "rw")) {
      file.seek(file.length() / 2);
      int old = file.read();
      file.seek(file.length() / 2);
      file.write(old ^ 1);
      assertThat(restore(target(), data(), false).problems())
          .singleElement()
          .asString()
          .contains("has changed");
      file.setLength(file.length() - 4096);
    }
    assertThat(restore(target(), data(), false).problems())
        .singleElement()
        .asString()
        .contains("bytes that it should have");
    assertThat(content(data())).isEqualTo(before);
    assertThat(names()).containsExactly("backup", "data");
  }

  @Test
  void shouldSettleWhatInterruptedRestoresHaveKept() throws IOException {
    TestStore.random(data(), new Random(4), 100);
    backUp(data(), target());
    // Killed before the step: a second name for the data that is still in place.
    Path before = Files.createDirectory(folder.resolve("data.before-restore-1"));
    Files.createLink(before.resolve("data.mdb.kept"), data().resolve("data.mdb"));
    // Killed after the step: the only name of the old data.
    Path after = Files.createDirectory(folder.resolve("data.before-restore-2"));
    Files.writeString(after.resolve("data.mdb.kept"), "old data");
    // Killed before anything was put there.
    Path empty = Files.createDirectory(folder.resolve("data.before-restore-3"));
    Path other = Files.writeString(folder.resolve("data.before-restore-4"), "somebody's");
    assertThat(restore(target(), data(), true).isRestored()).isTrue();
    assertThat(before).doesNotExist();
    assertThat(empty).doesNotExist();
    assertThat(other).hasContent("somebody's");
    assertThat(after.resolve("data.mdb")).hasContent("old data");
    assertThat(after.resolve("data.mdb.kept")).doesNotExist();
  }

  @Test
  void shouldHoldAPastStateWhileAnotherProcessWrites() throws Exception {
    TestStore.create(data());
    Process writer = OtherProcess.start(WriteKillTest.class, data().toString());
    AtomicLong reported = new AtomicLong();
    Thread reading = Thread.ofPlatform().start(() -> follow(writer.inputReader(), reported));
    try {
      for (int round = 1; round <= 5; round++) {
        long wanted = 50L * round;
        eventually(
            wanted + " are written",
            () -> {
              assertThat(writer.isAlive()).isTrue();
              return reported.get() >= wanted;
            });
        long before = reported.get();
        Path backup = folder.resolve("backup" + round);
        BackupManifest manifest = backUp(data(), backup);
        Path other = folder.resolve("other" + round);
        assertThat(restore(backup, other, false).problems()).isEmpty();
        assertThat(manifest.entries()).isGreaterThan(before);
        try (LmdbBackend backend = LmdbBackend.open(other, TestStore.SCHEMA, TestStore.SETTINGS);
            ReadTransaction read = backend.beginRead()) {
          long last = WriteKillTest.counter(read);
          // The count in the top entry and the entries were changed in the same commits.
          assertThat(last).isGreaterThanOrEqualTo(before).isEqualTo(manifest.entries() - 1);
          assertThat(read.subordinateCount(1)).isEqualTo(last);
        }
      }
    } finally {
      writer.destroyForcibly().waitFor();
      reading.join();
    }
    assertThat(Verification.verify(data(), TestStore.SCHEMA, 10).problems()).isEmpty();
  }

  private static void follow(BufferedReader output, AtomicLong reported) {
    try (output) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        reported.set(Long.parseLong(line));
      }
    } catch (IOException e) {
      // The writer was killed in the middle of a line.
      assertThat(reported.get()).isPositive();
    }
  }

  @Test
  void shouldFreeThePlacesOfReadersThatWereKilled() throws Exception {
    TestStore.random(data(), new Random(5), 100);
    try (LmdbBackend backend = LmdbBackend.open(data(), TestStore.SCHEMA, TestStore.SETTINGS)) {
      Process reader = OtherProcess.start(StoreBackupTest.class, data().toString());
      try (BufferedReader output = reader.inputReader()) {
        assertThat(output.readLine()).isEqualTo("reading");
        assertThat(StaleReaders.free(backend)).isZero();
      } finally {
        reader.destroyForcibly().waitFor();
      }
      assertThat(StaleReaders.free(backend)).isEqualTo(1);
      assertThat(StaleReaders.free(backend)).isZero();
    }
  }

  /** A process that reads until it is killed. */
  public static void main(String[] arguments) throws IOException {
    try (LmdbBackend backend =
            LmdbBackend.open(
                Path.of(arguments[0]), TestStore.SCHEMA, TestStore.SETTINGS.asReadOnly());
        ReadTransaction read = backend.beginRead()) {
      System.out.println(read.attributes().size() > 0 ? "reading" : "nothing to read");
      System.out.flush();
      while (System.in.read() >= 0) {
        LockSupport.parkNanos(1_000_000);
      }
    }
  }
}
