package org.nyala.lmdb.env;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class StoreLockTest {
  @TempDir Path directory;

  @Test
  void shouldKeepOtherProcessesOutAfterASecondAttemptInThisOne() throws Exception {
    try (StoreLock lock = StoreLock.acquire(directory)) {
      assertThat(lock).isNotNull();
      assertThat(StoreLock.tryAcquire(directory)).isNull();
      assertThat(fromAnotherProcess(directory)).isEqualTo("in use");
    }
    assertThat(fromAnotherProcess(directory)).isEqualTo("free");
  }

  @Test
  void shouldKnowADirectoryByAllItsPaths() throws IOException {
    Path data = Files.createDirectory(directory.resolve("data"));
    Path link = Files.createSymbolicLink(directory.resolve("link"), data);
    StoreLock lock = StoreLock.acquire(link);
    assertThat(StoreLock.tryAcquire(data)).isNull();
    lock.close();
    StoreLock next = StoreLock.acquire(data);
    // A second close of the first lock leaves the next one alone.
    lock.close();
    assertThat(StoreLock.tryAcquire(data)).isNull();
    next.close();
  }

  private static String fromAnotherProcess(Path directory) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                StoreLockTest.class.getName(),
                directory.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String answer =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    process.waitFor();
    return answer;
  }

  /** The other process. */
  public static void main(String[] arguments) {
    StoreLock lock = StoreLock.tryAcquire(Path.of(arguments[0]));
    System.out.println(lock == null ? "in use" : "free");
  }
}
