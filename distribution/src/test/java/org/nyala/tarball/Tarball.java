package org.nyala.tarball;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.process.Processes;

/** The tarball of the build. */
public final class Tarball {
  private static final Map<String, String> ENVIRONMENT = Map.of("PATH", "/usr/bin:/bin");

  /** The contents, unpacked once for each JVM: that takes a second of a processor. */
  private static @Nullable Path unpacked;

  private Tarball() {}

  static Path file() {
    Path file = Path.of(System.getProperty("nyala.tarball"));
    assertThat(file).isRegularFile();
    return file;
  }

  /**
   * Makes an installation.
   *
   * @param place a new folder
   * @return the contents of the tarball, there
   */
  public static Path unpack(Path place) throws IOException, InterruptedException {
    Path contents = contents();
    Files.createDirectory(place);
    run("/usr/bin/cp", "-a", contents.toString(), place.toString());
    return place.resolve(contents.getFileName());
  }

  private static synchronized Path contents() throws IOException, InterruptedException {
    Path known = unpacked;
    if (known == null) {
      Path folder = Files.createTempDirectory("nyala-tarball");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
      run("/usr/bin/tar", "-xzf", file().toString(), "-C", folder.toString());
      try (var names = Files.list(folder)) {
        known = names.findFirst().orElseThrow();
      }
      unpacked = known;
    }
    return known;
  }

  private static void delete(Path folder) {
    try {
      run("/usr/bin/rm", "-rf", folder.toString());
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void run(String... command) throws IOException, InterruptedException {
    Processes.run(Path.of("/"), ENVIRONMENT, List.of(command)).shouldSucceed();
  }
}
