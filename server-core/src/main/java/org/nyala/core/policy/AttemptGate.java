package org.nyala.core.policy;

import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.policy.PolicyReader.Standing;

/**
 * The gate before the passwords of accounts: attempts are reserved before a password is looked at,
 * so that a thousand at once get no more tries than the policy allows. An attempt that could exceed
 * them waits until those under way have ended.
 *
 * <p>Wrong passwords count from the moment at which they are known to be wrong, and their clients
 * are answered once the entry says so on disk; those of one entry that come while one commit is
 * under way go into the next one together.
 *
 * <p>Thread-safe. An account takes memory as long as attempts or records of it are under way. Takes
 * the lock of a stripe of accounts, and reads the account's entry with it: what was committed
 * before is never missed, nor counted twice.
 */
public final class AttemptGate {
  private static final int STRIPES = 64;

  /** Attempts that wait for those under way, for one account; more are refused. */
  private static final int MOST_WAITING = 2048;

  /**
   * An account.
   *
   * @param backend the store that holds its entry
   * @param entryId the id of the entry
   */
  public record Key(Backend backend, long entryId) {}

  /** The answer to the question if an attempt may begin. */
  public enum Admission {
    /** It may: {@link #succeeded}, {@link #failed} or {@link #released} ends it. */
    ADMITTED,
    /** It may, and nothing counts. */
    UNCOUNTED,
    /** The account is locked: the password is not looked at. */
    LOCKED,
    /** It is to ask again when it is called. */
    WAITS,
    /** Too many wait. */
    BUSY
  }

  /** Has the failures of an account recorded, by {@link #due} and {@link #recorded}. */
  @FunctionalInterface
  public interface Recorder {
    /**
     * Begins to record; never blocks.
     *
     * @return false if it cannot be begun: too many updates wait
     */
    boolean begin(Key account);
  }

  /** Something that goes on once a failure is on disk. */
  @FunctionalInterface
  public interface Waiter {
    /**
     * Goes on; any thread.
     *
     * @param isRecorded false if it could not be written
     */
    void goOn(boolean isRecorded);
  }

  /**
   * What is to be recorded of an account.
   *
   * @param failures the times of wrong passwords
   * @param cleared the time until which a right password has cleared them; null for none
   */
  public record Due(List<Instant> failures, @Nullable Instant cleared) {
    /** Copies the list. */
    public Due {
      failures = List.copyOf(failures);
    }
  }

  private record Pending(Instant time, Waiter waiter) {}

  /** Confined to the lock of its stripe. */
  private static final class Account {
    int inFlight;
    boolean isQueued;
    @Nullable Instant cleared;
    Instant last = Instant.EPOCH;
    List<Pending> pending = new ArrayList<>(1);
    List<Runnable> waiting = new ArrayList<>(0);

    /** Lets later failures have later times than those on record, whatever the clock says. */
    void noteLast(AccountState state) {
      for (Instant time : state.failures()) {
        last = time.isAfter(last) ? time : last;
      }
      Instant locked = state.locked();
      last = locked != null && locked.isAfter(last) ? locked : last;
    }

    boolean isIdle() {
      return inFlight == 0 && !isQueued && cleared == null && pending.isEmpty();
    }

    List<Instant> times() {
      return pending.stream().map(Pending::time).toList();
    }

    List<Runnable> takeWaiting() {
      List<Runnable> all = waiting;
      waiting = new ArrayList<>(0);
      return all;
    }
  }

  private final InstantSource clock;
  private final List<Map<Key, Account>> stripes = new ArrayList<>(STRIPES);

  /** Creates a gate without accounts. */
  public AttemptGate(InstantSource clock) {
    this.clock = clock;
    for (int i = 0; i < STRIPES; i++) {
      stripes.add(new HashMap<>());
    }
  }

  private Map<Key, Account> stripe(Key key) {
    return stripes.get(Math.floorMod(key.hashCode(), STRIPES));
  }

  /**
   * Asks if an attempt may begin.
   *
   * @param reader reads the account; quick, called with a lock
   * @param wake is called once it is worth to ask again, if the answer is {@link Admission#WAITS}
   */
  public Admission begin(Key key, Supplier<Standing> reader, Runnable wake) {
    Map<Key, Account> stripe = stripe(key);
    synchronized (stripe) {
      Standing standing = reader.get();
      PasswordPolicy policy = standing.policy();
      Instant now = clock.instant();
      if (standing.state().isLocked(policy, now)) {
        return Admission.LOCKED;
      }
      if (!policy.countsFailures()) {
        return Admission.UNCOUNTED;
      }
      Account account = stripe.computeIfAbsent(key, _ -> new Account());
      account.noteLast(standing.state());
      int counted = counted(account, standing, now).size();
      if (counted >= policy.maxFailure() && !account.pending.isEmpty()) {
        return Admission.LOCKED;
      }
      // Of failures on record that have not led to a lock, the next one does.
      int left = Math.max(1, policy.maxFailure() - counted);
      if (account.inFlight < left) {
        account.inFlight++;
        return Admission.ADMITTED;
      }
      if (account.waiting.size() >= MOST_WAITING) {
        return Admission.BUSY;
      }
      account.waiting.add(wake);
      return Admission.WAITS;
    }
  }

