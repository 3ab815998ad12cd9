package org.nyala.tarball;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.nyala.process.Processes;

/** The tarball of the build. */
public final class Tarball {
  private Tarball() {}

  static Path file() {
    Path file = Path.of(System.getProperty("nyala.tarball"));
    assertThat(file).isRegularFile();
    return file;
  }

  /**
   * Unpacks it.
   *
   * @param place a new folder
   * @return its contents
   */
  public static Path unpack(Path place) throws IOException, InterruptedException {
    Files.createDirectory(place);
    Processes.run(
            place.getParent(),
            Map.of("PATH", "/usr/bin:/bin"),
            List.of("/usr/bin/tar", "-xzf", file().toString(), "-C", place.toString()))
        .shouldSucceed();
    try (var names = Files.list(place)) {
      return names.findFirst().orElseThrow();
    }
  }
}
