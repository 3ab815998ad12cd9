package org.nyala.lmdb.env;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The data that a restore or an import replaces, kept in a folder beside the data directory.
 *
 * <p>Confined to one running operation.
 */
public final class KeptData {
  /*
   * The old data is kept by a second name of its file (a hard link), made before the step and in a
   * folder of its own. Until the step is done, that name is one under which no store is searched
   * for: two stores on one file would destroy each other's data.
   */

  private static final System.Logger LOG = System.getLogger(KeptData.class.getName());

  /** The name of the job follows it. */
  private static final String MARK = ".before-";

  private static final String KEPT_ASIDE = "data.mdb.kept";
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final StagedDirectory directory;
  private final String job;
  private final String mark;

  /**
   * Creates it for a job that has the directory.
   *
   * @param job the command, which is part of the names of folders
   */
  public KeptData(StagedDirectory directory, String job) {
    this.directory = directory;
    this.job = job;
    this.mark = MARK + job + '-';
  }

  /** Finishes or undoes the keeping of old data by an interrupted job. */
  public void settleInterrupted() throws IOException {
    Path file = directory.dataFile();
    String prefix = directory.name() + MARK;
    try (DirectoryStream<Path> found =
        Files.newDirectoryStream(
            directory.beside(), path -> path.getFileName().toString().startsWith(prefix))) {
      for (Path folder : found) {
        Path aside = folder.resolve(KEPT_ASIDE);
        if (!Files.isRegularFile(aside)) {
          deleteIfEmpty(folder);
          continue;
        }
        if (Files.exists(file) && Files.isSameFile(aside, file)) {
          Files.delete(aside);
          Files.delete(folder);
        } else {
          Files.move(aside, folder.resolve(LmdbEnvironment.DATA_FILE));
        }
      }
    }
  }

  /** Deletes the folder of a job that was interrupted before it kept anything in it. */
  private static void deleteIfEmpty(Path folder) throws IOException {
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try {
      Files.delete(folder);
    } catch (DirectoryNotEmptyException _) {
      // The folder holds the old data that a completed job has kept.
    }
  }

  /**
   * Puts the new data of the directory in place of the old.
   *
   * @param discards true if the old data is not kept
   * @param time the time in the name of the folder that it is kept in
   * @return that folder; empty if there was no data, or it is not kept
   * @throws IOException if the old data is still in place
   * @throws StoreException if it cannot be kept, or if the new data is in place but the last steps
   *     failed; the message says so
   */
  public Optional<Path> swap(boolean discards, Instant time) throws IOException {
    Path kept = discards ? null : keep(time);
    boolean isSwapped = false;
    try {
      directory.swap();
      isSwapped = true;
    } finally {
      if (!isSwapped && kept != null) {
        forget(kept);
      }
    }
    if (kept != null) {
      giveName(kept);
    }
    return Optional.ofNullable(kept);
  }

  /** Deletes the other name of data that is still in place; if it cannot, the next restore does. */
  private void forget(Path kept) {
    try {
      if (Files.isSameFile(kept.resolve(KEPT_ASIDE), directory.dataFile())) {
        Files.deleteIfExists(kept.resolve(KEPT_ASIDE));
        Files.deleteIfExists(kept);
      }
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "left behind: " + kept, e);
    }
  }

  /** Gives the old data the name under which it can be served. */
  private void giveName(Path kept) {
    try {
      Files.move(
          kept.resolve(KEPT_ASIDE),
          kept.resolve(LmdbEnvironment.DATA_FILE),
          StandardCopyOption.ATOMIC_MOVE);
      StagedDirectory.force(kept, StandardOpenOption.READ);
    } catch (IOException e) {
      throw new StoreException(
          "the new data is in place in "
              + directory.dataFile().getParent()
              + ", but the old data in "
              + kept
              + " could not be renamed from "
              + KEPT_ASIDE
              + " to "
              + LmdbEnvironment.DATA_FILE
              + ": "
              + FileFailures.reason(e),
          e);
    }
  }

  /** Gives the old data another name; null if there is none. */
  private @Nullable Path keep(Instant time) throws IOException {
    Path file = directory.dataFile();
    if (!Files.exists(file)) {
      return null;
    }
    Path folder = folder(directory.name() + mark + STAMP.format(time));
    boolean isLinked = false;
    try {
      Files.createLink(folder.resolve(KEPT_ASIDE), file);
      StagedDirectory.force(folder, StandardOpenOption.READ);
      StagedDirectory.force(directory.beside(), StandardOpenOption.READ);
      isLinked = true;
      return folder;
    } catch (UnsupportedOperationException | FileSystemException e) {
      throw new StoreException(
          "the old data cannot be kept in "
              + folder
              + ", because no hard link can be made ("
              + (e instanceof IOException failure ? FileFailures.reason(failure) : e.getMessage())
              + "): copy it, then "
              + job
              + " with --discard-old",
          e);
    } finally {
      if (!isLinked) {
        Files.deleteIfExists(folder.resolve(KEPT_ASIDE));
        Files.deleteIfExists(folder);
      }
    }
  }

  private Path folder(String name) throws IOException {
    var ownerOnly =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    for (int number = 1; ; number++) {
      Path folder = directory.beside().resolve(number == 1 ? name : name + '-' + number);
      try {
        return Files.createDirectory(folder, ownerOnly);
      } catch (FileAlreadyExistsException _) {
        // A second restore within the same second takes the next number.
      }
    }
  }
}
