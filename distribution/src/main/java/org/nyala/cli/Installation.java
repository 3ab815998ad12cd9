package org.nyala.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.InvalidSchemaException;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SchemaLoader;

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

  /** The schema of the files in {@code conf/schema}, or of those inside the program. */
  Schema schema() throws IOException {
    Optional<Path> directory =
        home.map(folder -> folder.resolve("conf/schema")).filter(Files::isDirectory);
    try {
      return directory.isPresent() ? SchemaLoader.load(directory.get()) : SchemaLoader.standard();
    } catch (InvalidSchemaException e) {
      throw new CommandException(ExitCode.USAGE, Failures.line(e));
    }
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
