package org.nyala.lmdb;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.lmdb.env.ChangeJournal;
import org.nyala.lmdb.env.LmdbEnvironment;

/**
 * The right to write to a store, and the journal of changes while a compaction copies it. A full
 * journal holds changes up until the compaction has taken it over.
 *
 * <p>Thread-safe.
 */
public final class WriterGate {
  private final LmdbEnvironment environment;
  private final ReentrantLock writing = new ReentrantLock(true);
  private final Condition isEmptied = writing.newCondition();
  private @Nullable ChangeJournal journal;

  WriterGate(LmdbEnvironment environment) {
    this.environment = environment;
  }

  /** Takes the right to write, once the journal has room. */
  void enter() {
    writing.lock();
    ChangeJournal current = journal;
    while (current != null && current.isFull()) {
      isEmptied.awaitUninterruptibly();
      current = journal;
    }
  }

  /** Takes the right to write if no thread has it; does not wait. */
  boolean tryEnter() {
    return writing.tryLock();
  }

  /** Returns whether changes are recorded; to be called within {@link #whileHeld}. */
  boolean isRecording() {
    return journal != null;
  }

  /** Gives the right to write back. */
  void leave() {
    writing.unlock();
  }

  /** Returns whether a thread has the right to write. */
  boolean isTaken() {
    return writing.isLocked();
  }

  /** Returns whether the calling thread has the right to write. */
  boolean isMine() {
    return writing.isHeldByCurrentThread();
  }

  /** Runs something while nothing is changed; changes wait for it. */
  public <T> T whileHeld(Supplier<T> work) {
    writing.lock();
    try {
      return work.get();
    } finally {
      writing.unlock();
    }
  }

  /**
   * Has changes recorded in a new journal; null ends that. To be called within {@link #whileHeld}.
   * Changes that the former journal has held up go on.
   *
   * @return the former journal; null if there was none
   */
  public @Nullable ChangeJournal record(@Nullable ChangeJournal other) {
    if (!isMine()) {
      throw new IllegalStateException("the journal is exchanged while nothing is changed");
    }
    ChangeJournal former = journal;
    journal = other;
    environment.journal(other);
    isEmptied.signalAll();
    return former;
  }
}
