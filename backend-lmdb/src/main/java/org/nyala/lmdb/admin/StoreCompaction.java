package org.nyala.lmdb.admin;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.CopyFlags;
import org.lmdbjava.CursorIterable;
import org.lmdbjava.Dbi;
import org.lmdbjava.LmdbException;
import org.lmdbjava.Stat;
import org.lmdbjava.Txn;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.env.ChangeJournal;
import org.nyala.lmdb.env.FileFailures;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.env.StagedDirectory;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.env.StoreFailures;

/**
 * Replaces the data file of an open store by a copy without free pages, while clients search and
 * change: the copy is made of a snapshot; the keys that are changed meanwhile are recorded and made
 * good in the copy, round by round; changes wait for the last and shortest round only, and reads
 * for the moment in which the files are exchanged.
 *
 * <p>Confined to one running operation, except for {@link #cancel}.
 */
public final class StoreCompaction {
  /** The rounds of which each must leave less than the one before. */
  private static final int ROUNDS = 8;

  /** The recorded keys with which the last round takes milliseconds. */
  private static final int FEW_KEYS = 2000;

  /** The attempts to exchange the files between reads; each takes two seconds at most. */
  private static final int ATTEMPTS = 5;

  /** Free space beyond the size of the copy, for the changes made good in it. */
  private static final long SPARE_BYTES = 16L << 20;

  private final LmdbBackend backend;
  private final LmdbEnvironment environment;
  private final LmdbSettings settings;

  /** The memory for recorded keys, after which changes wait until the copy is made. */
  private final long journalBytes;

  private final Listener listener;
  private volatile boolean isCancelled;
  private long heldNanos;

  /** The steps of a compaction, in their order. */
  public enum Step {
    /** The snapshot is copied. */
    COPYING,
    /** Recorded changes are made good in the copy. */
    CATCHING_UP,
    /** Changes are held up, and the last ones are made good. */
    HOLDING,
    /** The copy is complete and on disk; reads pause. */
    EXCHANGING,
    /** The copy is the data file. */
    EXCHANGED
  }

  /** A listener to the progress, called by the thread that compacts; throws no exception. */
  @FunctionalInterface
  public interface Listener {
    /**
     * Hears of a step that has begun or goes on.
     *
     * @param done bytes that were copied, or keys that were made good
     * @param total all of them; 0 if unknown
     */
    void at(Step step, long done, long total);
  }

  /**
   * The result.
   *
   * @param beforeBytes the size of the data file before
   * @param afterBytes its size afterwards
   * @param heldNanos the time for which changes were held up in the last round
   */
  public record Result(long beforeBytes, long afterBytes, long heldNanos) {}

  /**
   * Prepares the compaction of a store that this process has open for writing.
   *
   * @param settings the settings that it was opened with
   */
  public StoreCompaction(LmdbBackend backend, LmdbSettings settings, Listener listener) {
    this.backend = backend;
    this.environment = backend.environment();
    this.settings = settings;
    this.journalBytes = settings.compactionJournalBytes();
    this.listener = listener;
  }

  /**
   * Compacts the store.
   *
   * @throws StoreException if that fails: the old data goes on, unless the message says otherwise
   */
  public Result run() {
    try (StagedDirectory staged = StagedDirectory.besideOpen(environment)) {
      long before = Files.size(staged.dataFile());
      requireSpace(staged);
      copy(staged);
      exchange(staged);
      return new Result(before, Files.size(staged.dataFile()), heldNanos);
    } catch (IOException e) {
      throw new StoreException(
          "cannot compact " + environment.directory() + ": " + FileFailures.reason(e), e);
    } catch (LmdbException e) {
      throw environment.failure("compacting", e);
    } finally {
      record(null);
    }
  }

  /**
   * Gives the compaction up, as soon as LMDB has made its copy. Changes that were held up go on.
   * May be called by any thread.
   */
  public void cancel() {
    isCancelled = true;
    record(null);
  }

  private @Nullable ChangeJournal record(@Nullable ChangeJournal other) {
    return backend.gate().whileHeld(() -> backend.gate().record(other));
  }

  private void requireGoingOn() {
    if (isCancelled) {
      throw new StoreException("the compaction was given up; the data is as it was");
    }
  }

  private void requireSpace(StagedDirectory staged) throws IOException {
    long needed = SPARE_BYTES;
    try (ReadTransaction _ = backend.beginRead()) {
      needed += CompactCopy.liveBytes(environment);
    }
    long free = staged.building().toFile().getUsableSpace();
    if (free < needed) {
      throw new StoreException(
          "compacting needs "
              + needed
              + " bytes of disk for the copy, and "
              + (needed - free)
              + " of them are missing; nothing was changed");
    }
  }

