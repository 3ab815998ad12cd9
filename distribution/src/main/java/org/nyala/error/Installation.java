package org.nyala.error;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.InvalidSchemaException;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaFolders;

/**
 * Where Nyala is installed, as its launcher tells by system property; nothing where it was started
 * without the launcher.
 *
 * <p>Immutable.
 *
 * @param home the folder that has {@code bin}, {@code conf} and {@code lib}
 */
public record Installation(Optional<Path> home) {
  private static final System.Logger LOG = System.getLogger(Installation.class.getName());

  /** The installation that this program was started from. */
  public static Installation current() {
    @Nullable String home = System.getProperty("nyala.home");
    return new Installation(Optional.ofNullable(home).map(Path::of));
  }

  /** The configuration file that is read where none is named; nothing where there is none. */
  public Optional<Path> configurationFile() {
    return home.map(folder -> folder.resolve("conf/nyala.conf")).filter(Files::isRegularFile);
  }

  /** The schema of the files that come with the server, without any of an administrator's own. */
  public Schema schema() throws IOException {
    return schema(List.of());
  }

  /**
   * The schema of the files that come with the server, in {@code conf/schema} or inside the
   * program, and of those in an administrator's folders; a line for the log if these change shipped
   * files.
   */
  public Schema schema(List<Path> folders) throws IOException {
    Path shipped =
        home.map(folder -> folder.resolve("conf/schema")).filter(Files::isDirectory).orElse(null);
    for (Path folder : folders) {
      if (!Files.isDirectory(folder)) {
        throw new CommandException(
            ExitCode.USAGE, "nyala.schema.folders: there is no folder " + folder);
      }
    }
    try {
      return SchemaFolders.load(
          shipped, folders, note -> LOG.log(System.Logger.Level.WARNING, "schema: {0}", note));
    } catch (InvalidSchemaException e) {
      throw new CommandException(ExitCode.USAGE, ErrorMessages.line(e));
    }
  }

  /** The launcher script; nothing where this program was started without it. */
  public Optional<Path> launcher() {
    return home.map(folder -> folder.resolve("bin/nyala")).filter(Files::isExecutable);
  }

  /** What relative paths of the configuration are relative to. */
  public Path base() {
    return home.orElseGet(() -> Path.of(""));
  }
}
