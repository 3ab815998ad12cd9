package org.nyala.lmdb.admin;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.CopyFlags;
import org.lmdbjava.Dbi;
import org.lmdbjava.LmdbException;
import org.lmdbjava.Stat;
import org.lmdbjava.Txn;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.env.StoreFailures;

/**
 * A copy of a store without its free pages, as of one moment.
 *
 * <p>Stateless.
 */
final class CompactCopy {
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
   * Copies the data file of an environment, whose map must not grow meanwhile. An interrupt is kept
   * until the copy is complete: the environment must stay open until then.
   *
   * @param target an empty folder
   * @param purpose what cannot be done if the copy fails, for the message of that
   * @param progress receives the bytes that were copied; if it throws an exception, the copy is
   *     abandoned
   * @throws StoreException if the copy fails
   * @throws AbandonedException if the listener has thrown an exception: LMDB cannot be stopped, and
   *     goes on with the copy
   */
  static void write(LmdbEnvironment environment, Path target, String purpose, CopyProgress progress)
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
