package org.nyala.lmdb.env;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A data directory while an import builds its next content beside it.
 *
 * <p>Confined to one running operation. Holds the directory's lock, so that neither a server nor
 * another import uses it. LMDB keeps all data in one file: renaming the new one over the old one is
 * the one step that makes the change, and the remains of a killed import are never read, but
 * deleted by the next one. The deletion of unfinished data at the end of the process is in another
 * thread: see {@link JobGuard}.
 */
public final class StagedDirectory implements AutoCloseable {
  private static final String MARK = ".importing-";
  private static final String LOCK_FILE = "lock.mdb";

  /** The end of the name that the folder of a job gets when the process ends before the job. */
  private static final String ENDED = ".ended";

  /** One try for each file that a thread can have been creating when its folder was renamed. */
  private static final int DELETE_TRIES = 100;

  private final Path data;
  private final Path building;
  private final @Nullable StoreLock lock;
  private final List<Path> made;
  private final JobGuard guard;
  private volatile boolean isSwapped;

  private StagedDirectory(Path data, Path building, StoreLock lock, List<Path> made) {
    this.data = data;
    this.building = building;
    this.lock = lock;
    this.made = made;
    this.guard = JobGuard.begin(this::abandon);
  }

  /** Builds beside data that this process has open: if it ends, the next one deletes the rest. */
  private StagedDirectory(Path data, Path building) {
    this.data = data;
    this.building = building;
    this.lock = null;
    this.made = List.of();
    this.guard = JobGuard.none();
  }

  private static Path makeBuilding(Path data) throws IOException {
    Path root = buildRoot(data);
    try {
      return Files.createTempDirectory(root, data.getFileName() + MARK);
    } catch (IOException e) {
      throw FileFailures.during("create a folder for the new data in", root, e);
    }
  }

  /**
   * Locks a data directory, creates it if necessary, and prepares the directory to build in. What
   * it creates is deleted again unless the new data gets into place, also if the process is asked
   * to end.
   *
   * @throws StoreException if it is in use, or holds data and must not be replaced
   */
  public static StagedDirectory prepare(Path dataDirectory, boolean replace) throws IOException {
    Path data = dataDirectory.toAbsolutePath().normalize();
    List<Path> made = PrivateFiles.missing(data);
    StagedDirectory prepared = null;
    try {
      createFolders(data);
      prepared = prepare(data, replace, made);
      return prepared;
    } finally {
      if (prepared == null) {
        deleteMade(made);
      }
    }
  }

  private static void createFolders(Path data) throws IOException {
    try {
      PrivateFiles.createFolders(data);
    } catch (IOException e) {
      throw FileFailures.during("create the data directory", data, e);
    }
  }

  private static StagedDirectory prepare(Path data, boolean replace, List<Path> made)
      throws IOException {
    StoreLock lock = StoreLock.acquire(data);
    StagedDirectory prepared = null;
    try {
      deleteLeftovers(data);
      if (LmdbEnvironment.holdsStore(data) && !replace) {
        throw new StoreException(data + " holds data already; --replace replaces it");
      }
      prepared = new StagedDirectory(data, makeBuilding(data), lock, made);
      return prepared;
    } finally {
      if (prepared == null) {
        release(data, lock, made);
      }
    }
  }

  /** Releases the lock, whose file goes with a directory that was made for nothing. */
  private static void release(Path data, @Nullable StoreLock lock, List<Path> made)
      throws IOException {
    try (lock) {
      if (made.contains(data)) {
        Files.deleteIfExists(data.resolve(StoreLock.FILE_NAME));
      }
    } finally {
      deleteMade(made);
    }
  }

  /** Deletes the folders that were made for nothing, unless others use them by now. */
  private static void deleteMade(List<Path> made) {
    try {
      for (Path folder : made) {
        Files.deleteIfExists(folder);
      }
    } catch (IOException _) {
      // A folder in use is left to its users; an empty one harms nobody.
    }
  }

  /**
   * Returns the folders that imports and restores of a data directory have left because they were
   * killed before the new data was in place. They may also be of one that goes on: see {@link
   * StoreLock#isHeld}.
   */
  public static List<Path> unfinished(Path dataDirectory) throws IOException {
    List<Path> unfinished = new ArrayList<>();
    for (Path leftover : leftovers(dataDirectory.toAbsolutePath().normalize())) {
      // A folder that is empty is of a job whose data is in place: see swap.
      try (DirectoryStream<Path> files = Files.newDirectoryStream(leftover)) {
        if (files.iterator().hasNext()) {
          unfinished.add(leftover);
        }
      }
    }
    return unfinished;
  }

