package org.nyala.lmdb.admin;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Txn;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.bytes.ByteDigest;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.admin.StoreCompaction.CompactCopy;
import org.nyala.lmdb.env.FileFailures;
import org.nyala.lmdb.env.JobGuard;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.env.PrivateFiles;
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

  /**
   * The folder of a backup while it is made. Its first file is the mark {@value #MARK}, which is
   * locked, and becomes the manifest at the end by being renamed: a folder with a mark is an
   * unfinished backup, which the next backup to that folder may replace once nobody holds the lock.
   *
   * <p>Confined to one running operation, except for {@link #discard}.
   */
  private record BackupFolder(Path folder, List<Path> made, FileChannel mark)
      implements AutoCloseable {
    static final String MARK = BackupManifest.FILE_NAME + ".new";

    /** The folder that LMDB copies to, which has to be empty. */
    private static final String COPYING = "copying";

    private static final String LOCK_FILE = "lock.mdb";

    /**
     * Creates the folder if it does not exist, marks it, and deletes what an unfinished backup has
     * left in it.
     *
     * @throws StoreException if it has other contents, or a backup is being written to it
     */
    static BackupFolder begin(Path target) throws IOException {
      requireFree(target);
      List<Path> made = PrivateFiles.missing(target.toAbsolutePath().normalize());
      boolean hasBegun = false;
      try {
        Files.createDirectories(target.toAbsolutePath());
        // The data contains passwords.
        Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwx------"));
        BackupFolder folder = new BackupFolder(target, made, lockMark(target));
        hasBegun = true;
        folder.deleteOthers();
        return folder;
      } finally {
        if (!hasBegun) {
          deleteMade(made);
        }
      }
    }

    private static void requireFree(Path target) throws IOException {
      if (!Files.exists(target)) {
        return;
      }
      if (!Files.isDirectory(target)) {
        throw new StoreException(target + " is not a folder");
      }
      if (!isUnfinished(target)) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(target)) {
          if (files.iterator().hasNext()) {
            throw new StoreException(target + " is not empty: name a new folder for the backup");
          }
        }
      }
    }

    /**
     * Returns whether a folder holds nothing but an unfinished backup, which may be in progress.
     */
    static boolean isUnfinished(Path folder) throws IOException {
      if (!Files.isRegularFile(folder.resolve(MARK), LinkOption.NOFOLLOW_LINKS)) {
        return false;
      }
      try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
        for (Path file : files) {
          String name = file.getFileName().toString();
          if (!name.equals(MARK)
              && !name.equals(COPYING)
              && !name.equals(LmdbEnvironment.DATA_FILE)
              && !name.startsWith(LOCK_FILE)) {
            return false;
          }
        }
      }
      return true;
    }

    /**
     * Returns the unfinished backups that nobody writes to, of the other folders beside a target.
     */
    static List<Path> unfinishedBeside(Path target) throws IOException {
      List<Path> found = new ArrayList<>();
      Path own = target.toAbsolutePath().normalize();
      Path parent = own.getParent();
      if (parent == null || !Files.isReadable(parent)) {
        return found;
      }
      try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent)) {
        for (Path each : folders) {
          if (!each.equals(own)
              && Files.isReadable(each.resolve(MARK))
              && isUnfinished(each)
              && isLeft(each)) {
            found.add(each);
          }
        }
      }
      return found;
    }

    private static boolean isLeft(Path folder) throws IOException {
      try (FileChannel channel =
          FileChannel.open(
              folder.resolve(MARK), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        return tryLock(channel);
      }
    }

    private static FileChannel lockMark(Path target) throws IOException {
      FileChannel channel =
          PrivateFiles.open(
              target.resolve(MARK),
              StandardOpenOption.CREATE,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE);
      boolean isLocked = false;
      try {
        isLocked = tryLock(channel);
        if (!isLocked) {
          throw new StoreException("a backup is being written to " + target);
        }
        return channel;
      } finally {
        if (!isLocked) {
          channel.close();
        }
      }
    }

    private static boolean tryLock(FileChannel channel) throws IOException {
      try {
        FileLock lock = channel.tryLock();
        return lock != null;
      } catch (OverlappingFileLockException _) {
        return false;
      }
    }

    /** Creates the empty folder that LMDB copies to. */
    Path beginCopy() throws IOException {
      return Files.createDirectory(folder.resolve(COPYING));
    }

    /** Puts the copied data file into this folder; returns it. */
    Path endCopy() throws IOException {
      Path copying = folder.resolve(COPYING);
      Path file = folder.resolve(LmdbEnvironment.DATA_FILE);
      Files.move(copying.resolve(LmdbEnvironment.DATA_FILE), file, StandardCopyOption.ATOMIC_MOVE);
      Files.delete(copying);
      return file;
    }

    /** Deletes all but the mark. */
    private void deleteOthers() throws IOException {
      Files.deleteIfExists(folder.resolve(COPYING).resolve(LmdbEnvironment.DATA_FILE));
      try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
        for (Path file : files) {
          if (!file.endsWith(MARK)) {
            Files.deleteIfExists(file);
          }
        }
      }
    }

    /** Deletes LMDB's table of readers, which a backup does not need. */
    void deleteReaders() throws IOException {
      Files.deleteIfExists(folder.resolve(LOCK_FILE));
    }

    /** Writes the manifest in place of the mark: the backup is complete and on disk after it. */
    void complete(BackupManifest manifest) throws IOException {
      ByteBuffer text = ByteBuffer.wrap(manifest.text().getBytes(StandardCharsets.UTF_8));
      mark.truncate(0);
      while (text.hasRemaining()) {
        int _ = mark.write(text, text.position());
      }
      mark.force(true);
      StagedDirectory.force(folder, StandardOpenOption.READ);
      Files.move(
          folder.resolve(MARK),
          folder.resolve(BackupManifest.FILE_NAME),
          StandardCopyOption.ATOMIC_MOVE);
      StagedDirectory.force(folder, StandardOpenOption.READ);
      Path parent = folder.toAbsolutePath().getParent();
      if (parent != null && Files.isReadable(parent)) {
        StagedDirectory.force(parent, StandardOpenOption.READ);
      }
    }

    /** Deletes everything that was made, the mark last of the files. */
    void discard() {
      try {
        Files.deleteIfExists(folder.resolve(BackupManifest.FILE_NAME));
        deleteOthers();
        Files.deleteIfExists(folder.resolve(MARK));
      } catch (IOException _) {
        // The rest has no manifest, so no restore takes it, and the next backup may replace it.
      }
      deleteMade(made);
    }

    private static void deleteMade(List<Path> made) {
      try {
        for (Path folder : made) {
          Files.deleteIfExists(folder);
        }
      } catch (IOException _) {
        // A folder that is not empty is left.
      }
    }

    /** Releases the lock of the mark. */
    @Override
    public void close() throws IOException {
      mark.close();
    }
  }

  /** The SHA-256 digest of a file, computed while it is read or copied. */
  static final class FileDigest {
    private static final int BUFFER_BYTES = 1 << 20;

    private FileDigest() {}

    /** Reads a file; returns its digest in hexadecimal digits. */
    static String of(Path file, CopyProgress.Phase phase, CopyProgress progress)
        throws IOException {
      return run(file, null, phase, progress);
    }

    /** Copies a file into a new one and syncs that to disk; returns the digest of the copy. */
    static String copy(Path file, Path target, CopyProgress progress) throws IOException {
      try (FileChannel copy =
          FileChannel.open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        String digest = run(file, copy, CopyProgress.Phase.COPYING, progress);
        copy.force(true);
        return digest;
      }
    }

    private static String run(
        Path file, @Nullable FileChannel copy, CopyProgress.Phase phase, CopyProgress progress)
        throws IOException {
      MessageDigest digest = ByteDigest.of("SHA-256");
      ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
      try (FileChannel source = FileChannel.open(file)) {
        long total = source.size();
        long done = 0;
        while (source.read(buffer.clear()) >= 0) {
          digest.update(buffer.flip());
          done += buffer.position();
          buffer.rewind();
          while (copy != null && buffer.hasRemaining()) {
            copy.write(buffer);
          }
          progress.update(phase, done, total);
        }
      }
      return HexFormat.of().formatHex(digest.digest());
    }
  }
}
