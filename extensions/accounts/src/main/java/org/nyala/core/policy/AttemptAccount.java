package org.nyala.core.policy;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Peers;
import org.nyala.core.policy.PolicyReader.Standing;

/**
 * An account with attempts, or records of them, under way.
 *
 * <p>Confined to the lock of its stripe of the gate.
 */
final class AttemptAccount {
  private static final Deque<Runnable> NOBODY = new ArrayDeque<>(0);
  private static final SortedSet<Instant> NONE = Collections.emptySortedSet();

  /**
   * A wrong password that is not yet on record.
   *
   * @param time its time
   * @param waiter goes on once it is
   */
  record Pending(Instant time, AttemptGate.Waiter waiter) {}

  int inFlight;
  boolean isQueued;
  boolean isOnRecord;
  @Nullable Instant cleared;
  Instant last = Instant.EPOCH;
  List<Pending> pending = List.of();
  Deque<Runnable> waiting = NOBODY;

  /**
   * Notes what is on record. Later failures have later times, whatever the clock says, and a right
   * password has something to clear.
   */
  void note(AccountState state, Instant now) {
    Instant locked = state.lockedBy(now);
    isOnRecord |= !state.failures().isEmpty() || locked != null || state.delayed() != null;
    for (Instant time : state.failures()) {
      last = time.isAfter(last) ? time : last;
    }
    last = locked != null && locked.isAfter(last) ? locked : last;
  }

  /** Returns a time later than all before, to the microsecond. */
  Instant nextTime(Instant now) {
    Instant time = now.truncatedTo(ChronoUnit.MICROS);
    last = time.isAfter(last) ? time : last.plus(1, ChronoUnit.MICROS);
    return last;
  }

  /**
   * Returns the attempts under way; among several servers also those whose failures are being
   * recorded, which only the record tells the others.
   */
  int underWay(@Nullable Peers peers) {
    return peers == null || !isQueued ? inFlight : inFlight + pending.size();
  }

  boolean isIdle() {
    return inFlight == 0 && !isQueued && cleared == null && pending.isEmpty() && waiting.isEmpty();
  }

  List<Instant> times() {
    return pending.stream().map(Pending::time).toList();
  }

  List<Runnable> takeWaiting() {
    List<Runnable> all = List.copyOf(waiting);
    waiting = NOBODY;
    return all;
  }

  /** The attempt that may go on instead of one that has ended. */
  List<Runnable> takeFirstWaiting() {
    return waiting.isEmpty() ? List.of() : List.of(waiting.remove());
  }

  /** Returns whether something is to be written, and nobody does. */
  boolean isUnrecorded() {
    return !isQueued && (cleared != null || !pending.isEmpty());
  }

  /** Forgets wrong passwords that could not be written, and no longer count. */
  void forget(Standing standing, Instant now) {
    if (!isQueued && !pending.isEmpty()) {
      SortedSet<Instant> still =
          standing.state().countedOf(times(), standing.policy(), cleared, now);
      pending = pending.stream().filter(each -> still.contains(each.time())).toList();
    }
  }

  /** Returns whether wrong passwords that are not yet on record lock the account. */
  boolean isLockedInMemory(PasswordPolicy policy, Instant now) {
    if (pending.isEmpty()) {
      return false;
    }
    int seconds = policy.lockout().durationSeconds();
    Instant latest = pending.getLast().time();
    return isQueued || seconds == 0 || now.isBefore(latest.plusSeconds(seconds));
  }

  /** Returns the wrong passwords that count, on record or not. */
  SortedSet<Instant> counted(Standing standing, Instant now) {
    PasswordPolicy policy = standing.policy();
    AccountState state = standing.state();
    if (pending.isEmpty() && state.failures().isEmpty()) {
      return NONE;
    }
    SortedSet<Instant> counted = state.counted(policy, cleared, now);
    counted.addAll(state.countedOf(times(), policy, cleared, now));
    return counted;
  }

  /** Returns whether those that count lock the account, or delay the next attempt. */
  boolean isLocked(PasswordPolicy policy, SortedSet<Instant> counted, Instant now) {
    PasswordPolicy.Lockout lockout = policy.lockout();
    boolean isLocked = lockout.locksAt(counted.size()) && isLockedInMemory(policy, now);
    boolean isDelayed =
        lockout.minDelaySeconds() > 0
            && !pending.isEmpty()
            && !counted.isEmpty()
            && now.isBefore(counted.last().plus(lockout.delay(counted.size())));
    return isLocked || isDelayed;
  }

  /**
   * Takes out what is on record; what could not be written stays, and its waiters go on.
   *
   * @return those that go on
   */
  List<AttemptGate.Waiter> take(AttemptGate.Due due, boolean isRecorded) {
    List<AttemptGate.Waiter> answered = new ArrayList<>();
    List<Pending> left = new ArrayList<>(1);
    for (Pending each : pending) {
      boolean isDone = isRecorded && due.failures().contains(each.time());
      if (isDone || !isRecorded) {
        answered.add(each.waiter());
      }
      if (!isDone) {
        left.add(isRecorded ? each : new Pending(each.time(), _ -> {}));
      }
    }
    pending = left;
    return answered;
  }

  /** Returns who waits for the record of a failure; null if nobody does. */
  AttemptGate.@Nullable Waiter waiter(Instant time) {
    for (Pending each : pending) {
      if (each.time().equals(time)) {
        return each.waiter();
      }
    }
    return null;
  }
}
