package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReaderTableTest {
  private static final int KIBIBYTE = 1024;

  @TempDir Path directory;

  /** Blocks of 1 KiB that a file has on disk. */
  private static long kibibytesOf(Path file) throws Exception {
    Process du = new ProcessBuilder("du", "-k", file.toString()).start();
    String line =
        new String(du.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    assertThat(du.waitFor()).isZero();
    return Long.parseLong(line.substring(0, line.indexOf('\t')));
  }

  @Test
  void shouldHaveAPlaceOnDiskForEveryReader() throws Exception {
    TestStore.create(directory);
    Path table = directory.resolve(ReaderTable.FILE_NAME);
    Files.deleteIfExists(table);
    int readers = 1000;
    LmdbSettings many =
        new LmdbSettings(
            TestStore.SETTINGS.mapSizeBytes(),
            TestStore.SETTINGS.maximumMapSizeBytes(),
            readers,
            true,
            false,
            TestStore.SETTINGS.durability(),
            TestStore.SETTINGS.large());
    try (LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, many)) {
      // As many as LMDB itself makes of the setting: the size is exact.
      assertThat(backend.status().maximumReaders()).isEqualTo(readers);
      assertThat(kibibytesOf(table)).isGreaterThanOrEqualTo(Files.size(table) / KIBIBYTE);
    }
    long size = Files.size(table);
    try (LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, many)) {
      assertThat(backend.status().maximumReaders()).isEqualTo(readers);
    }
    assertThat(Files.size(table)).isEqualTo(size);
    assertThat(directory).isDirectoryNotContaining(file -> file.toString().endsWith(".new"));
  }
}