  private void copy(StagedDirectory staged) throws IOException {
    backend.readers().beginLongRead();
    // While a read is open, the store is not closed, and its map is not moved.
    try (ReadTransaction _ = backend.beginRead()) {
      record(new ChangeJournal(environment, journalBytes));
      listener.at(Step.COPYING, 0, 0);
      CompactCopy.write(
          environment,
          staged.building(),
          "copy the data to " + staged.building(),
          (_, done, total) -> listener.at(Step.COPYING, done, total));
      Path file = staged.building().resolve(LmdbEnvironment.DATA_FILE);
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    } finally {
      backend.readers().endLongRead();
    }
  }

  private void exchange(StagedDirectory staged) throws IOException {
    // The system frees the pages of the old file when its last user closes it, a second for some
    // gibibytes: not while reads and changes wait.
    try (FileChannel _ = FileChannel.open(staged.dataFile(), StandardOpenOption.READ)) {
      exchangeInTime(staged);
    }
  }

  private void exchangeInTime(StagedDirectory staged) throws IOException {
    IOException[] failure = new IOException[1];
    boolean isDone = false;
    for (int attempt = 0; attempt < ATTEMPTS && !isDone && failure[0] == null; attempt++) {
      requireGoingOn();
      try (LmdbEnvironment copy = openCopy(staged)) {
        catchUp(copy);
        copy.sync();
        isDone = backend.gate().whileHeld(() -> exchangeHeld(staged, copy, failure));
      }
    }
    if (failure[0] != null) {
      throw failure[0];
    }
    if (!isDone) {
      throw new StoreException("a read has not ended in time to exchange the files; try again");
    }
  }

  private LmdbEnvironment openCopy(StagedDirectory staged) {
    long mapBytes = environment.env().info().mapSize;
    return LmdbEnvironment.open(
        staged.building(),
        settings
            .withMapSizeBytes(mapBytes)
            .with(draft -> draft.durability = LmdbSettings.Durability.NONE));
  }

  /** Makes recorded changes good until few are left, or until they do not become fewer. */
  private void catchUp(LmdbEnvironment copy) {
    int former = Integer.MAX_VALUE;
    for (int round = 0; round < ROUNDS; round++) {
      requireGoingOn();
      int count = round(copy, new ChangeJournal(environment, journalBytes));
      if (count < FEW_KEYS || count > former / 2) {
        return;
      }
      former = count;
    }
  }

  /** Takes the journal over and makes its changes good; returns the number of keys. */
  private int round(LmdbEnvironment copy, @Nullable ChangeJournal next) {
    backend.readers().beginLongRead();
    // While a read is open, the store is not closed.
    try (ReadTransaction _ = backend.beginRead();
        Cut cut = backend.gate().whileHeld(() -> cut(next))) {
      listener.at(Step.CATCHING_UP, 0, cut.journal().count());
      cut.journal().replay(cut.snapshot(), copy);
      return cut.journal().count();
    } finally {
      backend.readers().endLongRead();
    }
  }

  /** A journal that has ended, and the snapshot that contains its last change and no later one. */
  private record Cut(ChangeJournal journal, Txn<ByteBuffer> snapshot) implements AutoCloseable {
    @Override
    public void close() {
      snapshot.close();
    }
  }

  private Cut cut(@Nullable ChangeJournal next) {
    requireGoingOn();
    ChangeJournal journal = Objects.requireNonNull(backend.gate().record(next));
    return new Cut(journal, environment.beginRead());
  }

  /** Makes the last changes good and exchanges the files, while nothing is changed. */
  private boolean exchangeHeld(
      StagedDirectory staged, LmdbEnvironment copy, IOException[] failure) {
    long begunNanos = System.nanoTime();
    try {
      listener.at(Step.HOLDING, 0, 0);
      int _ = round(copy, new ChangeJournal(environment, journalBytes));
      requireEqual(copy);
      copy.sync();
      copy.close();
      staged.complete(environment.env().info().lastTransactionId);
      listener.at(Step.EXCHANGING, 0, 0);
      return backend.replaceFile(() -> staged.exchange(() -> listener.at(Step.EXCHANGED, 0, 0)));
    } catch (IOException e) {
      failure[0] = e;
      return false;
    } finally {
      heldNanos = System.nanoTime() - begunNanos;
    }
  }

