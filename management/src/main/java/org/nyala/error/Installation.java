package org.nyala.error;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.InvalidSchemaException;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SecretTypes;
import org.nyala.core.schema.load.OwnSchema;
import org.nyala.core.schema.load.SchemaFolders;

/**
 * The installation of Nyala, which its launcher passes by system property; nothing if the program
 * was started without the launcher.
 *
 * <p>Immutable.
 *
 * @param home the folder with {@code bin}, {@code conf} and {@code lib}
 */
public record Installation(Optional<Path> home) {
  /** Returns the installation that this program was started from. */
  public static Installation current() {
    @Nullable String home = System.getProperty("nyala.home");
    return new Installation(Optional.ofNullable(home).map(Path::of));
  }

  /** Returns the default configuration file; nothing if there is none. */
  public Optional<Path> configurationFile() {
    return home.map(folder -> folder.resolve("conf/nyala.conf")).filter(Files::isRegularFile);
  }

  /** Returns the schema of the shipped files, without an administrator's own. */
  public Schema schema() throws IOException {
    return schema(OwnSchema.NONE, SecretTypes.DEFAULT, _ -> {});
  }

  /**
   * Returns the schema of the shipped files, in {@code conf/schema} or inside the program, and of
   * an administrator, some of whose types are secret.
   *
   * @param notes receives a line if these change shipped files
   */
  public Schema schema(OwnSchema own, SecretTypes secrets, Consumer<String> notes)
      throws IOException {
    Path shipped =
        home.map(folder -> folder.resolve("conf/schema")).filter(Files::isDirectory).orElse(null);
    for (Path folder : own.folders()) {
      if (!Files.isDirectory(folder)) {
        throw CommandException.usage("nyala.schema.folders: there is no folder " + folder);
      }
    }
    try {
      return SchemaFolders.load(shipped, own, secrets, notes);
    } catch (InvalidSchemaException e) {
      throw CommandException.usage(ErrorMessages.line(e));
    }
  }

  /** Returns the launcher script; nothing if this program was started without it. */
  public Optional<Path> launcher() {
    return home.map(folder -> folder.resolve("bin/nyala")).filter(Files::isExecutable);
  }

  /** Returns the folder that relative paths of the configuration are relative to. */
  public Path base() {
    return home.orElseGet(() -> Path.of(""));
  }
}
