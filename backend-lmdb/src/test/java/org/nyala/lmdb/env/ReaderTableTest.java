package org.nyala.lmdb.env;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.OpenReadsTest;
import org.nyala.lmdb.OtherProcess;
import org.nyala.lmdb.TestStore;
import org.nyala.lmdb.admin.Verification;

class ReaderTableTest {
  private static final int KIBIBYTE = 1024;

  @TempDir Path directory;

  /** Returns the number of blocks of 1 KiB that a file has on disk. */
  private static long kibibytesOf(Path file) throws Exception {
    Process du = new ProcessBuilder("du", "-k", file.toString()).start();
    String line =
        new String(du.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    assertThat(du.waitFor()).isZero();
    return Long.parseLong(line.substring(0, line.indexOf('\t')));
  }

  private static LmdbSettings settings(int readers) {
    return TestStore.SETTINGS.with(draft -> draft.maximumReaders = readers);
  }

  @Test
  void shouldHavePlacesOnDiskWhenThereAreToBeMore() throws Exception {
    TestStore.create(directory);
    Path table = directory.resolve(ReaderTable.FILE_NAME);
    Files.deleteIfExists(table);
    int readers = 1000;
    for (int each : new int[] {100, readers}) {
      try (LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, settings(each))) {
        assertThat(backend.status().readers().maximumSlots()).isEqualTo(each);
        assertThat(kibibytesOf(table)).isGreaterThanOrEqualTo(Files.size(table) / KIBIBYTE);
      }
    }
  }

  /** A process that has mapped the table does not notice more slots. */
  @Test
  void shouldHaveNoMorePlacesWhileSomebodyReads() throws Exception {
    TestStore.create(directory);
    Path table = directory.resolve(ReaderTable.FILE_NAME);
    Files.deleteIfExists(table);
    LmdbBackend.open(directory, TestStore.SCHEMA, settings(300)).close();
    long size = Files.size(table);
    Process other = OtherProcess.start(OpenReadsTest.class, directory.toString());
    try {
      assertThat(other.inputReader().readLine()).isEqualTo("reading");
      try (LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, settings(1000))) {
        assertThat(backend.status().readers().maximumSlots()).isEqualTo(300);
      }
      assertThat(Files.size(table)).isEqualTo(size);
    } finally {
      other.destroyForcibly();
    }
  }

  @Test
  void shouldHavePlacesOnDiskWhereAReaderMakesTheTable() throws Exception {
    TestStore.create(directory);
    Path table = directory.resolve(ReaderTable.FILE_NAME);
    Files.deleteIfExists(table);
    assertThat(Verification.verify(directory, TestStore.SCHEMA, 10).isSound()).isTrue();
    assertThat(kibibytesOf(table)).isGreaterThanOrEqualTo(Files.size(table) / KIBIBYTE);
  }

  @Test
  void shouldHaveAPlaceOnDiskForEveryReader() throws Exception {
    TestStore.create(directory);
    Path table = directory.resolve(ReaderTable.FILE_NAME);
    Files.deleteIfExists(table);
    int readers = 1000;
    LmdbSettings many = settings(readers);
    try (LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, many)) {
      // The number is the one that LMDB itself makes of the setting: the size is exact.
      assertThat(backend.status().readers().maximumSlots()).isEqualTo(readers);
      assertThat(kibibytesOf(table)).isGreaterThanOrEqualTo(Files.size(table) / KIBIBYTE);
    }
    long size = Files.size(table);
    try (LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, many)) {
      assertThat(backend.status().readers().maximumSlots()).isEqualTo(readers);
    }
    assertThat(Files.size(table)).isEqualTo(size);
    assertThat(directory).isDirectoryNotContaining(file -> file.toString().endsWith(".new"));
  }
}
