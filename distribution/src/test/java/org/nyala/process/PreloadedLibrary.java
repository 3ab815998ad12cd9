package org.nyala.process;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Libraries that are loaded before the C library, compiled from {@code src/test/c}. */
public final class PreloadedLibrary {
  private PreloadedLibrary() {}

  /**
   * Compiles a library into a folder, which takes {@code cc}.
   *
   * @param name the name of its source
   */
  public static Path compile(String name, Path folder) throws Exception {
    Path library = folder.resolve(name + ".so");
    Path source = Path.of("src", "test", "c", name + ".c").toAbsolutePath();
    List<String> command =
        List.of(
            "/usr/bin/cc",
            "-shared",
            "-fPIC",
            "-Wall",
            "-Werror",
            "-o",
            library.toString(),
            source.toString(),
            "-ldl");
    Processes.run(folder, Map.of("PATH", "/usr/bin:/bin"), command).shouldSucceed();
    return library;
  }
}
