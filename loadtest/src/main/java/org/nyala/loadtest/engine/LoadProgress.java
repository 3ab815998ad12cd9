package org.nyala.loadtest.engine;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The progress of the event loops, for the thread that coordinates a test. Thread-safe. */
public final class LoadProgress {
  private static final long UNKNOWN = -1;

  private final CountDownLatch ready;
  private final CountDownLatch worked;
  private final CountDownLatch ended;
  private final AtomicInteger usersTaken = new AtomicInteger();
  private final AtomicReference<@Nullable String> setupFailure = new AtomicReference<>();
  private final AtomicInteger wrongPasswords = new AtomicInteger();
  private final AtomicReference<@Nullable Throwable> defect = new AtomicReference<>();
  private final AtomicLong directorySize = new AtomicLong(UNKNOWN);

  private volatile boolean isStopped;

  public LoadProgress(int clients) {
    ready = new CountDownLatch(clients);
    worked = new CountDownLatch(clients);
    ended = new CountDownLatch(clients);
  }

  void clientReady() {
    ready.countDown();
  }

  /** Notes that a client has no more work, but may have to clean up or to check its results. */
  void clientWorked() {
    worked.countDown();
  }

  void clientEnded() {
    ended.countDown();
  }

  /** Notes the first failure. */
  void setupFailed(String reason) {
    setupFailure.compareAndSet(null, reason);
  }

  /**
   * Counts a wrong password, and stops the test at the bound.
   *
   * @param most the bound; 0 for none
   * @param people the number of people, of whom nobody gets two wrong passwords
   */
  void wrongPassword(int most, int people) {
    if (wrongPasswords.incrementAndGet() == Math.min(most, people)) {
      isStopped = true;
      while (worked.getCount() > 0) {
        worked.countDown();
      }
    }
  }

  /** Returns whether no more operations are to begin because too many passwords were wrong. */
  boolean isStopped() {
    return isStopped;
  }

  /** Notes the first defect of this program. */
  void broken(Throwable cause) {
    defect.compareAndSet(null, cause);
  }

  boolean isSizeOfDirectory(long entries) {
    return directorySize.compareAndSet(UNKNOWN, entries) || directorySize.get() == entries;
  }

  public boolean awaitReady(long nanos) throws InterruptedException {
    return ready.await(nanos, TimeUnit.NANOSECONDS);
  }

  /** The next of so many users that no client has taken yet; -1 if there is none. */
  int takeUser(int users) {
    return usersTaken.get() < users ? takeAnother(users) : -1;
  }

  private int takeAnother(int users) {
    int user = usersTaken.getAndIncrement();
    return user < users ? user : -1;
  }

  /** The number of users, out of so many, that no client took. */
  int usersLeft(int users) {
    return Math.max(0, users - usersTaken.get());
  }

  boolean awaitWorked(long nanos) throws InterruptedException {
    return worked.await(nanos, TimeUnit.NANOSECONDS);
  }

  public boolean awaitEnded(long nanos) throws InterruptedException {
    return ended.await(nanos, TimeUnit.NANOSECONDS);
  }

  long clientsNotReady() {
    return ready.getCount();
  }

  public @Nullable String setupFailure() {
    return setupFailure.get();
  }

  public @Nullable Throwable defect() {
    return defect.get();
  }
}
