package org.nyala.core.policy;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.GuessLog;
import org.nyala.core.access.GuessingLimits;
import org.nyala.core.accounts.SharedAccounts;
import org.nyala.core.password.KeyedHash;

/**
 * The budgets of wrong passwords: of sources, of names, and of pairs of both that have succeeded
 * before. Their size does not depend on how many there are: 4.5 MiB.
 *
 * <p>A source is an IPv4 address, an IPv6 network of 64 bits or a user of this machine; behind a
 * proxy, the client that the proxy names. A name counts whether or not there is such an entry.
 * Names that lead to one entry share its budget, which tells one who spends it that they do.
 *
 * <p>Thread-safe.
 */
public final class GuessBudgets {
  private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

  /** Debts are times, which mean nothing under other limits: those begin with new tables. */
  private record Tables(
      GuessingLimits limits, FailureTable sources, FailureTable names, FailureTable pairs) {
    static Tables of(GuessingLimits limits) {
      return new Tables(limits, new FailureTable(), new FailureTable(), new FailureTable());
    }
  }

  private volatile Tables tables = Tables.of(GuessingLimits.DEFAULT);
  private final KnownSources known = new KnownSources();
  private final SharedGuesses shared = new SharedGuesses();
  private final KeyedHash marks;
  private final LongSupplier nanoClock;
  private final long epochNanos;
  private final int parallel;

  /**
   * Creates budgets that are whole.
   *
   * @param random not predictable
   * @param nanoClock the clock that repays failures, in nanoseconds
   * @param parallel attempts for which a budget has room in any case, at least 1: those under way
   *     count as failures until they have succeeded
   */
  public GuessBudgets(RandomGenerator random, LongSupplier nanoClock, int parallel) {
    this.marks = new KeyedHash(random.nextLong(), random.nextLong());
    this.nanoClock = nanoClock;
    this.epochNanos = nanoClock.getAsLong();
    this.parallel = parallel;
  }

  /** Returns the nanoseconds since the budgets were made. */
  long now() {
    return nanoClock.getAsLong() - epochNanos;
  }

  /**
   * Returns an attempt that has not begun.
   *
   * @param limits the limits in force
   * @param source the source: an address by its octets, any other by its text
   * @param isOnThisMachine true if that is this machine
   * @param name the normalised name, or the form that all ways to write it have in common
   * @param log is told of refused and wrong ones
   */
  public PasswordAttempt attempt(
      GuessingLimits limits, Object source, boolean isOnThisMachine, byte[] name, GuessLog log) {
    // Other code may have looked up the host's name, which is part of an address's text then.
    byte[] origin =
        source instanceof InetAddress ip
            ? ip.getAddress()
            : source.toString().getBytes(StandardCharsets.UTF_8);
    long sourceMark = marks.of(origin);
    long nameMark = marks.of(name);
    long pairMark = pairMark(sourceMark, nameMark);
    boolean isKnown = known.include(nameMark, pairMark);
    Tables under = tables(limits);
    FailureBudget ofPair =
        isKnown || isOnThisMachine
            ? budget(under.pairs(), pairMark, limits.failuresPerKnownSource(), limits)
            : budget(under.names(), nameMark, limits.failuresPerName(), limits);
    FailureBudget ofSource =
        isKnown ? null : budget(under.sources(), sourceMark, limits.failuresPerSource(), limits);
    // Each machine has addresses that mean itself: what comes from there is told nobody.
    Claim claim = new Claim(isOnThisMachine ? null : origin, name, nameMark, pairMark, isKnown);
    return new PasswordAttempt(this, claim, ofPair, ofSource, log);
  }

  /**
   * The name and source of an attempt. Immutable, but for the arrays, which nobody writes to.
   *
   * @param source null if other servers are not told of it
   * @param nameMark the keyed hash of the name
   * @param pairMark that of both
   * @param isKnown true if the name has bound from the source
   */
  record Claim(
      byte @Nullable [] source, byte[] name, long nameMark, long pairMark, boolean isKnown) {}

  private static long pairMark(long sourceMark, long nameMark) {
    return mixed(sourceMark + GOLDEN_GAMMA ^ Long.rotateLeft(nameMark, 32));
  }

  /** Notes a wrong password for other servers. */
  void failed(Claim claim) {
    byte[] source = claim.source();
    if (source != null) {
      shared.note(source, claim.name(), claim.isKnown());
    }
  }

  /** Returns the wrong passwords for other servers; see {@link SharedAccounts#takeGuesses}. */
  byte @Nullable [] takeGuesses() {
    return shared.take();
  }

  /**
   * Counts wrong passwords that another server has seen. A source that the name has bound from, be
   * it here or there, has a budget of its own.
   *
   * @throws IllegalArgumentException if the form is none
   */
  void learn(GuessingLimits limits, byte[] form) {
    Tables under = tables(limits);
    long now = now();
    SharedGuesses.read(
        form,
        (source, name, isKnownThere) -> {
          long sourceMark = marks.of(source);
          long nameMark = marks.of(name);
          long pairMark = pairMark(sourceMark, nameMark);
          if (isKnownThere || known.include(nameMark, pairMark)) {
            charge(budget(under.pairs(), pairMark, limits.failuresPerKnownSource(), limits), now);
          } else {
            charge(budget(under.names(), nameMark, limits.failuresPerName(), limits), now);
            charge(budget(under.sources(), sourceMark, limits.failuresPerSource(), limits), now);
          }
        });
  }

  private static void charge(@Nullable FailureBudget budget, long now) {
    if (budget != null) {
      boolean _ = budget.take(now);
    }
  }

  private Tables tables(GuessingLimits limits) {
    Tables present = tables;
    if (present.limits().equals(limits)) {
      return present;
    }
    synchronized (this) {
      present = tables;
      if (!present.limits().equals(limits)) {
        present = Tables.of(limits);
        tables = present;
      }
      return present;
    }
  }

  private @Nullable FailureBudget budget(
      FailureTable table, long mark, int failures, GuessingLimits limits) {
    return failures == 0
        ? null
        : new FailureBudget(table, mark, Math.max(failures, parallel), limits.refillNanos());
  }

  /** Remembers that a name has bound from a source. */
  void succeeded(Claim claim) {
    known.note(claim.nameMark(), claim.pairMark(), (int) TimeUnit.NANOSECONDS.toSeconds(now()));
  }

  /** SplittableRandom's finalizer: every bit of the result depends on every bit. */
  private static long mixed(long mark) {
    long z = (mark ^ mark >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }
}
