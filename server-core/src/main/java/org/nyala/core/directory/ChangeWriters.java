package org.nyala.core.directory;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.update.ChangeClock;
import org.nyala.core.update.ChangeListener;
import org.nyala.core.update.ChangePolicy;
import org.nyala.core.update.ChangeWriter;
import org.nyala.core.update.Update;

/**
 * The writers of all stores; each is started by the first update for its store.
 *
 * <p>Thread-safe.
 */
public final class ChangeWriters implements AutoCloseable {
  private final Supplier<ChangePolicy> policy;
  private final UpdateSettings settings;
  private final ChangeClock.@Nullable Steady steady;
  private final List<ChangeListener> listeners;
  private final ServerLimits.UpdateLimits limits;
  private final LongAdder refused = new LongAdder();
  private volatile Map<Backend, ChangeWriter> writers = Map.of();
  private volatile boolean closed;

  ChangeWriters(
      UpdateSettings settings,
      ServerLimits.UpdateLimits limits,
      Supplier<ChangePolicy> policy,
      List<ChangeListener> listeners) {
    this.policy = policy;
    this.settings = settings;
    this.steady = ChangeClock.Steady.beside(settings.clock());
    this.listeners = listeners;
    this.limits = limits;
  }

  /**
   * Takes an update; never blocks.
   *
   * @throws LdapOperationException busy if too many wait
   */
  public void submit(Backend backend, Update update) throws LdapOperationException {
    ChangeWriter known = writers.get(backend);
    ChangeWriter writer = known == null ? start(backend) : known;
    if (writer == null) {
      throw stopping();
    }
    if (!writer.submit(update)) {
      if (closed) {
        throw stopping();
      }
      refused.increment();
      throw new LdapOperationException(
          ResultCode.BUSY, "more than " + limits.writeQueue() + " updates wait");
    }
  }

  /**
   * Takes an update that goes before all that wait; never blocks.
   *
   * @return false if it cannot be taken; see {@link ChangeWriter#submitAhead}
   */
  public boolean submitAhead(Backend backend, Update update) {
    ChangeWriter known = writers.get(backend);
    ChangeWriter writer = known == null ? start(backend) : known;
    return writer != null && writer.submitAhead(update);
  }

  private static LdapOperationException stopping() {
    return new LdapOperationException(ResultCode.UNAVAILABLE, "the server stops");
  }

  /** Returns the server's number in change sequence numbers. */
  public int serverId() {
    return settings.serverId();
  }

  /**
   * Returns whether the histories of a store were continued since the start, by the first commit,
   * or need not be.
   */
  public boolean hasBegun(Backend backend) {
    ChangeWriter writer = writers.get(backend);
    return backend.isReplicated() || writer != null && writer.hasBegun();
  }

  /** Returns the number of waiting updates. */
  public int queued() {
    int queued = 0;
    for (ChangeWriter writer : writers.values()) {
      queued += writer.queued();
    }
    return queued;
  }

  /** Returns the reason why no change gets a number; null if there is none. */
  public @Nullable String leap() {
    for (ChangeWriter writer : writers.values()) {
      String leap = writer.leap();
      if (leap != null) {
        return leap;
      }
    }
    return null;
  }

  /** Returns the number of updates refused since the start because too many were waiting. */
  public long refused() {
    return refused.sum();
  }

  /**
   * Writes the waiting updates on the calling thread, if the writers have none of their own.
   *
   * @return false if they have, or nothing has been submitted yet
   */
  public boolean writeInTurn() {
    boolean isInTurn = false;
    for (ChangeWriter writer : writers.values()) {
      isInTurn |= writer.writeInTurn();
    }
    return isInTurn;
  }

  /**
   * Waits on a monitor for what the writers do, as {@link Object#wait(long)} does.
   *
   * @param monitor held by the caller; told when an update is answered
   */
  @SuppressWarnings("WaitNotInLoop") // Its callers have the loops.
  public void await(Object monitor, long millis) throws InterruptedException {
    if (!writeInTurn()) {
      monitor.wait(millis);
    }
  }

  /** Waits for an answer that a submitted update completes. */
  public <T> T await(CompletableFuture<T> answer) {
    boolean _ = writeInTurn();
    return answer.join();
  }

  private synchronized @Nullable ChangeWriter start(Backend backend) {
    ChangeWriter known = writers.get(backend);
    if (known != null || closed) {
      return known;
    }
    ChangeWriter started =
        ChangeWriter.start(
            backend,
            new ChangeWriter.Settings(
                limits.writeQueue(),
                limits.writeBatch(),
                settings.serverId(),
                settings.clock(),
                steady,
                settings.random(),
                settings.threads(),
                policy,
                listeners,
                settings.pace(),
                settings.contention()));
    Map<Backend, ChangeWriter> more = new HashMap<>(writers);
    more.put(backend, started);
    writers = more;
    return started;
  }

  /** Writes the waiting updates, then ends. Idempotent. */
  @Override
  public synchronized void close() {
    closed = true;
    writers.values().forEach(ChangeWriter::close);
  }
}
