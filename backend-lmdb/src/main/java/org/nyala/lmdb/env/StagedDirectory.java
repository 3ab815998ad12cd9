package org.nyala.lmdb.env;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * A data directory while an import builds its next content beside it.
 *
 * <p>Confined to one running operation. Holds the directory's lock, so that neither a server nor
 * another import uses it. LMDB keeps all data in one file: renaming the new one over the old one is
 * the one step that makes the change, and the remains of a killed import are never read, but
 * deleted by the next one.
 */
public final class StagedDirectory implements AutoCloseable {
  private static final String MARK = ".importing-";
  private static final String LOCK_FILE = "lock.mdb";

  private final Path data;
  private final Path building;
  private final @Nullable StoreLock lock;
  private boolean isSwapped;

  private StagedDirectory(Path data, Path building, @Nullable StoreLock lock) {
    this.data = data;
    this.building = building;
    this.lock = lock;
  }

  /**
   * Locks a data directory, creates it if necessary, and prepares the directory to build in.
   *
   * @throws StoreException if it is in use, or holds data and must not be replaced
   */
  public static StagedDirectory prepare(Path dataDirectory, boolean replace) throws IOException {
    Path data = dataDirectory.toAbsolutePath().normalize();
    PrivateFiles.createFolders(data);
    StoreLock lock = StoreLock.acquire(data);
    try {
      if (LmdbEnvironment.holdsStore(data) && !replace) {
        throw new StoreException(data + " holds data already; --replace replaces it");
      }
      return stage(data, lock);
    } catch (IOException | RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  /**
   * Prepares the directory to build in beside a data directory that this process has open for
   * writing, so that it has the lock already.
   */
  public static StagedDirectory besideOpen(LmdbEnvironment environment) throws IOException {
    return stage(environment.directory().toAbsolutePath().normalize(), null);
  }

  private static StagedDirectory stage(Path data, @Nullable StoreLock lock) throws IOException {
    deleteLeftovers(data);
    Path building = Files.createTempDirectory(buildRoot(data), data.getFileName() + MARK);
    return new StagedDirectory(data, building, lock);
  }

  /**
   * Deletes the remains of work that was killed beside a data directory that this process has open
   * for writing.
   */
  public static void clean(LmdbEnvironment environment) throws IOException {
    deleteLeftovers(environment.directory().toAbsolutePath().normalize());
  }

  /**
   * Returns the directory to build in: beside the data, or in it if that is a file system of its
   * own.
   */
  private static Path buildRoot(Path data) throws IOException {
    Path parent = data.getParent();
    if (parent == null || !Files.isWritable(parent)) {
      return data;
    }
    FileStore one = Files.getFileStore(parent);
    return one.equals(Files.getFileStore(data)) ? parent : data;
  }

  private static void deleteLeftovers(Path data) throws IOException {
    deleteLeftovers(data, data);
    Path parent = data.getParent();
    if (parent != null) {
      deleteLeftovers(parent, data);
    }
  }

  private static void deleteLeftovers(Path root, Path data) throws IOException {
    String prefix = data.getFileName() + MARK;
    try (DirectoryStream<Path> found =
        Files.newDirectoryStream(root, path -> path.getFileName().toString().startsWith(prefix))) {
      for (Path leftover : found) {
        delete(leftover);
      }
    }
  }

  private static void delete(Path directory) throws IOException {
    // A directory that is only linked to is not ours, and its contents even less so.
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
    }
    Files.deleteIfExists(directory);
  }

  /** Returns the directory to build in. */
  public Path building() {
    return building;
  }

  /** Returns the folder that contains the directory to build in; on the file system of the data. */
  public Path beside() {
    return building.resolveSibling("");
  }

  /** Returns the name of the data directory itself. */
  public String name() {
    return String.valueOf(data.getFileName());
  }

  /** Returns the file that is replaced; it may not exist. */
  public Path dataFile() {
    return data.resolve(LmdbEnvironment.DATA_FILE);
  }

  /**
   * Puts the new data in place; its environment must be closed.
   *
   * @throws IOException if the old data is still in place
   * @throws StoreException if the new data is in place, but the step could not be completed
   */
  public void swap() throws IOException {
    Path built = building.resolve(LmdbEnvironment.DATA_FILE);
    force(built, StandardOpenOption.WRITE);
    // Comes first: the old data's table of readers holds its last transaction number, and a process
    // that joined the readers through it would write over the new data. Data without a table gets a
    // new one.
    Files.deleteIfExists(data.resolve(LOCK_FILE));
    force(data, StandardOpenOption.READ);
    move(built, () -> {});
  }

  private void move(Path built, Runnable moved) throws IOException {
    Files.move(built, data.resolve(LmdbEnvironment.DATA_FILE), StandardCopyOption.ATOMIC_MOVE);
    isSwapped = true;
    moved.run();
    try {
      completeSwap();
    } catch (IOException e) {
      throw new StoreException(
          "the new data is in place in "
              + data
              + ", but a power failure may undo that: the swap could not be completed: "
              + e,
          e);
    }
  }

  /**
   * Completes a copy of the data, whose environment must be closed, and waits until it is on disk.
   *
   * @param transaction the number of the data's last transaction, with which the copy goes on
   */
  public void complete(long transaction) throws IOException {
    Path built = building.resolve(LmdbEnvironment.DATA_FILE);
    DataFileNumber.set(built, transaction);
    force(built, StandardOpenOption.WRITE);
  }

  /**
   * Puts a complete copy of the data in place, while readers in other processes go on with the old
   * file. The table of readers stays and serves both, because the copy goes on with the number of
   * the last transaction.
   *
   * @param moved run once the copy is in place, before that is on disk
   * @throws IOException if the old data is still in place
   * @throws StoreException if the copy is in place, but the step could not be completed
   */
  public void exchange(Runnable moved) throws IOException {
    move(building.resolve(LmdbEnvironment.DATA_FILE), moved);
  }

  private void completeSwap() throws IOException {
    force(data, StandardOpenOption.READ);
    Path parent = data.getParent();
    if (parent != null) {
      force(parent, StandardOpenOption.READ);
    }
  }

  /** Waits until a file or the names in a folder are on disk. */
  public static void force(Path path, StandardOpenOption mode) throws IOException {
    try (FileChannel channel = FileChannel.open(path, mode)) {
      channel.force(true);
    }
  }

  /** Deletes the rest of the directory to build in and releases the lock. */
  @Override
  public void close() throws IOException {
    try (lock) {
      delete(building);
    } catch (IOException e) {
      if (!isSwapped) {
        throw e;
      }
      throw new StoreException(
          "the new data is in place in " + data + ", but " + building + " cannot be deleted: " + e,
          e);
    }
  }
}
