package org.nyala.lmdb.admin;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
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
  private static final String LOCK_FILE = "lock.mdb";

  private final Path target;
  private final CopyProgress progress;

  private StoreBackup(Path target, CopyProgress progress) {
    this.target = target;
    this.progress = progress;
  }

  /**
   * Makes a backup of a data directory that no part of this process has open.
   *
   * @param target the folder to write to; created if it does not exist
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
      return new StoreBackup(target, progress).write(environment, settings, program, clock);
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
          .write(backend.environment(), settings, program, clock);
    } finally {
      backend.readers().endLongRead();
    }
  }

  private BackupManifest write(
      LmdbEnvironment environment, LmdbSettings settings, String program, InstantSource clock) {
    boolean isComplete = false;
    boolean isOurs = false;
    try {
      prepare();
      isOurs = true;
      Instant time = clock.instant();
      CompactCopy.write(environment, target, "make a backup in " + target, progress);
      Path file = target.resolve(LmdbEnvironment.DATA_FILE);
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
      StagedDirectory.force(file, StandardOpenOption.WRITE);
      String digest = FileDigest.of(file, CopyProgress.Phase.CHECKING, progress);
      BackupManifest manifest =
          describe(settings, new Written(program, time, Files.size(file), digest));
      Files.deleteIfExists(target.resolve(LOCK_FILE));
      StagedDirectory.force(target, StandardOpenOption.READ);
      manifest.write(target);
      StagedDirectory.force(target, StandardOpenOption.READ);
      forceParent();
      isComplete = true;
      return manifest;
    } catch (IOException e) {
      throw new StoreException("cannot make a backup in " + target + ": " + reason(e), e);
    } finally {
      if (isOurs && !isComplete) {
        discard();
      }
    }
  }

  /** The messages of file errors are often no more than the name of the file. */
  private static String reason(IOException e) {
    return e.getClass().equals(IOException.class) ? String.valueOf(e.getMessage()) : e.toString();
  }

  private void prepare() throws IOException {
    if (Files.exists(target)) {
      if (!Files.isDirectory(target)) {
        throw new StoreException(target + " is not a folder");
      }
      try (DirectoryStream<Path> files = Files.newDirectoryStream(target)) {
        if (files.iterator().hasNext()) {
          throw new StoreException(target + " is not empty: name a new folder for the backup");
        }
      }
    }
    Files.createDirectories(target.toAbsolutePath());
    // The data contains passwords.
    Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwx------"));
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
          StoreMeta.VERSION,
          copy.entryCount(txn),
          written.bytes(),
          written.sha256(),
          contexts);
    }
  }

  private void forceParent() throws IOException {
    Path parent = target.toAbsolutePath().getParent();
    if (parent != null && Files.isReadable(parent)) {
      StagedDirectory.force(parent, StandardOpenOption.READ);
    }
  }

  private void discard() {
    for (String name :
        List.of(
            BackupManifest.FILE_NAME,
            BackupManifest.FILE_NAME + ".new",
            LmdbEnvironment.DATA_FILE,
            LOCK_FILE)) {
      try {
        Files.deleteIfExists(target.resolve(name));
      } catch (IOException _) {
        // The remaining files have no manifest, or one that does not match, so a restore rejects
        // them.
      }
    }
  }
}
