package org.nyala.lmdb;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The readers of one store, and the gate through which reads begin: shut for a moment while the map
 * grows or the data file is replaced, and for good once the store is closed.
 *
 * <p>Thread-safe. Each platform thread keeps one reader, which goes to another thread when its own
 * has ended. Virtual threads are many and short-lived: they share a list of readers, and wait if
 * they would take more than half of LMDB's reader slots.
 *
 * <p>A read that begins while the store is being closed never touches memory that LMDB has
 * released: a reader first marks itself as reading and then checks whether the gate is shut, and
 * {@link #close} first shuts the gate and then waits for the readers that are so marked.
 */
public final class ReaderPool {
  /** The longest time for which reads may hold up a growing map; they take milliseconds. */
  private static final int PAUSE_WAIT_MILLIS = 2000;

  /** The state that a read finds when it is about to begin. */
  private enum Gate {
    OPEN,
    PAUSED,
    CLOSED
  }

  private record Owned(LmdbReader reader, @Nullable WeakReference<Thread> owner) {
    boolean isOrphan() {
      if (owner == null) {
        return false;
      }
      Thread thread = owner.get();
      return thread == null || !thread.isAlive();
    }
  }

  private final Supplier<LmdbReader> factory;
  private final int sharedMaximum;
  private final ThreadLocal<LmdbReader> ofThread = ThreadLocal.withInitial(this::claimForThread);
  private final Object lock = new Object();
  private final List<Owned> readers = new ArrayList<>();
  private int shared;
  private int waitingForShared;
  private @Nullable LmdbReader free;
  private volatile Gate gate = Gate.OPEN;
  private boolean isReleased;
  private int longReads;

  /**
   * Opens a pool without readers.
   *
   * @param sharedMaximum the number of readers that virtual threads may share
   * @param factory makes a reader
   */
  ReaderPool(int sharedMaximum, Supplier<LmdbReader> factory) {
    this.sharedMaximum = sharedMaximum;
    this.factory = factory;
  }

  /** Begins a read with a reader that belongs to the calling thread until it closes it. Hot. */
  public LmdbReader begin() {
    while (true) {
      if (gate != Gate.OPEN) {
        awaitOpen();
      }
      LmdbReader reader = Thread.currentThread().isVirtual() ? takeFree() : ofThread.get();
      if (reader.begin()) {
        return reader;
      }
      giveBack(reader);
    }
  }

  /** Takes a reader back that has not begun, because reads pause or it was retired. */
  private void giveBack(LmdbReader reader) {
    if (!reader.isRetired()) {
      release(reader);
    } else if (!Thread.currentThread().isVirtual()) {
      ofThread.remove();
    }
  }

  /** Waits while the map grows or the data file is replaced. */
  private void awaitOpen() {
    boolean isInterrupted = false;
    synchronized (lock) {
      while (gate == Gate.PAUSED) {
        try {
          lock.wait();
        } catch (InterruptedException _) {
          isInterrupted = true;
        }
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
    requireOpen();
  }

  /** Returns whether reads have to wait. */
  boolean isPaused() {
    return gate == Gate.PAUSED;
  }

  /** Throws an {@link IllegalStateException} once the store is closed, or is about to be. */
  void requireOpen() {
    if (gate == Gate.CLOSED) {
      throw new IllegalStateException("the store is closed");
    }
  }

  private LmdbReader claimForThread() {
    synchronized (lock) {
      requireOpen();
      WeakReference<Thread> owner = new WeakReference<>(Thread.currentThread());
      for (int i = 0; i < readers.size(); i++) {
        if (readers.get(i).isOrphan() && !readers.get(i).reader().isReading()) {
          LmdbReader reader = readers.get(i).reader();
          readers.set(i, new Owned(reader, owner));
          return reader;
        }
      }
      return add(owner);
    }
  }

  private LmdbReader takeFree() {
    synchronized (lock) {
      requireOpen();
      awaitShared();
      LmdbReader reader = free;
      if (reader == null) {
        LmdbReader added = add(null);
        shared++;
        return added;
      }
      free = reader.nextFree();
      reader.linkFree(null);
      return reader;
    }
  }

  /** Waits for a reader to be given back if there cannot be more. */
  private void awaitShared() {
    boolean isInterrupted = false;
    while (free == null && shared >= sharedMaximum) {
      waitingForShared++;
      try {
        lock.wait();
      } catch (InterruptedException _) {
        isInterrupted = true;
      } finally {
        waitingForShared--;
      }
      requireOpen();
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private LmdbReader add(@Nullable WeakReference<Thread> owner) {
    LmdbReader reader = factory.get();
    readers.add(new Owned(reader, owner));
    return reader;
  }

  /** Takes a reader back after a read. */
  void release(LmdbReader reader) {
    if (Thread.currentThread().isVirtual()) {
      synchronized (lock) {
        if (!reader.isRetired()) {
          reader.linkFree(free);
          free = reader;
          wakeForShared();
        }
      }
    }
  }

  private void wakeForShared() {
    if (waitingForShared > 0) {
      lock.notifyAll();
    }
  }

  /**
   * Frees all readers, so that each thread's next read begins with another one. To be called within
   * {@link #whileQuiet}.
   */
  void retire() {
    synchronized (lock) {
      readers.forEach(owned -> owned.reader().retire());
      readers.clear();
      free = null;
      shared = 0;
    }
  }

  /** Lets no more reads begin, as in {@link #close}, which has to follow. */
  void shut() {
    synchronized (lock) {
      gate = Gate.CLOSED;
      lock.notifyAll();
    }
  }

  /** Discards a reader that cannot read any more; the next read gets another one. */
  void drop(LmdbReader reader) {
    if (!Thread.currentThread().isVirtual()) {
      ofThread.remove();
    }
    synchronized (lock) {
      readers.removeIf(owned -> owned.reader() == reader);
      boolean wasRetired = reader.isRetired();
      reader.dispose();
      if (Thread.currentThread().isVirtual() && !wasRetired) {
        shared--;
        wakeForShared();
      }
    }
  }

  /** Examines the readers and other open resources, which are not closed meanwhile. */
  <T> T whileOpen(Function<Stream<LmdbReader>, T> look) {
    synchronized (lock) {
      requireOpen();
      return look.apply(readers.stream().map(Owned::reader));
    }
  }

  /** Notes that a long read begins: until it ends, no thread waits in vain for all reads to end. */
  public void beginLongRead() {
    synchronized (lock) {
      longReads++;
    }
  }

  public void endLongRead() {
    synchronized (lock) {
      longReads--;
    }
  }

  /** Runs {@code work} while nothing is read; false if a read does not end in time. */
  boolean whileQuiet(Runnable work) {
    synchronized (lock) {
      if (gate != Gate.OPEN || longReads > 0) {
        return false;
      }
      gate = Gate.PAUSED;
      try {
        boolean isQuiet = awaitQuiet(PAUSE_WAIT_MILLIS, this::isAnyReading);
        if (!isQuiet || gate == Gate.CLOSED) {
          return false;
        }
        work.run();
        return true;
      } finally {
        gate = gate == Gate.PAUSED ? Gate.OPEN : gate;
        lock.notifyAll();
      }
    }
  }

  /**
   * Shuts the gate and frees the readers when none reads and nothing is written. Idempotent.
   *
   * @param isWriting returns whether a transaction is open that changes the store
   * @param freeing run once the readers are free
   * @throws IllegalStateException if a read does not end in time, or is the calling thread's own;
   *     in the latter case nothing has changed
   */
  void close(int waitMillis, BooleanSupplier isWriting, Runnable freeing) {
    synchronized (lock) {
      if (isReleased) {
        return;
      }
      requireNoOwnRead();
      gate = Gate.CLOSED;
      lock.notifyAll();
      BooleanSupplier isAnythingOpen = () -> isAnyReading() || isWriting.getAsBoolean();
      if (!awaitQuiet(waitMillis, isAnythingOpen)) {
        throw new IllegalStateException(
            "a read of the store has not ended within " + waitMillis + " ms: it stays open");
      }
      isReleased = true;
      readers.forEach(owned -> owned.reader().dispose());
      readers.clear();
      free = null;
      freeing.run();
    }
    // Its reader refers to this pool: in a thread that lives on, both would stay.
    ofThread.remove();
  }

  private void requireNoOwnRead() {
    for (Owned owned : readers) {
      WeakReference<Thread> owner = owned.owner();
      boolean isOwn = owner != null && owner.refersTo(Thread.currentThread());
      if (isOwn && owned.reader().isReading()) {
        throw new IllegalStateException("the store is closed while the same thread reads it");
      }
    }
  }

  /*
   * Waiting releases the lock, which readers need to end. They do not notify: ending a read must
   * not take a lock for the sake of a rare event.
   */
  private boolean awaitQuiet(int waitMillis, BooleanSupplier isBusy) {
    boolean isInterrupted = false;
    boolean isQuiet = !isBusy.getAsBoolean();
    for (int i = 0; i < waitMillis && !isQuiet; i++) {
      try {
        lock.wait(1);
      } catch (InterruptedException _) {
        isInterrupted = true;
      }
      isQuiet = !isBusy.getAsBoolean();
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
    return isQuiet;
  }

  private boolean isAnyReading() {
    for (Owned owned : readers) {
      if (owned.reader().isReading()) {
        return true;
      }
    }
    return false;
  }
}
