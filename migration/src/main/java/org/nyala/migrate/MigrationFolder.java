package org.nyala.migrate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.error.CommandException;
import org.nyala.lmdb.env.JobGuard;

/**
 * The folder that the files of a migration are written to.
 *
 * <p>Confined to one running operation. Unless it is kept, closing it, or the end of the process,
 * deletes the files that were written, and a temporary folder itself.
 */
public final class MigrationFolder implements AutoCloseable {
  private static final FileAttribute<?> PRIVATE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private final Path path;
  private final boolean isTemporary;
  private final JobGuard guard;
  private final List<Path> written = new ArrayList<>();
  private boolean isKept;

  private MigrationFolder(Path path, boolean isTemporary) {
    this.path = path;
    this.isTemporary = isTemporary;
    this.guard = JobGuard.begin(this::discard);
  }

  /** Creates a folder that only its owner can read, for the time until it is closed. */
  static MigrationFolder temporary() throws IOException {
    return new MigrationFolder(Files.createTempDirectory("nyala-migrate-"), true);
  }

  /**
   * Writes the files of a migration into a folder, which is created if it is not there. Files of
   * passwords are readable by their owner alone.
   *
   * @param report the name of the file of the report
   * @throws CommandException if one of them is there already; nothing is written then
   */
  public static void fill(Path path, Migration migration, String report, List<String> lines)
      throws IOException {
    Map<String, String> files = new LinkedHashMap<>(migration.files(path));
    // Last, so that none of the files that it names is missing after a crash.
    String configuration = files.remove(Migration.CONFIGURATION);
    if (configuration == null) {
      throw new IllegalStateException("no configuration");
    }
    files.put(report, String.join("\n", lines) + "\n");
    files.put(Migration.CONFIGURATION, configuration);
    requireFree(path, migration, report);
    Files.createDirectories(path);
    Set<String> secrets = migration.secrets();
    try (MigrationFolder folder = new MigrationFolder(path, false)) {
      folder.guard.decide(
          () -> {
            files.forEach((name, text) -> folder.write(name, text, secrets.contains(name)));
            folder.isKept = true;
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /**
   * Requires that a folder has none of the files of a migration.
   *
   * @param report the name of the file of the report
   * @throws CommandException if one of them is there
   */
  public static void requireFree(Path path, Migration migration, String report) {
    List<String> names = new ArrayList<>(migration.files(path).keySet());
    names.add(report);
    for (String name : names) {
      if (Migration.isThere(path.resolve(name))) {
        throw CommandException.failed(
            path.resolve(name) + " is there already: name another folder, or move it away");
      }
    }
  }

  Path path() {
    return path;
  }

  /** Writes a file that only its owner can read. */
  void write(String name, String text) {
    guard.decide(() -> write(name, text, true));
  }

  private void write(String name, String text, boolean isPrivate) {
    Path file = path.resolve(name);
    try {
      @Nullable Path parent = file.getParent();
      if (parent != null) {
        Files.createDirectories(parent);
      }
      if (isTemporary) {
        Files.deleteIfExists(file);
      }
      FileAttribute<?>[] attributes =
          isPrivate ? new FileAttribute<?>[] {PRIVATE} : new FileAttribute<?>[0];
      written.add(Files.createFile(file, attributes));
      Files.write(file, Migration.bytes(text), StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    guard.end(this::delete);
  }

  private void discard() {
    try {
      delete();
    } catch (IOException | UncheckedIOException _) {
      // The process ends, and nobody is told.
    }
  }

  private void delete() throws IOException {
    if (isTemporary) {
      deleteAll();
    } else if (!isKept) {
      for (Path file : written.reversed()) {
        Files.deleteIfExists(file);
      }
    }
  }

  private void deleteAll() throws IOException {
    Files.walkFileTree(
        path,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException fault)
              throws IOException {
            Files.delete(folder);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
