package org.nyala.lmdb.ldif;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Threads that read and prepare batches while another one stores them, in the order of the input.
 *
 * <p>Thread-safe: one thread takes batches and gives them back. There are as many batches as there
 * is work for, so that a fast reader waits for a slow store.
 */
final class ImportPipeline implements AutoCloseable {
  private static final int BATCHES_BESIDES_THREADS = 3;

  private final ImportInput input;
  private final BlockingQueue<ImportBatch> free;
  private final BlockingQueue<CompletableFuture<@Nullable ImportBatch>> prepared;
  private final ReentrantLock reading = new ReentrantLock();
  private final List<Thread> threads = new ArrayList<>();
  private boolean ended;

  /** Starts a thread for every preparer. */
  ImportPipeline(ImportInput input, List<ImportPreparer> preparers, int capacity, int multiplier) {
    this.input = input;
    int batches = preparers.size() + BATCHES_BESIDES_THREADS;
    this.free = new ArrayBlockingQueue<>(batches);
    this.prepared = new ArrayBlockingQueue<>(batches + preparers.size());
    for (int i = 0; i < batches; i++) {
      free.add(new ImportBatch(capacity, multiplier));
    }
    for (ImportPreparer preparer : preparers) {
      threads.add(
          Thread.ofPlatform()
              .daemon()
              .name("import-" + threads.size())
              .unstarted(() -> run(preparer)));
    }
    threads.forEach(Thread::start);
  }

  private void run(ImportPreparer preparer) {
    try {
      boolean more = true;
      while (more) {
        more = prepareNext(preparer, free.take());
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean prepareNext(ImportPreparer preparer, ImportBatch batch)
      throws InterruptedException {
    CompletableFuture<@Nullable ImportBatch> promise = new CompletableFuture<>();
    try {
      if (!read(batch, promise)) {
        return false;
      }
      preparer.prepare(batch);
      promise.complete(batch);
      return true;
    } catch (IOException | RuntimeException | Error e) {
      promise.completeExceptionally(e);
      return false;
    }
  }

  /** Reads under the lock, so that promises are in the order of the input. */
  private boolean read(ImportBatch batch, CompletableFuture<@Nullable ImportBatch> promise)
      throws IOException, InterruptedException {
    reading.lockInterruptibly();
    try {
      if (ended) {
        free.add(batch);
        return false;
      }
      prepared.put(promise);
      if (!input.next(batch)) {
        ended = true;
        promise.complete(null);
        free.add(batch);
        return false;
      }
      return true;
    } finally {
      reading.unlock();
    }
  }

  /** Waits for the next batch; null if there is none. */
  @Nullable ImportBatch take() throws IOException {
    try {
      return prepared.take().get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the import was interrupted", e);
    } catch (ExecutionException e) {
      throw rethrow(e.getCause());
    }
  }

  private static IOException rethrow(@Nullable Throwable cause) {
    return switch (cause) {
      case IOException io -> io;
      case RuntimeException unexpected -> throw unexpected;
      case Error error -> throw error;
      case null, default -> new IOException("the import failed", cause);
    };
  }

  /** Gives back a batch to be filled again. */
  void release(ImportBatch batch) {
    free.add(batch);
  }

  /** Ends the threads; one that waits for standard input is left behind. */
  @Override
  public void close() {
    threads.forEach(Thread::interrupt);
    try {
      for (Thread thread : threads) {
        thread.join(Duration.ofSeconds(2));
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
