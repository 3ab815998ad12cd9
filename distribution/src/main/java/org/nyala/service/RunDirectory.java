package org.nyala.service;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.nyala.config.NyalaConfig;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.lmdb.env.FileFailures;
import org.nyala.lmdb.env.PrivateFiles;

/**
 * The folder with the run files of a data directory, {@code run} in it unless configured otherwise:
 * the process that serves it, and whether that is ready.
 *
 * <p>A server holds a lock on {@code nyala.lock} for as long as it lives. The lock ends with the
 * process in any case, so a pid file left behind by a killed server means nothing, even if its
 * number has been given to another process.
 *
 * <p>{@code nyala.spare} keeps room for the other files: it is deleted if the disk is full when a
 * server starts, so that commands find that server.
 *
 * <p>Immutable.
 */
public final class RunDirectory {
  private static final System.Logger LOG = System.getLogger(RunDirectory.class.getName());

  /** The attempts to take a lock that no server is known to hold, and the pause between two. */
  private static final int MOST_TRIES = 100;

  private static final long PAUSE_NANOS = 10_000_000;

  /** The bytes that the pid file and that of the listeners take at most, in blocks of a disk. */
  private static final int SPARE_BYTES = 16_384;

  /** The server that holds the lock, as far as it is known. */
  public record Holder(long pid, List<String> listeners) {
    /** Returns whether it accepts connections. */
    public boolean isReady() {
      return !listeners.isEmpty();
    }

    /**
     * Returns whether its pid is not known: it starts at this moment, or its disk was full then.
     */
    boolean isUnnamed() {
      return pid == 0;
    }
  }

  private final Path directory;
  private final Path data;

  /** Creates the description of the folder inside a data directory. */
  public RunDirectory(Path data) {
    this(data.resolve("run"), data);
  }

  /** Creates the description of a folder for the run files of a data directory. */
  public RunDirectory(Path directory, Path data) {
    this.directory = directory;
    this.data = data;
  }

  /** Returns the folder that a configuration names, or the one in its data directory. */
  public static RunDirectory of(NyalaConfig configuration) {
    Path data = configuration.data();
    return configuration
        .run()
        .map(folder -> new RunDirectory(folder, data))
        .orElseGet(() -> new RunDirectory(data));
  }

  /** Returns the file of the server's counters; it does not exist after an orderly stop. */
  public Path countersFile() {
    return directory.resolve("nyala.counters");
  }

  /** Returns the file that a server in the background logs to. */
  Path logFile() {
    return directory.resolve("nyala.log");
  }

