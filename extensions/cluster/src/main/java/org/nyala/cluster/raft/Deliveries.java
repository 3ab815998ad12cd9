package org.nyala.cluster.raft;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.LogPosition;
import org.nyala.cluster.ReplicatedLog.Member;
import org.nyala.cluster.ReplicatedLog.Outcome;

/**
 * The events of the log on their way to the state: one thread calls it, in the order in which they
 * were told. Thread-safe.
 *
 * <p>Ratis tells them on threads of its own, partly under its lock: none of them waits here, but
 * for space when the state is far behind.
 */
final class Deliveries implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Deliveries.class.getName());

  /** The bytes of entries that wait for the state before the log waits: memory is bounded. */
  private static final long MOST_WAITING_BYTES = 64L << 20;

  private static final int MOST_WAITING_ENTRIES = 8_192;

  private final Member member;
  private final LinkedBlockingQueue<Runnable> events = new LinkedBlockingQueue<>();
  private final Thread thread;
  private final Runnable ending;
  private final ArrayDeque<Step> steps = new ArrayDeque<>();
  private final NavigableMap<Long, List<CompletableFuture<LogPosition>>> waiters = new TreeMap<>();

  /** The entries that are not applied: Ratis ends only once each of their futures is complete. */
  private final Map<Long, CompletableFuture<Void>> open = new ConcurrentHashMap<>();

  private volatile LogPosition applied;
  private volatile boolean isLeading;
  private volatile @Nullable Throwable failure;
  private long waitingBytes;
  private int waitingEntries;
  private long endedTerm = -1;
  private long startedTerm = -1;
  private boolean isClosed;

  /** Confined to the thread of the deliveries. */
  private boolean isTold;

  /** An event that moves the applied place once it is done. */
  private static final class Step {
    final LogPosition at;
    boolean isDone;

    Step(LogPosition at) {
      this.at = at;
    }
  }

  /**
   * Creates deliveries, not started.
   *
   * @param ending ends the log, once and without waiting, when the state or the log has failed
   */
  Deliveries(Member member, String name, Runnable ending) {
    this.member = member;
    this.ending = ending;
    this.applied = member.applied();
    this.thread = Thread.ofPlatform().name("nyala-cluster-" + name).daemon().unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /** Returns the place up to which the state has everything. */
  LogPosition applied() {
    return applied;
  }

  /** Returns whether the state has been told that it leads. */
  boolean isLeading() {
    return isLeading;
  }

  @Nullable Throwable failure() {
    return failure;
  }

  /**
   * Takes a committed entry; waits while too many wait for the state.
   *
   * @param proposal the proposal of this member that it is; null if of another
   * @return a future that completes once it is applied, or fails when nothing more is
   */
  CompletableFuture<Void> committed(LogPosition at, ByteBuffer entry, @Nullable Proposal proposal) {
    int bytes = entry.remaining();
    CompletableFuture<Void> done = new CompletableFuture<>();
    if (!admit(bytes)) {
      done.completeExceptionally(ended());
      return done; // the entry is applied after the next start
    }
    open.put(at.index(), done);
    var _ = done.whenComplete((ignored, e) -> open.remove(at.index()));
    events.add(() -> deliver(at, entry, bytes, proposal, done));
    return done;
  }

  private synchronized boolean admit(int bytes) {
    boolean isInterrupted = false;
    while (!isClosed
        && failure == null
        && waitingEntries > 0
        && (waitingBytes + bytes > MOST_WAITING_BYTES || waitingEntries >= MOST_WAITING_ENTRIES)) {
      try {
        wait();
      } catch (InterruptedException e) {
        isInterrupted = true;
        break;
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
    if (isClosed || failure != null || isInterrupted) {
      return false;
    }
    waitingBytes += bytes;
    waitingEntries++;
    return true;
  }

  private void deliver(
      LogPosition at,
      ByteBuffer entry,
      int bytes,
      @Nullable Proposal proposal,
      CompletableFuture<Void> done) {
    if (failure != null) {
      done.completeExceptionally(ended());
      return;
    }
    if (at.index() <= applied.index()) {
      free(bytes);
      done.complete(null); // a copy that was fetched has it
      tell(proposal);
      return;
    }
    Step step = add(at);
    CompletionStage<Void> stage;
    try {
      stage = member.committed(at, entry);
    } catch (RuntimeException | Error e) {
      stage = CompletableFuture.failedFuture(e);
    }
    tell(proposal);
    stage.whenComplete(
        (ignored, e) -> {
          free(bytes);
          if (e == null) {
            finish(step);
            done.complete(null);
          } else {
            fail(new RaftException("The state could not take entry " + at.index() + ".", e));
            done.completeExceptionally(e);
          }
        });
  }

  private synchronized void free(int bytes) {
    waitingBytes -= bytes;
    waitingEntries--;
    notifyAll();
  }

  /** Takes a place without an entry for the state. */
  void passed(LogPosition at) {
    events.add(
        () -> {
          if (failure != null) {
            return;
          }
          if (at.index() > applied.index()) {
            Step step = add(at);
            guarded(() -> member.passed(at));
            finish(step);
          }
        });
  }

  private static void tell(@Nullable Proposal proposal) {
    if (proposal != null && proposal.delivered()) {
      proposal.outcome().complete(Outcome.COMMITTED);
    }
  }

  private Step add(LogPosition at) {
    Step step = new Step(at);
    synchronized (this) {
      steps.add(step);
    }
    return step;
  }

  /** Moves the applied place over all steps that are done, and releases who waits for it. */
  private void finish(Step step) {
    List<CompletableFuture<LogPosition>> released = new ArrayList<>();
    LogPosition now;
    synchronized (this) {
      step.isDone = true;
      while (!steps.isEmpty() && steps.peek().isDone) {
        applied = steps.remove().at;
      }
      now = applied;
      while (!waiters.isEmpty() && waiters.firstKey() <= now.index()) {
        released.addAll(waiters.pollFirstEntry().getValue());
      }
    }
    released.forEach(waiter -> waiter.complete(now));
  }

  /** Returns a future that completes once the state has everything up to an index. */
  CompletableFuture<LogPosition> reached(long index) {
    CompletableFuture<LogPosition> waiter = new CompletableFuture<>();
    synchronized (this) {
      if (applied.index() < index) {
        waiters.computeIfAbsent(index, k -> new ArrayList<>()).add(waiter);
        return waiter;
      }
    }
    waiter.complete(applied);
    return waiter;
  }

  /** Takes the beginning of leadership; told late, after its end, it is dropped. */
  synchronized void leads(long term) {
    if (term <= endedTerm) {
      return;
    }
    startedTerm = term;
    events.add(
        () -> {
          synchronized (this) {
            if (term <= endedTerm) {
              return; // it ended while entries were applied: its end is queued after this
            }
            isLeading = true;
          }
          isTold = true;
          guarded(() -> member.leads(term));
        });
  }

  /** Takes the end of leadership. */
  synchronized void follows(long term) {
    endedTerm = Math.max(endedTerm, term);
    isLeading = false;
    if (startedTerm < 0) {
      return;
    }
    startedTerm = -1;
    events.add(
        () -> {
          if (isTold) {
            isTold = false;
            guarded(member::follows);
          }
        });
  }

  /**
   * Takes the outcome of a proposal of which nothing more will be heard, or not in time.
   *
   * @param isOverdue whether it ends even if its entry is on its way to the state
   */
  void outcome(Proposal proposal, boolean isOverdue) {
    events.add(
        () -> {
          Outcome given = proposal.given(isOverdue);
          if (given != null) {
            proposal.outcome().complete(given);
          }
        });
  }

  /** Has the state fetch a copy; what was told before is delivered before, the rest after it. */
  CompletableFuture<LogPosition> copy(LogPosition first) {
    CompletableFuture<LogPosition> done = new CompletableFuture<>();
    events.add(
        () -> {
          if (failure != null) {
            done.completeExceptionally(new RaftException("The member's log has failed."));
            return;
          }
          try {
            LogPosition at = member.copy(first).toCompletableFuture().get();
            if (at.index() < applied.index()) {
              throw new RaftException(
                  "The copy ends at entry "
                      + at.index()
                      + ", before the state, which ends at "
                      + applied.index()
                      + ".");
            }
            synchronized (this) {
              steps.clear();
              applied = at;
            }
            finish(new Step(at));
            done.complete(at);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            done.completeExceptionally(e);
          } catch (RaftException | ExecutionException | RuntimeException e) {
            LOG.log(
                System.Logger.Level.WARNING,
                "The copy of another member''s state could not be fetched: {0}",
                String.valueOf(root(e).getMessage()));
            done.completeExceptionally(e);
          }
        });
    return done;
  }

  private static RaftException ended() {
    return new RaftException("The member takes no more entries.");
  }

  private static Throwable root(Throwable e) {
    Throwable at = e;
    while (at.getCause() != null) {
      at = at.getCause();
    }
    return at;
  }

  /** Ends deliveries for good and tells the state why; once. */
  void fail(Throwable cause) {
    synchronized (this) {
      if (failure != null || isClosed) {
        return;
      }
      failure = cause;
      isLeading = false;
      notifyAll();
    }
    release();
    ending.run();
    events.add(
        () -> {
          try {
            member.failed(cause);
          } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "The end of a failed member has failed.", e);
          }
        });
  }

  private void release() {
    List.copyOf(open.values()).forEach(done -> done.completeExceptionally(ended()));
    List<CompletableFuture<LogPosition>> released = new ArrayList<>();
    synchronized (this) {
      waiters.values().forEach(released::addAll);
      waiters.clear();
    }
    released.forEach(waiter -> waiter.completeExceptionally(ended()));
  }

  private void guarded(Runnable call) {
    if (failure != null) {
      return;
    }
    try {
      call.run();
    } catch (RuntimeException e) {
      fail(new RaftException("The state has failed.", e));
    }
  }

  private void run() {
    try {
      while (true) {
        events.take().run();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  /** Ends deliveries; idempotent. Events that wait are dropped: the log tells them again. */
  @Override
  public void close() {
    synchronized (this) {
      isClosed = true;
      isLeading = false;
      notifyAll();
    }
    release();
    if (Thread.currentThread() == thread) {
      return; // the state ends itself: the thread is a daemon
    }
    thread.interrupt();
    try {
      thread.join(5_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
