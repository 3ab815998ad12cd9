package org.nyala.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where Nyala is installed, as its launcher tells by system property; nothing where it was started
 * without the launcher.
 *
 * <p>Immutable.
 *
 * @param home the folder that has {@code bin}, {@code conf} and {@code lib}
 */
record Installation(Optional<Path> home) {
  /** The installation that this program was started from. */
  static Installation current() {
    @Nullable String home = System.getProperty("nyala.home");
    return new Installation(Optional.ofNullable(home).map(Path::of));
  }

  /** The configuration file that is read where none is named; nothing where there is none. */
  Optional<Path> configurationFile() {
    return home.map(folder -> folder.resolve("conf/nyala.conf")).filter(Files::isRegularFile);
  }

  /** The schema files that are loaded; nothing where those inside the program are. */
  Optional<Path> schemaDirectory() {
    return home.map(folder -> folder.resolve("conf/schema")).filter(Files::isDirectory);
  }

  /** The launcher script; nothing where this program was started without it. */
  Optional<Path> launcher() {
    return home.map(folder -> folder.resolve("bin/nyala")).filter(Files::isExecutable);
  }

  /** What relative paths of the configuration are relative to. */
  Path base() {
    return home.orElseGet(() -> Path.of(""));
  }
}