  /** Makes the folder where it is missing. */
  void create() {
    try {
      PrivateFiles.createFolders(directory);
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.UNWRITABLE, "cannot create the folder " + directory + ": " + reason(e));
    }
  }

  /**
   * Takes the lock for this process and writes the pid file.
   *
   * @throws CommandException if a server already runs here, or the files cannot be written
   */
  public Lease acquire() {
    create();
    try {
      FileChannel channel = openLockFile();
      if (!isLocked(channel)) {
        channel.close();
        throw alreadyRunning();
      }
      Files.deleteIfExists(listenersFile());
      // That of a server that was killed, which the next line may be unable to write over.
      Files.deleteIfExists(pidFile());
      tryWrite(pidFile(), ProcessHandle.current().pid() + "\n");
      return new Lease(channel);
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.UNWRITABLE, "cannot write in " + directory + ": " + reason(e));
    }
  }

  /**
   * Takes the lock; tries again while no server is known by its pid, as a check holds the lock for
   * a moment.
   */
  private boolean isLocked(FileChannel channel) throws IOException {
    for (int i = 0; i < MOST_TRIES; i++) {
      if (tryLock(channel, false) != null) {
        return true;
      }
      if (readPid() != 0) {
        return false;
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return false;
  }

  /** Returns the server that runs here; nothing if there is none. */
  public Optional<Holder> holder() {
    if (!Files.exists(lockFile())) {
      return Optional.empty();
    }
    try (FileChannel channel = FileChannel.open(lockFile())) {
      @Nullable FileLock lock = tryLock(channel, true);
      if (lock != null) {
        return Optional.empty();
      }
      return Optional.of(new Holder(readPid(), readListeners()));
    } catch (IOException e) {
      throw CommandException.failed("cannot read " + directory + ": " + reason(e));
    }
  }

  /** Throws if a server runs here. */
  public void requireFree() {
    if (holder().isPresent()) {
      throw alreadyRunning();
    }
  }

  private CommandException alreadyRunning() {
    String pid = "";
    try {
      pid = " (pid " + readPid() + ")";
    } catch (IOException e) {
      // The message omits it.
    }
    return new CommandException(
        ExitCode.ALREADY_RUNNING, "a server already runs on " + data.toAbsolutePath() + pid);
  }

  /*
   * A shared lock suffices for a check, but a process that starts at that moment would conclude that
   * a server runs; so the lock is held as briefly as possible, and exclusively by servers only.
   */
  private static @Nullable FileLock tryLock(FileChannel channel, boolean shared)
      throws IOException {
    try {
      return channel.tryLock(0, Long.MAX_VALUE, shared);
    } catch (OverlappingFileLockException e) {
      return null;
    }
  }

  private FileChannel openLockFile() throws IOException {
    PrivateFiles.closeToOthers(lockFile());
    return PrivateFiles.open(
        lockFile(), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  private long readPid() throws IOException {
    try {
      return Long.parseLong(Files.readString(pidFile()).strip());
    } catch (NumberFormatException | NoSuchFileException e) {
      return 0;
    }
  }

  private List<String> readListeners() throws IOException {
    try {
      return Files.readAllLines(listenersFile());
    } catch (NoSuchFileException e) {
      return List.of();
    }
  }

  /** Writes a file; without it the server goes on if only the disk is full, so that it is read. */
  private void tryWrite(Path file, String text) throws IOException {
    try {
      write(file, UTF_8.encode(text));
    } catch (IOException e) {
      if (!FileFailures.isOfSpace(e)) {
        throw e;
      }
      Files.deleteIfExists(aside(file));
      if (Files.deleteIfExists(spareFile())) {
        tryWrite(file, text);
        return;
      }
      LOG.log(
          Level.WARNING,
          "serving without {0}, by which ''nyala status'' and ''stop'' find the server: {1}",
          file,
          reason(e));
    }
  }

  /** Keeps room for the next start, if there is any. */
  private void trySpare() {
    try {
      if (!Files.exists(spareFile())) {
        // Of bytes that no file system makes smaller.
        byte[] bytes = new byte[SPARE_BYTES];
        new SplittableRandom().nextBytes(bytes);
        write(spareFile(), ByteBuffer.wrap(bytes));
      }
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "no room can be kept in {0}: {1}", directory, reason(e));
      deleteQuietly(aside(spareFile()));
    }
  }

  private static void deleteQuietly(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException _) {
      // It is written over by the next start.
    }
  }

  private static Path aside(Path file) {
    return file.resolveSibling(file.getFileName() + ".new");
  }

  /* Written aside and renamed, so that a reader sees all or nothing. */
  private static void write(Path file, ByteBuffer bytes) throws IOException {
    Path aside = aside(file);
    Files.deleteIfExists(aside);
    try (FileChannel channel =
        PrivateFiles.open(aside, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      while (bytes.hasRemaining()) {
        int _ = channel.write(bytes);
      }
    }
    Files.move(aside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private static String reason(IOException e) {
    return ErrorMessages.reason(e);
  }

  private Path lockFile() {
    return directory.resolve("nyala.lock");
  }

  private Path pidFile() {
    return directory.resolve("nyala.pid");
  }

  private Path spareFile() {
    return directory.resolve("nyala.spare");
  }

  private Path listenersFile() {
    return directory.resolve("nyala.listeners");
  }

  /** The lock of a serving process. Confined to the thread that serves. */
  public final class Lease implements AutoCloseable {
    private final FileChannel channel;

    private Lease(FileChannel channel) {
      this.channel = channel;
    }

    /** Publishes that the server accepts connections. */
    public void ready(List<String> listeners) {
      try {
        tryWrite(listenersFile(), String.join("\n", listeners) + "\n");
        trySpare();
      } catch (IOException e) {
        throw CommandException.failed("cannot write in " + directory + ": " + reason(e));
      }
    }

    /** Deletes the files, then releases the lock. */
    @Override
    public void close() {
      try (channel) {
        Files.deleteIfExists(listenersFile());
        Files.deleteIfExists(pidFile());
        Files.deleteIfExists(countersFile());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
