package org.nyala.lmdb.ldif;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Semaphore;
import org.nyala.core.contention.Threads;

/**
 * A thread that has the system write a data file to the disk while an import goes on, so that its
 * end does not wait for all of it. It ensures nothing: the import waits for the disk itself,
 * through another descriptor, and learns of failures there.
 *
 * <p>Thread-safe, but for {@link #close}.
 */
final class ImportWriteBack implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ImportWriteBack.class.getName());

  private final Path file;
  private final Semaphore requests = new Semaphore(0);
  private final Thread thread;
  private volatile boolean isClosed;

  /** Creates an object for an existing file. */
  ImportWriteBack(Path file) {
    this.file = file;
    thread = Thread.ofPlatform().daemon().name("nyala-write-back").start(this::run);
  }

  /** Has everything written that is in the file now, without waiting for it. */
  void request() {
    requests.release();
  }

  private void run() {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      while (true) {
        requests.acquireUninterruptibly();
        requests.drainPermits();
        if (isClosed) {
          return;
        }
        channel.force(false);
      }
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "the data file is not written ahead", e);
    }
  }

  /** Ends the thread, after the writing under way. */
  @Override
  public void close() {
    isClosed = true;
    requests.release();
    Threads.join(thread);
  }
}