  /**
   * Prepares the directory to build in beside a data directory that this process has open for
   * writing, so that it has the lock already.
   */
  public static StagedDirectory besideOpen(LmdbEnvironment environment) throws IOException {
    clean(environment);
    Path data = environment.directory().toAbsolutePath().normalize();
    return new StagedDirectory(data, makeBuilding(data));
  }

  /**
   * Prepares a folder with data that takes the place of those that this process has open. Whatever
   * is in it is deleted at the end.
   *
   * @param folder on the file system of the data
   */
  public static StagedDirectory besideOpen(LmdbEnvironment environment, Path folder) {
    return new StagedDirectory(environment.directory().toAbsolutePath().normalize(), folder);
  }

  /**
   * Deletes the remains of work that was killed beside a data directory that this process has open
   * for writing.
   */
  public static void clean(LmdbEnvironment environment) throws IOException {
    deleteLeftovers(environment.directory().toAbsolutePath().normalize());
  }

  /**
   * Returns the directory to build in: beside the data, or in it if that may be a mount of its own,
   * as is unknown below the root of a {@code chroot} that no mount begins at.
   */
  private static Path buildRoot(Path data) {
    Path parent = data.getParent();
    if (parent == null || !Files.isWritable(parent)) {
      return data;
    }
    try {
      FileStore one = Files.getFileStore(parent);
      return one.equals(Files.getFileStore(data)) ? parent : data;
    } catch (IOException _) {
      return data;
    }
  }

  private static void deleteLeftovers(Path data) throws IOException {
    for (Path leftover : leftovers(data)) {
      try {
        delete(leftover);
      } catch (IOException e) {
        throw FileFailures.during("delete what an unfinished job has left in", leftover, e);
      }
    }
  }

  private static List<Path> leftovers(Path data) throws IOException {
    List<Path> found = new ArrayList<>();
    addLeftovers(data, data, found);
    Path parent = data.getParent();
    if (parent != null) {
      addLeftovers(parent, data, found);
    }
    return found;
  }

  private static void addLeftovers(Path root, Path data, List<Path> all) throws IOException {
    String prefix = data.getFileName() + MARK;
    if (!Files.isReadable(root)) {
      return;
    }
    try (DirectoryStream<Path> found =
        Files.newDirectoryStream(root, path -> path.getFileName().toString().startsWith(prefix))) {
      for (Path leftover : found) {
        // A directory that is only linked to is not ours, and its contents even less so.
        if (Files.isDirectory(leftover, LinkOption.NOFOLLOW_LINKS)) {
          all.add(leftover);
        }
      }
    }
  }

  private static void delete(Path directory) throws IOException {
    deleteFiles(directory, "");
    Files.deleteIfExists(directory);
  }

  private static void deleteFiles(Path directory, String kept) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        if (!file.endsWith(kept)) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  public Path building() {
    return building;
  }

  /** Deletes what was built so far, to begin again; its environment must be closed. */
  public void empty() throws IOException {
    deleteFiles(building, "");
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
    guard.decide(this::replaceData);
  }

  private void replaceData() throws IOException {
    try {
      putInPlace();
    } catch (IOException e) {
      throw FileFailures.during("put the new data in place of the old in", data, e);
    }
  }