  /** Requires that the copy has as many keys in each database, and the same description. */
  private void requireEqual(LmdbEnvironment copy) {
    List<Dbi<ByteBuffer>> ours = environment.databases();
    List<Dbi<ByteBuffer>> theirs = copy.databases();
    try (Txn<ByteBuffer> from = environment.beginRead();
        Txn<ByteBuffer> to = copy.beginRead()) {
      for (int i = 0; i < ours.size(); i++) {
        long expected = ours.get(i).stat(from).entries;
        long found = theirs.get(i).stat(to).entries;
        if (expected != found) {
          throw unequal(
              String.format(
                  Locale.ROOT,
                  "%d keys instead of %d in %s",
                  found,
                  expected,
                  LmdbEnvironment.DATABASES.get(i)));
        }
      }
      try (CursorIterable<ByteBuffer> all = environment.meta().iterate(from)) {
        for (CursorIterable.KeyVal<ByteBuffer> each : all) {
          if (!each.val().equals(copy.meta().get(to, each.key()))) {
            throw unequal("another description of the store");
          }
        }
      }
    }
  }

  private static StoreException unequal(String difference) {
    return new StoreException(
        "the copy has " + difference + "; it was discarded and the data is as it was");
  }

  /**
   * A copy of a store without its free pages, as of one moment.
   *
   * <p>Stateless.
   */
  static final class CompactCopy {
    private static final int POLL_MILLIS = 100;

    /** LMDB's two meta pages. */
    private static final int META_PAGES = 2;

    private CompactCopy() {}

    /**
     * The end of a copy that goes on: its environment must stay open for as long as the process
     * lives.
     */
    static final class AbandonedException extends RuntimeException {
      private static final long serialVersionUID = 1;

      private final RuntimeException reason;

      private AbandonedException(RuntimeException reason) {
        super(reason);
        this.reason = reason;
      }

      /** Returns the exception of the listener. */
      RuntimeException reason() {
        return reason;
      }
    }

    /**
     * Copies the data file of an environment, whose map must not grow meanwhile. An interrupt is
     * kept until the copy is complete: the environment must stay open until then.
     *
     * @param target an empty folder
     * @param purpose what cannot be done if the copy fails, for the message of that
     * @param progress receives the bytes that were copied; if it throws an exception, the copy is
     *     abandoned
     * @throws StoreException if the copy fails
     * @throws AbandonedException if the listener has thrown an exception: LMDB cannot be stopped,
     *     and goes on with the copy
     */
    static void write(
        LmdbEnvironment environment, Path target, String purpose, CopyProgress progress)
        throws IOException {
      long expected = liveBytes(environment);
      FutureTask<@Nullable Void> copying =
          new FutureTask<>(
              () -> environment.env().copy(target.toFile(), CopyFlags.MDB_CP_COMPACT), null);
      Thread.ofPlatform().daemon().name("nyala-backup").start(copying);
      Path file = target.resolve(LmdbEnvironment.DATA_FILE);
      boolean isInterrupted = false;
      boolean isDone = false;
      int pollMillis = 1;
      while (!isDone) {
        try {
          copying.get(pollMillis, TimeUnit.MILLISECONDS);
          isDone = true;
        } catch (TimeoutException _) {
          pollMillis = Math.min(2 * pollMillis, POLL_MILLIS);
          // An abandoned copy must have its file, which is deleted then.
          if (Files.exists(file)) {
            report(progress, Math.min(Files.size(file), expected), expected);
          }
        } catch (InterruptedException _) {
          isInterrupted = true;
        } catch (ExecutionException e) {
          restoreInterrupt(isInterrupted);
          throw failure(purpose, e.getCause());
        }
      }
      restoreInterrupt(isInterrupted);
    }

    private static void report(CopyProgress progress, long done, long total) {
      try {
        progress.update(CopyProgress.Phase.COPYING, done, total);
      } catch (RuntimeException e) {
        throw new AbandonedException(e);
      }
    }

    private static void restoreInterrupt(boolean isInterrupted) {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }

    private static StoreException failure(String purpose, @Nullable Throwable cause) {
      String reason =
          cause instanceof LmdbException known
              ? StoreFailures.copyReason(known)
              : String.valueOf(cause);
      return new StoreException(
          "cannot " + purpose + ": " + reason,
          cause == null ? new IllegalStateException(reason) : cause);
    }

    /** Returns the bytes of the pages in use; a copy has no others. */
    static long liveBytes(LmdbEnvironment environment) {
      try (Txn<ByteBuffer> txn = environment.beginRead()) {
        long pages = META_PAGES + 1L;
        int pageBytes = environment.pageBytes();
        for (Dbi<ByteBuffer> database : environment.databases()) {
          Stat stat = database.stat(txn);
          pages += stat.branchPages + stat.leafPages + stat.overflowPages;
        }
        return pages * pageBytes;
      }
    }
  }
}
