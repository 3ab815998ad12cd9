package org.nyala.lmdb.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StagedDirectoryTest {
  @TempDir Path folder;

  private Path data;

  @BeforeEach
  void createData() throws IOException {
    data = Files.createDirectory(folder.resolve("data"));
    Files.writeString(data.resolve("data.mdb"), "old");
  }

  private StagedDirectory prepare() throws IOException {
    StagedDirectory directory = StagedDirectory.prepare(data, true);
    Files.writeString(directory.building().resolve("data.mdb"), "new");
    return directory;
  }

  @Test
  void shouldLeaveNothingOfAJobThatStillCreatesFilesWhenTheProcessEnds() throws Exception {
    for (int i = 0; i < 50; i++) {
      try (StagedDirectory directory = prepare()) {
        Path building = directory.building();
        CountDownLatch begun = new CountDownLatch(1);
        Thread job = Thread.ofPlatform().start(() -> createFiles(building, begun));
        begun.await();
        directory.abandon();
        job.interrupt();
        job.join();
        try (Stream<Path> left = Files.list(folder)) {
          assertThat(left).containsExactly(data);
        }
        // The end of the process would not let the job close it.
        Files.createDirectory(building);
      }
    }
  }

  /** Creates files until their folder is gone, or the thread is interrupted. */
  private static void createFiles(Path building, CountDownLatch begun) {
    try {
      for (int i = 0; !Thread.interrupted(); i++) {
        Files.createFile(building.resolve(i + ".tmp"));
        begun.countDown();
      }
    } catch (IOException _) {
      begun.countDown();
    }
  }

  @Test
  void shouldLeaveTheOldDataWhereItsTableOfReadersStays() throws IOException {
    // A folder that is not empty cannot be deleted as the reader table is.
    Files.createDirectories(data.resolve("lock.mdb").resolve("x"));
    try (StagedDirectory directory = prepare()) {
      assertThatThrownBy(directory::swap)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("lock.mdb");
    }
    assertThat(data.resolve("data.mdb")).hasContent("old");
  }

  @Test
  void shouldNeverHaveNewDataWithTheOldTableOfReaders() throws IOException {
    Files.writeString(data.resolve("lock.mdb"), "old");
    // A folder of that name ends the swap at a point where a crash might.
    Files.delete(data.resolve("data.mdb"));
    Files.createDirectories(data.resolve("data.mdb").resolve("x"));
    try (StagedDirectory directory = prepare()) {
      assertThatThrownBy(directory::swap).isInstanceOf(IOException.class);
    }
    assertThat(data.resolve("lock.mdb")).doesNotExist();
  }

  @Test
  void shouldSayThatTheNewDataIsInPlaceWhenItsOldPlaceCannotBeDeleted() throws IOException {
    StagedDirectory directory = prepare();
    directory.swap();
    Files.createDirectories(directory.building().resolve("x").resolve("y"));
    assertThatThrownBy(directory::close)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("the new data is in place in " + data);
    assertThat(data.resolve("data.mdb")).hasContent("new");
  }

  @Test
  void shouldKeepTheOldDataWhenTheNewDataCannotBePutInPlace() throws IOException {
    try (StagedDirectory directory = prepare()) {
      Files.delete(directory.building().resolve("data.mdb"));
      assertThatThrownBy(directory::swap).isInstanceOf(IOException.class);
    }
    assertThat(data.resolve("data.mdb")).hasContent("old");
  }
}