  private void putInPlace() throws IOException {
    // From here on only the data is in it: a folder that is left and empty is one whose data is in
    // place.
    deleteFiles(building, LmdbEnvironment.DATA_FILE);
    Path built = building.resolve(LmdbEnvironment.DATA_FILE);
    force(built, StandardOpenOption.WRITE);
    // Comes first: the old data's table of readers holds its last transaction number, and a process
    // that joined the readers through it would write over the new data. Data without a table gets a
    // new one.
    Files.deleteIfExists(data.resolve(LOCK_FILE));
    force(data, StandardOpenOption.READ);
    // The first start may be on a disk that is full by then.
    move(built, () -> ReaderTable.tryToMake(data, LmdbSettings.DEFAULT.maximumReaders()));
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
              + FileFailures.reason(e),
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

  /**
   * Deletes what this has made, as the process ends before the job does. The job's threads may
   * still create files meanwhile: the folder gets another name first, under which they find it no
   * more.
   */
  void abandon() {
    try {
      Path aside = building.resolveSibling(building.getFileName() + ENDED);
      Files.move(building, aside, StandardCopyOption.ATOMIC_MOVE);
      deleteWithLateFiles(aside);
      if (made.contains(data)) {
        Files.deleteIfExists(data.resolve(StoreLock.FILE_NAME));
      }
    } catch (IOException _) {
      // The next job deletes what is left.
    }
    deleteMade(made);
  }

  /** Deletes a folder in which files may appear that were being created when it was renamed. */
  private static void deleteWithLateFiles(Path folder) throws IOException {
    for (int tries = 1; ; tries++) {
      try {
        delete(folder);
        return;
      } catch (DirectoryNotEmptyException e) {
        if (tries == DELETE_TRIES) {
          throw e;
        }
      }
    }
  }

  /**
   * Deletes the rest of the directory to build in and releases the lock. Without a swap, folders
   * that were made for the data are deleted as well.
   */
  @Override
  public void close() throws IOException {
    guard.end(this::deleteRest);
  }

  private void deleteRest() throws IOException {
    if (isSwapped) {
      closeSwapped();
      return;
    }
    try {
      delete(building);
    } finally {
      release(data, lock, made);
    }
  }

  private void closeSwapped() {
    try (lock) {
      delete(building);
    } catch (IOException e) {
      throw new StoreException(
          "the new data is in place in "
              + data
              + ", but "
              + building
              + " cannot be deleted: "
              + FileFailures.reason(e),
          e);
    }
  }

  /**
   * The number of the last transaction in a data file of LMDB 0.9 on 64-bit machines, which is in
   * the first two pages: each has a header of 16 bytes and a description of the databases, and LMDB
   * uses the one with the higher number, which is even in the first page and odd in the second.
   *
   * <p>A compacted copy begins with number 1. The table of readers, and results that the server
   * remembers, go by the numbers of the store: the copy that takes its place goes on with them.
   *
   * <p>Stateless.
   */
  private static final class DataFileNumber {
    private static final int MAGIC = 0xBEEF_C0DE;
    private static final int HEADER_BYTES = 16;

    /** The length of the description: see {@code DataPages}. */
    private static final int META_BYTES = 136;

    private static final int PAGE_SIZE_AT = 24;
    private static final int NUMBER_AT = META_BYTES - 8;

    private DataFileNumber() {}

    /**
     * Gives the last transaction of a file another number; the file must be closed. Not forced to
     * the disk.
     *
     * @param number the number, 1 at least
     * @throws IOException if the file is of another kind or cannot be written to
     */
    static void set(Path file, long number) throws IOException {
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        ByteBuffer first = read(channel, HEADER_BYTES);
        int pageBytes = first.getInt(PAGE_SIZE_AT);
        ByteBuffer second = read(channel, (long) pageBytes + HEADER_BYTES);
        if (first.getInt(0) != MAGIC || second.getInt(0) != MAGIC) {
          throw new IOException(file + " is not a data file of LMDB");
        }
        ByteBuffer last = first.getLong(NUMBER_AT) > second.getLong(NUMBER_AT) ? first : second;
        for (int page = 0; page < 2; page++) {
          last.putLong(NUMBER_AT, number % 2 == page ? number : number - 1);
          write(channel, last, (long) page * pageBytes + HEADER_BYTES);
        }
      }
    }

    private static ByteBuffer read(FileChannel channel, long position) throws IOException {
      ByteBuffer bytes = ByteBuffer.allocate(META_BYTES).order(ByteOrder.LITTLE_ENDIAN);
      while (bytes.hasRemaining()) {
        if (channel.read(bytes, position + bytes.position()) < 0) {
          throw new EOFException("the data file ends within its first two pages");
        }
      }
      return bytes.flip();
    }

    private static void write(FileChannel channel, ByteBuffer bytes, long position)
        throws IOException {
      bytes.rewind();
      while (bytes.hasRemaining()) {
        int _ = channel.write(bytes, position + bytes.position());
      }
    }
  }
}
