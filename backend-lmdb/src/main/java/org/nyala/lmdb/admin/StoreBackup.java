package org.nyala.lmdb.admin;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.lmdbjava.Txn;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.env.FileFailures;
import org.nyala.lmdb.env.JobGuard;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.env.StagedDirectory;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.format.StoreMeta;

/**
 * Makes a backup: a folder with the data of one moment in an LMDB file without free pages, and a
 * {@link BackupManifest}.
 *
 * <p>Confined to one running operation. Works beside a writing server, which it never holds up;
 * pages that the server frees meanwhile are not reused before the copy is complete.
 */
public final class StoreBackup {

  private final Path target;
  private final CopyProgress progress;

  private StoreBackup(Path target, CopyProgress progress) {
    this.target = target;
    this.progress = progress;
  }

  /**
   * Makes a backup of a data directory that no part of this process has open. If the process is
   * asked to end meanwhile, the part that was written is deleted.
   *
   * @param target the folder to write to; created if it does not exist; an unfinished backup in it
   *     is deleted
   * @param program name and version of this program
   * @param progress may end the backup by an exception, which is thrown on. LMDB cannot be stopped:
   *     it goes on to read until the process ends, which must be soon
   * @throws StoreException if the target is not empty, or the backup fails, in which case the part
   *     that was written is deleted
   */
  public static BackupManifest write(
      Path data,
      LmdbSettings settings,
      Path target,
      String program,
      InstantSource clock,
      CopyProgress progress) {
    LmdbEnvironment environment = LmdbEnvironment.open(data, settings.asReadOnly());
    boolean isInUse = false;
    try {
      return new StoreBackup(target, progress).write(environment, settings, program, clock, true);
    } catch (CompactCopy.AbandonedException e) {
      isInUse = true;
      throw e.reason();
    } finally {
      if (!isInUse) {
        environment.close();
      }
    }
  }

  /**
   * Makes a backup of a store that this process has open; its map does not grow meanwhile.
   *
   * @param settings the settings that it was opened with
   * @param target as above
   * @param program name and version of this program
   * @param progress throws no exception
   * @throws StoreException as above
   */
  public static BackupManifest write(
      LmdbBackend backend,
      LmdbSettings settings,
      Path target,
      String program,
      InstantSource clock,
      CopyProgress progress) {
    backend.readers().beginLongRead();
    // While a read is open, the store is not closed, and its map is not moved.
    try (ReadTransaction _ = backend.beginRead()) {
      return new StoreBackup(target, progress)
          .write(backend.environment(), settings, program, clock, false);
    } finally {
      backend.readers().endLongRead();
    }
  }

  /**
   * Returns whether a folder holds nothing but a backup that did not finish: a backup to it deletes
   * that.
   */
  public static boolean isUnfinished(Path folder) throws IOException {
    return Files.isDirectory(folder) && BackupFolder.isUnfinished(folder);
  }

  /** Returns the unfinished backups in the folder of a target, which nobody writes to. */
  public static List<Path> unfinishedBeside(Path target) throws IOException {
    return BackupFolder.unfinishedBeside(target);
  }

  private BackupManifest write(
      LmdbEnvironment environment,
      LmdbSettings settings,
      String program,
      InstantSource clock,
      boolean endsWithProcess) {
    try (BackupFolder folder = BackupFolder.begin(target);
        JobGuard guard = endsWithProcess ? JobGuard.begin(folder::discard) : JobGuard.none()) {
      return write(environment, settings, program, clock, folder, guard);
    } catch (IOException e) {
      throw new StoreException(
          "cannot make a backup in " + target + ": " + FileFailures.reason(e), e);
    }
  }

  private BackupManifest write(
      LmdbEnvironment environment,
      LmdbSettings settings,
      String program,
      InstantSource clock,
      BackupFolder folder,
      JobGuard guard)
      throws IOException {
    boolean isComplete = false;
    try {
      Instant time = clock.instant();
      CompactCopy.write(environment, folder.beginCopy(), "make a backup in " + target, progress);
      Path file = folder.endCopy();
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
      StagedDirectory.force(file, StandardOpenOption.WRITE);
      String digest = FileDigest.of(file, CopyProgress.Phase.CHECKING, progress);
      BackupManifest manifest =
          describe(settings, new Written(program, time, Files.size(file), digest));
      folder.deleteReaders();
      guard.decide(() -> folder.complete(manifest));
      isComplete = true;
      return manifest;
    } finally {
      if (!isComplete) {
        guard.end(folder::discard);
      }
    }
  }

  /** The data file that was written. */
  private record Written(String program, Instant time, long bytes, String sha256) {}

  /** Opens the copy, which proves that it can be opened, and counts its contents. */
  private BackupManifest describe(LmdbSettings settings, Written written) {
    try (LmdbEnvironment copy = LmdbEnvironment.open(target, settings.asReadOnly());
        Txn<ByteBuffer> txn = copy.beginRead()) {
      List<String> contexts = StoreMeta.suffixes(copy, txn);
      return new BackupManifest(
          written.program(),
          written.time(),
          StoreMeta.format(copy, txn),
          copy.entryCount(txn),
          written.bytes(),
          written.sha256(),
          contexts);
    }
  }
}
