package org.nyala.cli.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.nyala.core.password.HashBounds;
import org.nyala.core.password.HashCost;
import org.nyala.core.password.HashSpeed;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.password.ScramKeys;
import org.nyala.server.LoginRate;

/**
 * The search for the most work of a hash that leaves a login the time that it may take.
 *
 * <p>Immutable, but for the gauge.
 *
 * @param gauge the measurement
 * @param goalNanos the time that a hash may take
 * @param threads the threads that hash
 * @param memoryKibibytes the memory that they may take together
 */
public record HashTuning(LoginRate.Gauge gauge, long goalNanos, int threads, int memoryKibibytes) {
  /** The measurements of one scheme: time is nearly proportional to the work. */
  private static final int ROUNDS = 4;

  /** The part of the goal from which on a proposal is good enough, up to which, and its aim. */
  private static final double ENOUGH = 0.85;

  private static final double MOST = 1.02;
  private static final double AIM = 0.97;

  /** Two passes, so that an attacker cannot save memory; more of it is better than more passes. */
  private static final int PASSES = 2;

  private static final int MEMORY_UNIT = 256;
  private static final int NUMBER_UNIT = 100;

  /** The schemes for which there are proposals, the recommended one first. */
  static final List<PasswordScheme> SCHEMES =
      List.of(
          PasswordScheme.ARGON2,
          PasswordScheme.BCRYPT,
          PasswordScheme.PBKDF2_SHA512,
          PasswordScheme.PBKDF2_SHA256,
          PasswordScheme.CRYPT,
          PasswordScheme.SCRAM_SHA256,
          PasswordScheme.SCRAM_SHA512);

  /** A scheme, its work, and the time of that. Immutable. */
  record Proposal(PasswordScheme scheme, HashCost cost, HashSpeed speed) {
    boolean isWithin(long nanos) {
      return speed.nanos() <= nanos * MOST;
    }

    private boolean isWeakerThanDefault() {
      return PasswordHash.decoy(scheme, cost).isWeakerThan(PasswordHash.decoy(scheme));
    }
  }

  /** Returns the most work of a scheme within the goal, or the least that there may be. */
  Proposal propose(PasswordScheme scheme) {
    HashCost cost = HashCost.DEFAULT;
    Proposal tried = new Proposal(scheme, cost, gauge.measure(scheme, cost));
    Proposal best = tried;
    for (int i = 1; i < ROUNDS && !isGood(best); i++) {
      HashCost next = scaled(tried);
      if (next.equals(tried.cost())) {
        break;
      }
      tried = new Proposal(scheme, next, gauge.measure(scheme, next));
      best = better(best, tried);
    }
    return best;
  }

  /** Returns the one within the goal, the one that uses more of it, or else the quicker one. */
  private Proposal better(Proposal one, Proposal other) {
    boolean isLonger = other.speed().nanos() > one.speed().nanos();
    return one.isWithin(goalNanos) && (!isLonger || !other.isWithin(goalNanos))
            || !one.isWithin(goalNanos) && isLonger
        ? one
        : other;
  }

  private boolean isGood(Proposal proposal) {
    return proposal.isWithin(goalNanos) && proposal.speed().nanos() >= goalNanos * ENOUGH;
  }

  private HashCost scaled(Proposal from) {
    double factor = AIM * goalNanos / from.speed().nanos();
    HashCost cost = from.cost();
    HashBounds bounds = HashBounds.DEFAULT;
    return switch (from.scheme()) {
      case ARGON2 -> argon2(cost, (long) (factor * cost.argon2Kibibytes() * cost.argon2Passes()));
      case BCRYPT -> {
        int more = (int) Math.floor(Math.log(factor * MOST / AIM) / Math.log(2));
        yield cost.with(
            from.scheme(),
            Math.clamp(cost.bcryptCost() + more, HashCost.LEAST_BCRYPT_COST, bounds.bcryptCost()));
      }
      case CRYPT ->
          cost.with(
              from.scheme(),
              number(factor, cost.cryptRounds(), HashCost.LEAST_ROUNDS, bounds.cryptRounds()));
      case SCRAM_SHA256, SCRAM_SHA512 ->
          cost.with(
              from.scheme(),
              number(
                  factor,
                  cost.scramIterations(),
                  ScramKeys.ITERATIONS_MINIMUM,
                  bounds.pbkdf2Iterations()));
      default ->
          cost.with(
              from.scheme(),
              number(
                  factor,
                  cost.pbkdf2Iterations(),
                  HashCost.LEAST_ITERATIONS,
                  bounds.pbkdf2Iterations()));
    };
  }

  private static int number(double factor, int from, int least, int most) {
    long scaled = (long) (factor * from) / NUMBER_UNIT * NUMBER_UNIT;
    return (int) Math.clamp(scaled, (long) least, (long) most);
  }

  /** Returns the memory and passes whose product is about a number. */
  private HashCost argon2(HashCost cost, long work) {
    int most = Math.min(HashBounds.DEFAULT.argon2Kibibytes(), memoryKibibytes / threads);
    long needed = Math.max(PASSES, Math.ceilDiv(work, (long) most));
    int passes = (int) Math.min(needed, HashBounds.DEFAULT.argon2Passes());
    long memory = work / passes / MEMORY_UNIT * MEMORY_UNIT;
    int kibibytes = (int) Math.clamp(memory, (long) HashCost.LEAST_KIBIBYTES, (long) most);
    return cost.withArgon2(kibibytes, passes);
  }

  /** Returns the lines for a person, with those to paste into the configuration. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        String.format(
            Locale.ROOT,
            "measured on this machine: %d processors, %d of them for hashes (dispatch.hashThreads)",
            Runtime.getRuntime().availableProcessors(),
            threads));
    lines.add(
        "goal: "
            + new LoginRate(PasswordScheme.ARGON2, new HashSpeed(goalNanos), threads).text()
            + "; the next login with the same password computes no hash"
            + " (password.rememberSeconds)");
    lines.add("");
    for (PasswordScheme scheme : SCHEMES) {
      Proposal proposal = propose(scheme);
      LoginRate rate = new LoginRate(scheme, proposal.speed(), threads);
      lines.add(
          "# "
              + rate.text()
              + (proposal.isWithin(goalNanos) ? "" : "; the least work takes longer than the goal")
              + (proposal.isWeakerThanDefault() ? "; less work than by default" : ""));
      lines.add(
          "nyala.password { scheme = "
              + scheme.label()
              + ", "
              + proposal.cost().keys(scheme)
              + " }");
    }
    return lines;
  }
}
