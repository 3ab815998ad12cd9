package org.nyala.replica;

import com.unboundid.ldap.sdk.LDAPException;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.SyncCookie;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.replica.Replica;
import org.nyala.core.replica.ReplicaException;
import org.nyala.core.replica.ReplicaPhase;
import org.nyala.core.replica.ReplicaProgress;
import org.nyala.error.ErrorMessages;

/**
 * Keeps a copy up to date: connects to the provider, brings its messages to the copy, and begins
 * again after failures, for as long as the server runs. While it rests, because this server was
 * promoted, it exchanges epochs with the former provider. Of the members of a cluster the one that
 * leads does so, from what the store has.
 *
 * <p>Thread-safe. All work is done by one thread, {@code nyala-replica}; another one reads the
 * connection.
 */
public final class ReplicaRunner implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ReplicaRunner.class.getName());

  /** The longest time without a look at what else there is to do. */
  private static final long LOOK_MILLIS = 1000;

  /** The looks at a silent line from one check for a sign of life to the next, at least. */
  private static final int LOOKS_BETWEEN_CHECKS = 4;

  /** The checks for a sign of life without an answer after which a copy does not follow. */
  private static final int MOST_SILENT_CHECKS = 2;

  private static final long JOIN_MILLIS = 5_000;

  /** The time between looks at whether this member of a cluster leads. */
  private static final long LEAD_MILLIS = 100;

  private final ReplicationSettings settings;
  private final String suffix;
  private final Replica replica;
  private final MemoryAccount memory;
  private final InstantSource clock;
  private final Attempts attempts;
  private final Synchronization synchronization;
  private final Freshness freshness = new Freshness(System.nanoTime());
  private final Thread thread;
  private volatile boolean isClosed;
  private volatile @Nullable Instant connected;
  private @Nullable MessageQueue open;
  private boolean isRetried;
  private volatile boolean isToRest;

  /** The term of the store for which this server keeps the copy up to date. */
  private volatile long term;

  /** True from {@link #suspend} on until its outcome is known. */
  private boolean isSuspended;

  private boolean isToTell;
  private boolean isToDiscard;
  private boolean isResting;
  private boolean isWhole;

  private ReplicaRunner(
      ReplicationSettings settings,
      String suffix,
      Replica replica,
      MemoryAccount memory,
      InstantSource clock,
      RandomGenerator random) {
    this.settings = settings;
    this.suffix = suffix;
    this.replica = replica;
    this.memory = memory;
    this.clock = clock;
    this.attempts =
        new Attempts(
            "the copy of " + suffix + " from " + settings.provider().url(),
            clock,
            new RetryPause(
                settings.retry().firstMillis(), settings.retry().longestMillis(), random));
    this.synchronization =
        new Synchronization(replica, settings, suffix, attempts, freshness, System::nanoTime);
    this.term = replica.writingTerm();
    this.thread = Thread.ofPlatform().daemon().name("nyala-replica").unstarted(this::run);
  }

  /**
   * Starts to keep a copy up to date.
   *
   * @param suffix the name of the naming context
   * @param replica the copy
   * @param memory the account of messages that wait
   * @param isSuspended true to begin with {@link #resume}
   */
  public static ReplicaRunner start(
      ReplicationSettings settings,
      String suffix,
      Replica replica,
      MemoryAccount memory,
      InstantSource clock,
      RandomGenerator random,
      boolean isSuspended) {
    ReplicaRunner runner = new ReplicaRunner(settings, suffix, replica, memory, clock, random);
    runner.isToRest = isSuspended;
    runner.isToTell = isSuspended;
    runner.thread.start();
    return runner;
  }

  /** Returns the name of the naming context. */
  public String suffix() {
    return suffix;
  }

  public ReplicationStatus status() {
    Attempts.Failure last = attempts.last();
    long now = System.nanoTime();
    ReplicaProgress progress = progress(now);
    boolean isFollowing = progress.phase() == ReplicaPhase.FOLLOWING;
    boolean isNeverAsked = settings.retry().idleMillis() == 0;
    long stale = isFollowing && isNeverAsked ? 0 : freshness.staleSeconds(now);
    // Without numbers no refresh has ended yet, here or at a provider that is a copy: there may be
    // nothing, or half of it.
    boolean hasBegun =
        isFollowing && freshness.isOfWholeProvider() || !progress.csns().csns().isEmpty();
    return new ReplicationStatus(
        settings.provider().url().toString(),
        suffix,
        progress,
        connected,
        freshness.lagSeconds(now),
        stale,
        settings.readyLagSeconds() == 0
            || hasBegun && stale <= settings.readyLagSeconds()
            || replica.writingTerm() < 0,
        attempts.count(),
        last.error(),
        last.at());
  }

  /**
   * Returns how old the copy is, for those who copy it from here: the seconds since it was last
   * known to have everything, 0 if this server changes it, -1 if it never was since the start.
   */
  public int toldLagSeconds() {
    if (replica.writingTerm() < 0) {
      return SyncCookie.UNKNOWN_LAG;
    }
    long now = System.nanoTime();
    boolean isNeverAsked =
        settings.retry().idleMillis() == 0 && replica.progress().phase() == ReplicaPhase.FOLLOWING;
    return isToRest || isNeverAsked ? 0 : Math.toIntExact(freshness.lagSeconds(now));
  }

  private ReplicaProgress progress(long now) {
    ReplicaProgress progress = replica.progress();
    long idle = TimeUnit.MILLISECONDS.toNanos(settings.retry().idleMillis());
    boolean isSilent =
        progress.phase() == ReplicaPhase.FOLLOWING
            && idle > 0
            && freshness.isSilent(now, idle * MOST_SILENT_CHECKS);
    return isSilent ? progress.silent() : progress;
  }

  /**
   * Allows the next refresh to delete as many entries as the one that was stopped, and begins it
   * without a pause.
   *
   * @param entries their number
   * @return false if none was stopped, or it would delete another number
   */
  public boolean confirm(long entries) {
    boolean isConfirmed = replica.confirm(entries);
    if (isConfirmed) {
      retry();
    }
    return isConfirmed;
  }

  /** Ends a pause: connects now, also after a refresh was stopped, without an allowance. */
  public synchronized void retry() {
    isRetried = true;
    notifyAll();
  }

  /**
   * Ends the connection, after everything that has arrived is on disk, and makes none until {@link
   * #resume}. Returns when that is so. Nothing more is read meanwhile.
   *
   * @throws IllegalStateException if the server stops
   * @return true if the copy was following when it was last connected, false if a refresh may have
   *     left changes without numbers
   */
  synchronized boolean suspend() throws InterruptedException {
    isToRest = true;
    isSuspended = true;
    notifyAll();
    if (open != null) {
      open.seal();
    }
    while (!isResting) {
      requireOpen();
      wait();
    }
    return isWhole;
  }

  /** Connects again. */
  synchronized void resume() {
    isSuspended = false;
    isToRest = false;
    notifyAll();
  }

  /** Connects again, and takes the provider's entries for all that there are to be. */
  synchronized void resumeFromNothing() {
    isToDiscard = true;
    resume();
  }

  private void requireOpen() {
    if (isClosed) {
      throw new IllegalStateException("the server stops");
    }
  }

  /**
   * Waits for a while.
   *
   * @throws IllegalStateException if the server stops
   */
  synchronized void awaitNews(long millis) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    for (long left = millis; left > 0; ) {
      requireOpen();
      wait(left);
      left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
    }
  }

  /**
   * Has the server to which this one does not listen any more told of the epochs here now, and not
   * only after a pause: this server was promoted.
   */
  synchronized void tell() {
    isSuspended = false;
    isToTell = true;
    notifyAll();
  }

  /** Waits until it is time to exchange epochs; returns false if the rest is over. */
  private synchronized boolean awaitTelling() throws InterruptedException {
    isResting = true;
    notifyAll();
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(settings.retry().longestMillis());
    long left = settings.retry().longestMillis();
    while (isToRest && !isClosed && !isToTell && left > 0 && isInCharge()) {
      wait(Math.min(left, LOOK_MILLIS));
      left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
    }
    isToTell = false;
    return isToRest && !isClosed && isInCharge();
  }

  /** Returns whether this server makes changes, as it did when it last began to. */
  private boolean isInCharge() {
    return replica.writingTerm() == term;
  }

  /**
   * Waits until this member of a cluster leads, and begins by what the store says then.
   *
   * @return false if the server stops
   */
  private synchronized boolean awaitCharge() throws InterruptedException {
    long held = replica.writingTerm();
    if (held == term && held >= 0) {
      return true;
    }
    while (held < 0 && !isClosed) {
      // Nothing is read meanwhile.
      isResting = true;
      notifyAll();
      wait(LEAD_MILLIS);
      held = replica.writingTerm();
    }
    term = held;
    boolean isPromoted = replica.isPromoted();
    isToTell = isPromoted;
    isToRest = isPromoted || isSuspended;
    if (!isToRest) {
      endRest();
    }
    return !isClosed;
  }

  /** Exchanges epochs with the former provider, which is away if that fails. */
  private void exchange() {
    try (ProviderConnection former = ProviderConnection.open(settings.provider(), _ -> {})) {
      synchronization.tell(former);
    } catch (LDAPException | IOException | ReplicaException e) {
      LOG.log(
          System.Logger.Level.DEBUG,
          "the former provider of {0} cannot be told that this server changes it: {1}",
          suffix,
          ErrorMessages.printable(ErrorMessages.line(e)));
    }
  }

  private void awaitResume() throws InterruptedException {
    while (awaitTelling()) {
      exchange();
    }
    endRest();
  }

  private synchronized void endRest() {
    isResting = false;
    isWhole = false;
    replica.forget();
    if (isToDiscard) {
      isToDiscard = false;
      replica.discard();
    }
    attempts.resumed();
    freshness.resumed(System.nanoTime());
  }

  private void run() {
    while (!isClosed) {
      long millis;
      try {
        if (!awaitCharge()) {
          continue;
        }
        if (isToRest) {
          awaitResume();
          continue;
        }
        millis = runOnce();
      } catch (InterruptedException _) {
        // It is closed.
        continue;
      } catch (Throwable e) {
        millis = attempts.failed(ErrorMessages.printable("an internal error: " + e), true, e);
      }
      rest(millis);
    }
  }

  /** Waits for a pause to be over, and for an administrator if it takes one. */
  private synchronized void rest(long millis) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    boolean wasGuarded = replica.isGuarded();
    try {
      while (!isClosed && !isRetried && !isToRest && isInCharge()) {
        long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        if (synchronization.isRestOver(left, wasGuarded)) {
          return;
        }
        wait(replica.isGuarded() ? LOOK_MILLIS : Math.clamp(left, 1, LOOK_MILLIS));
      }
    } catch (InterruptedException _) {
      // It is closed.
    }
  }

  private synchronized void begin() {
    isRetried = false;
    attempts.begin();
  }

  /** Synchronizes once; returns the time to wait before the next attempt, in milliseconds. */
  private long runOnce() throws InterruptedException {
    begin();
    try {
      synchronize();
      return 0;
    } catch (ReplicaException | EndedException | LDAPException | IOException e) {
      return isClosed ? 0 : synchronization.failed(e);
    } finally {
      connected = null;
      freshness.disconnected();
    }
  }

  private void synchronize()
      throws ReplicaException, EndedException, LDAPException, IOException, InterruptedException {
    MessageQueue queue = new MessageQueue(settings.queue().bytes(), memory, System::nanoTime);
    try (ProviderConnection provider = ProviderConnection.open(settings.provider(), queue::fail)) {
      CsnVector offered = synchronization.offered(provider);
      if (!enter(queue)) {
        return;
      }
      connected = clock.instant();
      ReplicaException reason = null;
      try {
        synchronization.begin(provider, offered, queue);
        follow(queue);
      } catch (ReplicaException e) {
        reason = e;
        throw e;
      } finally {
        // Before the connection is closed, which waits for the thread that reads it.
        queue.close();
        noteWhole(reason == null);
        replica.end(reason);
        leave();
      }
    }
  }

  /** Notes that the copy is at work; returns false if it is closed. */
  private synchronized boolean enter(MessageQueue queue) {
    if (isClosed) {
      return false;
    }
    open = queue;
    if (isToRest) {
      queue.seal();
    }
    return true;
  }

  private synchronized void leave() {
    open = null;
    notifyAll();
  }

  /**
   * Returns the time between looks at a silent line. Each check is put and its answer noted within
   * it, so that a provider that answers is never silent for as long as two checks take.
   */
  private long lookMillis() {
    long idle = settings.retry().idleMillis();
    return idle == 0 ? LOOK_MILLIS : Math.min(LOOK_MILLIS, idle / LOOKS_BETWEEN_CHECKS);
  }

  private void follow(MessageQueue queue)
      throws ReplicaException, EndedException, LDAPException, InterruptedException {
    while (!isClosed && isInCharge()) {
      if (!synchronization.turn(queue.take(lookMillis()))) {
        return;
      }
    }
  }

  /** Notes whether the last changes were single ones with their numbers, or those of a refresh. */
  private synchronized void noteWhole(boolean hasApplied) {
    isWhole = hasApplied && replica.progress().phase() == ReplicaPhase.FOLLOWING;
  }

  /** Ends the connection, and waits for what is being written. Idempotent. */
  @Override
  public void close() {
    boolean wasInterrupted = false;
    synchronized (this) {
      isClosed = true;
      notifyAll();
      if (open != null) {
        open.close();
      }
      thread.interrupt();
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(JOIN_MILLIS);
      try {
        // A thread that still connects holds nothing of the server, and ends by itself.
        for (long left = JOIN_MILLIS; open != null && left > 0; ) {
          wait(left);
          left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        }
      } catch (InterruptedException _) {
        wasInterrupted = true;
      }
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
