package org.nyala.lmdb.admin;

import java.io.IOException;
import java.nio.ByteBuffer;
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
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Txn;
import org.nyala.core.backend.ContextHistory;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.env.FileFailures;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.env.StagedDirectory;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.format.StoreMeta;

/**
 * Replaces the data of a data directory by that of a backup: it is copied beside the old data,
 * verified, and renamed over it, which is one step. At every moment the data directory holds the
 * old data or the new.
 *
 * <p>Confined to one running operation.
 */
public final class StoreRestore {
  /*
   * The old data is kept by a second name of its file (a hard link), made before the step and in a
   * folder of its own. Until the step is done, that name is one under which no store is searched
   * for: two stores on one file would destroy each other's data.
   */

  private static final System.Logger LOG = System.getLogger(StoreRestore.class.getName());
  private static final String KEPT_MARK = ".before-restore-";
  private static final String KEPT_ASIDE = "data.mdb.kept";
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final Path backup;
  private final StagedDirectory directory;

  /**
   * The result of a restore.
   *
   * @param problems the faults of the backup, one line each; empty if it was restored
   * @param manifest the manifest of the backup
   * @param kept the folder with the old data; empty if there was none or it was not to be kept
   */
  public record Result(List<String> problems, BackupManifest manifest, Optional<Path> kept) {
    /** Copies the list. */
    public Result {
      problems = List.copyOf(problems);
    }

    /** Returns whether the data is in place. */
    public boolean isRestored() {
      return problems.isEmpty();
    }
  }

  /**
   * The treatment of the data that is there already.
   *
   * @param discards true if it is discarded; otherwise it is kept in a folder beside the data
   *     directory
   * @param time the time in the name of that folder
   */
  public record OldData(boolean discards, Instant time) {}

  private StoreRestore(Path backup, StagedDirectory directory) {
    this.backup = backup;
    this.directory = directory;
  }

  /**
   * Restores a data directory.
   *
   * @param schema the schema of the files; the backup contains the definitions that were added to
   *     it over LDAP
   * @param maximumProblems the number of problems to report at most
   * @throws StoreException if the directory is in use, there is no complete backup, or something
   *     cannot be written; the old data is still there then, as it is if there are problems
   */
  public static Result restore(
      Path backup,
      Path data,
      Schema schema,
      OldData old,
      int maximumProblems,
      CopyProgress progress) {
    BackupManifest manifest = BackupManifest.read(backup);
    boolean mayReplace = true;
    try (StagedDirectory directory = StagedDirectory.prepare(data, mayReplace)) {
      StoreRestore restore = new StoreRestore(backup, directory);
      restore.settleInterrupted();
      List<String> problems = restore.build(manifest, schema, old, maximumProblems, progress);
      Optional<Path> kept = problems.isEmpty() ? restore.swap(old) : Optional.empty();
      return new Result(problems, manifest, kept);
    } catch (IOException e) {
      throw new StoreException("cannot restore " + data + ": " + FileFailures.reason(e), e);
    }
  }

  /** Finishes or undoes the keeping of old data by an interrupted restore. */
  private void settleInterrupted() throws IOException {
    Path file = directory.dataFile();
    String prefix = directory.name() + KEPT_MARK;
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

  /** Deletes the folder of a restore that was interrupted before it kept anything in it. */
  private static void deleteIfEmpty(Path folder) throws IOException {
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try {
      Files.delete(folder);
    } catch (DirectoryNotEmptyException _) {
      // The folder holds the old data that a completed restore has kept.
    }
  }

  private List<String> build(
      BackupManifest manifest,
      Schema schema,
      OldData old,
      int maximumProblems,
      CopyProgress progress)
      throws IOException {
    Path source = backup.resolve(LmdbEnvironment.DATA_FILE);
    if (!Files.isRegularFile(source) || Files.size(source) != manifest.bytes()) {
      return List.of(
          source + " is missing or not of the " + manifest.bytes() + " bytes that it should have");
    }
    Path built = directory.building().resolve(LmdbEnvironment.DATA_FILE);
    String digest = FileDigest.copy(source, built, progress);
    if (!digest.equals(manifest.sha256())) {
      return List.of(source + " has changed since it was written: its SHA-256 is " + digest);
    }
    Files.setPosixFilePermissions(built, PosixFilePermissions.fromString("rw-------"));
    progress.update(CopyProgress.Phase.CHECKING, 0, manifest.bytes());
    double bytesPerEntry = manifest.bytes() / (double) Math.max(1, manifest.entries());
    StoreVerifier.Report report =
        StoreVerifier.verify(
            directory.building(),
            schema,
            maximumProblems,
            (checked, _) ->
                progress.update(
                    CopyProgress.Phase.CHECKING,
                    (long) (checked * bytesPerEntry),
                    manifest.bytes()));
    if (report.isSound() && report.entries() != manifest.entries()) {
      return List.of(
          source + " has " + report.entries() + " entries instead of " + manifest.entries());
    }
    if (report.isSound()) {
      renewHistories(old.time());
    }
    return report.problems();
  }

  /**
   * Gives the data another history: changes after the backup are lost, and copies may have them.
   */
  private void renewHistories(Instant now) {
    LmdbSettings settings =
        LmdbSettings.DEFAULT.with(draft -> draft.durability = LmdbSettings.Durability.NONE);
    try (LmdbEnvironment environment = LmdbEnvironment.open(directory.building(), settings)) {
      try (Txn<ByteBuffer> txn = environment.beginWrite()) {
        List<String> suffixes = StoreMeta.suffixes(environment, txn);
        for (int i = 0; i < suffixes.size(); i++) {
          CsnVector present = StoreMeta.contextCsns(environment, txn, i);
          ContextHistory before = StoreMeta.history(environment, txn, i);
          ContextHistory renewed = ContextHistory.restored(before, present, now);
          StoreMeta.putHistory(environment, txn, i, renewed);
        }
        txn.commit();
      }
      environment.sync();
    }
  }

  private Optional<Path> swap(OldData old) throws IOException {
    Path kept = old.discards() ? null : keep(old.time());
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
    Path folder = folder(directory.name() + KEPT_MARK + STAMP.format(time));
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
              + "): copy it, then restore with --discard-old",
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