  private static SortedSet<Instant> counted(Account account, Standing standing, Instant now) {
    PasswordPolicy policy = standing.policy();
    AccountState state = standing.state();
    SortedSet<Instant> counted = state.counted(policy, account.cleared, now);
    counted.addAll(state.countedOf(account.times(), policy, account.cleared, now));
    return counted;
  }

  /** Ends an attempt of which nobody has learned anything. */
  public void released(Key key) {
    List<Runnable> waiting;
    Map<Key, Account> stripe = stripe(key);
    synchronized (stripe) {
      waiting = end(stripe, key);
    }
    waiting.forEach(Runnable::run);
  }

  private static List<Runnable> end(Map<Key, Account> stripe, Key key) {
    Account account = stripe.get(key);
    if (account == null) {
      return List.of();
    }
    account.inFlight--;
    List<Runnable> waiting = account.takeWaiting();
    if (account.isIdle()) {
      stripe.remove(key);
    }
    return waiting;
  }

  /**
   * Ends an attempt: the password was right.
   *
   * @param reader reads the account
   * @param recorder has former failures cleared, for which nobody waits
   */
  public void succeeded(Key key, Supplier<Standing> reader, Recorder recorder) {
    List<Runnable> waiting;
    boolean isToBegin = false;
    Map<Key, Account> stripe = stripe(key);
    synchronized (stripe) {
      Account account = stripe.get(key);
      AccountState state = reader.get().state();
      boolean isToClear =
          !state.failures().isEmpty() || state.locked() != null && !state.isLockedForGood();
      if (account != null && (isToClear || !account.pending.isEmpty())) {
        account.cleared = account.last.isAfter(clock.instant()) ? account.last : clock.instant();
        isToBegin = !account.isQueued;
        account.isQueued = true;
      }
      waiting = end(stripe, key);
    }
    waiting.forEach(Runnable::run);
    if (isToBegin && !recorder.begin(key)) {
      recorded(key, new Due(List.of(), null), false, recorder);
    }
  }

  /**
   * Ends an attempt: the password was wrong.
   *
   * @param waiter is called once that is on disk
   */
  public void failed(Key key, Recorder recorder, Waiter waiter) {
    List<Runnable> waiting;
    boolean isToBegin;
    Map<Key, Account> stripe = stripe(key);
    synchronized (stripe) {
      Account account = stripe.computeIfAbsent(key, _ -> new Account());
      Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
      Instant time = now.isAfter(account.last) ? now : account.last.plus(1, ChronoUnit.MICROS);
      account.last = time;
      account.pending.add(new Pending(time, waiter));
      isToBegin = !account.isQueued;
      account.isQueued = true;
      waiting = end(stripe, key);
    }
    waiting.forEach(Runnable::run);
    if (isToBegin && !recorder.begin(key)) {
      recorded(key, new Due(List.of(), null), false, recorder);
    }
  }

  /** Returns what is to be recorded now; on the writer's thread, as often as it tries. */
  public Due due(Key key) {
    Map<Key, Account> stripe = stripe(key);
    synchronized (stripe) {
      Account account = stripe.get(key);
      return account == null ? new Due(List.of(), null) : new Due(account.times(), account.cleared);
    }
  }

  /**
   * Ends a record, or the attempt at it. What could not be written stays in memory, and counts.
   *
   * @param due what was to be recorded
   * @param isRecorded true if it is on disk
   */
  public void recorded(Key key, Due due, boolean isRecorded, Recorder recorder) {
    List<Waiter> answered = new ArrayList<>();
    boolean goesOn;
    Map<Key, Account> stripe = stripe(key);
    synchronized (stripe) {
      Account account = stripe.get(key);
      if (account == null) {
        return;
      }
      List<Pending> left = new ArrayList<>(1);
      for (Pending each : account.pending) {
        boolean isDone = isRecorded && due.failures().contains(each.time());
        if (isDone || !isRecorded) {
          answered.add(each.waiter());
        }
        if (!isDone) {
          left.add(isRecorded ? each : new Pending(each.time(), _ -> {}));
        }
      }
      account.pending = left;
      if (isRecorded && due.cleared() != null && due.cleared().equals(account.cleared)) {
        account.cleared = null;
      }
      goesOn = isRecorded && (!left.isEmpty() || account.cleared != null);
      account.isQueued = goesOn;
      if (account.isIdle()) {
        stripe.remove(key);
      }
    }
    answered.forEach(waiter -> waiter.goOn(isRecorded));
    if (goesOn && !recorder.begin(key)) {
      recorded(key, new Due(List.of(), null), false, recorder);
    }
  }

  /** Returns the number of accounts with attempts or records under way. */
  public int accounts() {
    int count = 0;
    for (Map<Key, Account> stripe : stripes) {
      synchronized (stripe) {
        count += stripe.size();
      }
    }
    return count;
  }
}
