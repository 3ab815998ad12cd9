package org.nyala.core.policy;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.Peers;
import org.nyala.core.dn.Dn;
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
  private static final System.Logger LOG = System.getLogger(AttemptGate.class.getName());
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

  /** An attempt that may have to wait for those under way. */
  @FunctionalInterface
  public interface Waiting extends Runnable {
    /** Asks again, soon; any thread. */
    @Override
    void run();

    /** Is about to wait; quick, called with a lock by the one that asks. */
    default void waits() {}
  }

  /** Has the failures of an account recorded, by {@link #due} and {@link #recorded}. */
  @FunctionalInterface
  public interface Recorder {
    /**
     * Begins to record; never blocks, and throws nothing.
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

    /** Is told, before it goes on, that this failure has locked the account. */
    default void locks(Dn account) {}
  }

  /**
   * The changes that the record of an account lacks.
   *
   * @param failures the times of wrong passwords
   * @param cleared the time until which a right password has cleared them; null for none
   */
  public record Due(List<Instant> failures, @Nullable Instant cleared) {
    public static final Due NOTHING = new Due(List.of(), null);

    public Due {
      failures = List.copyOf(failures);
    }
  }

  private final InstantSource clock;
  private final AtomicLong records = new AtomicLong();
  private final List<Map<Key, AttemptAccount>> stripes = new ArrayList<>(STRIPES);

  /** Creates a gate without accounts. */
  public AttemptGate(InstantSource clock) {
    this.clock = clock;
    for (int i = 0; i < STRIPES; i++) {
      stripes.add(new HashMap<>());
    }
  }

  /**
   * Returns the number of records so far: whoever reads it before an account, and finds it the same
   * when an attempt begins, has read all that was recorded.
   */
  public long records() {
    return records.get();
  }

  private Map<Key, AttemptAccount> stripe(Key key) {
    return stripes.get(Math.floorMod(key.hashCode(), STRIPES));
  }

  /**
   * Asks if an attempt may begin.
   *
   * @param reader reads the account; quick, called with a lock
   * @param recorder has recorded what could not be written before
   * @param wake is called once it is worth to ask again, if the answer is {@link Admission#WAITS}
   */
  public Admission begin(Key key, Supplier<Standing> reader, Recorder recorder, Waiting wake) {
    return begin(key, null, -1, reader, recorder, wake);
  }

  /**
   * Asks if an attempt may begin, for an account that was read already.
   *
   * @param early the account as it was read
   * @param since the number of {@link #records} before it was read
   * @param reader reads the account anew if there have been more; quick, called with a lock
   */
  public Admission begin(
      Key key,
      @Nullable Standing early,
      long since,
      Supplier<Standing> reader,
      Recorder recorder,
      Waiting wake) {
    Admission admission;
    List<Runnable> waiting = List.of();
    boolean isToBegin = false;
    Map<Key, AttemptAccount> stripe = stripe(key);
    synchronized (stripe) {
      Standing standing = early == null || records.get() != since ? reader.get() : early;
      AttemptAccount account = stripe.get(key);
      admission = ask(stripe, key, account, standing, wake);
      boolean isOpen = admission == Admission.ADMITTED || admission == Admission.WAITS;
      if (account != null && !isOpen && admission != Admission.BUSY) {
        waiting = account.takeWaiting();
      }
      if (account != null && account.isUnrecorded()) {
        account.isQueued = true;
        isToBegin = true;
      }
    }
    wake(waiting);
    if (isToBegin) {
      begin(key, recorder);
    }
    return admission;
  }

  /** Answers, and reserves an attempt or notes one that waits; with the lock of the stripe. */
  private Admission ask(
      Map<Key, AttemptAccount> stripe,
      Key key,
      @Nullable AttemptAccount known,
      Standing standing,
      Waiting wake) {
    PasswordPolicy policy = standing.policy();
    Instant now = clock.instant();
    if (standing.state().isLocked(policy, now)) {
      return Admission.LOCKED;
    }
    if (!policy.countsFailures()) {
      return Admission.UNCOUNTED;
    }
    AttemptAccount account =
        known == null ? stripe.computeIfAbsent(key, _ -> new AttemptAccount()) : known;
    account.note(standing.state(), now);
    account.forget(standing, now);
    SortedSet<Instant> counted = account.counted(standing, now);
    if (account.isLocked(policy, counted, now)) {
      return Admission.LOCKED;
    }
    if (account.underWay(key.backend().peers()) < share(key, policy, counted.size())) {
      account.inFlight++;
      return Admission.ADMITTED;
    }
    if (account.waiting.size() >= MOST_WAITING) {
      return Admission.BUSY;
    }
    if (account.waiting.isEmpty()) {
      account.waiting = new ArrayDeque<>();
    }
    wake.waits();
    account.waiting.add(wake);
    return Admission.WAITS;
  }

  /**
   * Returns the attempts that may be under way here. Of several servers each knows what is on
   * record, and nothing of the attempts at the others: each has its share of those that are left,
   * and one at a time once there are failures.
   */
  private static int share(Key key, PasswordPolicy policy, int failures) {
    PasswordPolicy.Lockout lockout = policy.lockout();
    Peers peers = key.backend().peers();
    // Of failures on record that have not led to a lock, the next one does; each delays the next.
    if (lockout.minDelaySeconds() > 0 || peers != null && failures > 0) {
      return 1;
    }
    int left = lockout.maxFailure() - failures;
    return Math.max(1, peers == null ? left : left / peers.servers());
  }

  private void begin(Key key, Recorder recorder) {
    if (!recorder.begin(key)) {
      recorded(key, Due.NOTHING, false, recorder);
    }
  }

  private static void wake(Iterable<Runnable> waiting) {
    for (Runnable each : waiting) {
      try {
        each.run();
      } catch (Throwable e) {
        // Others wait, too.
        LOG.log(System.Logger.Level.ERROR, "an attempt could not go on", e);
      }
    }
  }

  /** Ends an attempt of which nobody has learned anything. */
  public void released(Key key) {
    List<Runnable> waiting;
    Map<Key, AttemptAccount> stripe = stripe(key);
    synchronized (stripe) {
      waiting = end(stripe, key);
    }
    wake(waiting);
  }

  private static List<Runnable> end(Map<Key, AttemptAccount> stripe, Key key) {
    AttemptAccount account = stripe.get(key);
    if (account == null) {
      return List.of();
    }
    account.inFlight--;
    // Nobody else would call those that are left, if one that is called has been given up.
    List<Runnable> waiting =
        account.inFlight == 0 ? account.takeWaiting() : account.takeFirstWaiting();
    if (account.isIdle()) {
      stripe.remove(key);
    }
    return waiting;
  }

  /**
   * Ends an attempt: the password was right.
   *
   * @param recorder has former failures cleared, for which nobody waits
   */
  public void succeeded(Key key, Recorder recorder) {
    List<Runnable> waiting;
    List<Runnable> freed = List.of();
    boolean isToBegin = false;
    Map<Key, AttemptAccount> stripe = stripe(key);
    synchronized (stripe) {
      AttemptAccount account = stripe.get(key);
      if (account != null && (account.isOnRecord || !account.pending.isEmpty())) {
        account.cleared = account.nextTime(clock.instant());
        isToBegin = !account.isQueued;
        account.isQueued = true;
        freed = account.takeWaiting();
      }
      waiting = end(stripe, key);
    }
    wake(freed);
    wake(waiting);
    if (isToBegin) {
      begin(key, recorder);
    }
  }

  /**
   * Has the failures on record cleared after a right password that did not count as an attempt.
   *
   * @param state the state of the account
   */
  public void clear(Key key, AccountState state, Recorder recorder) {
    clear(key, state, recorder, true);
  }

  private void clear(Key key, AccountState state, Recorder recorder, boolean isOnRecord) {
    boolean isToBegin = false;
    Map<Key, AttemptAccount> stripe = stripe(key);
    synchronized (stripe) {
      AttemptAccount account =
          isOnRecord ? stripe.computeIfAbsent(key, _ -> new AttemptAccount()) : stripe.get(key);
      if (account != null && (isOnRecord || !account.pending.isEmpty())) {
        Instant now = clock.instant();
        account.note(state, now);
        account.cleared = account.nextTime(now);
        isToBegin = !account.isQueued;
        account.isQueued = true;
      }
    }
    if (isToBegin) {
      begin(key, recorder);
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
    Map<Key, AttemptAccount> stripe = stripe(key);
    synchronized (stripe) {
      AttemptAccount account = stripe.computeIfAbsent(key, _ -> new AttemptAccount());
      Instant time = account.nextTime(clock.instant());
      List<AttemptAccount.Pending> pending = new ArrayList<>(account.pending);
      pending.add(new AttemptAccount.Pending(time, waiter));
      account.pending = pending;
      isToBegin = !account.isQueued;
      account.isQueued = true;
      waiting = end(stripe, key);
    }
    wake(waiting);
    if (isToBegin) {
      begin(key, recorder);
    }
  }

  /** Returns what is to be recorded now; on the writer's thread, as often as it tries. */
  public Due due(Key key) {
    Map<Key, AttemptAccount> stripe = stripe(key);
    synchronized (stripe) {
      AttemptAccount account = stripe.get(key);
      return account == null ? Due.NOTHING : new Due(account.times(), account.cleared);
    }
  }

  /**
   * Tells the one whose wrong password has locked an account, before {@link #recorded}.
   *
   * @param time the time of that password
   */
  public void locked(Key key, Instant time, Dn name) {
    Waiter waiter;
    Map<Key, AttemptAccount> stripe = stripe(key);
    synchronized (stripe) {
      AttemptAccount account = stripe.get(key);
      waiter = account == null ? null : account.waiter(time);
    }
    if (waiter != null) {
      waiter.locks(name);
    }
  }

  /**
   * Ends a record, or the attempt at it. What could not be written stays in memory, and counts.
   *
   * @param due what was to be recorded
   * @param isRecorded true if it is on disk
   */
  public void recorded(Key key, Due due, boolean isRecorded, Recorder recorder) {
    List<Waiter> answered;
    List<Runnable> waiting;
    boolean goesOn;
    Map<Key, AttemptAccount> stripe = stripe(key);
    synchronized (stripe) {
      AttemptAccount account = stripe.get(key);
      if (account == null) {
        return;
      }
      records.incrementAndGet();
      answered = account.take(due, isRecorded);
      Instant cleared = due.cleared();
      boolean isCleared = isRecorded && cleared != null;
      if (isRecorded) {
        account.isOnRecord = !due.failures().isEmpty() || account.isOnRecord && !isCleared;
      }
      if (isRecorded && cleared != null && cleared.equals(account.cleared)) {
        account.cleared = null;
      }
      waiting = account.takeWaiting();
      goesOn = isRecorded && (!account.pending.isEmpty() || account.cleared != null);
      account.isQueued = goesOn;
      if (account.isIdle()) {
        stripe.remove(key);
      }
    }
    for (Waiter waiter : answered) {
      wake(List.of(() -> waiter.goOn(isRecorded)));
    }
    wake(waiting);
    if (goesOn) {
      begin(key, recorder);
    }
  }

  /**
   * Forgets the wrong passwords of an account so far that are not yet on record, because an
   * administrator unlocks it; on the writer's thread, as often as it tries.
   *
   * @param state the account as it is on record
   */
  public void forget(Key key, AccountState state, Recorder recorder) {
    clear(key, state, recorder, false);
  }

  /** Has attempts look at an account again, whose state an administrator has changed. */
  public void changed(Key key) {
    List<Runnable> waiting;
    Map<Key, AttemptAccount> stripe = stripe(key);
    synchronized (stripe) {
      records.incrementAndGet();
      AttemptAccount account = stripe.get(key);
      waiting = account == null ? List.of() : account.takeWaiting();
    }
    wake(waiting);
  }

  /** Returns the number of accounts with attempts or records under way. */
  public int accounts() {
    int count = 0;
    for (Map<Key, AttemptAccount> stripe : stripes) {
      synchronized (stripe) {
        count += stripe.size();
      }
    }
    return count;
  }
}
