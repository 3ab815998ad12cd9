package org.nyala.loadtest.workload;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/**
 * The spacing of operations beside their rate. Immutable.
 *
 * @param isPoisson true if the times between two operations of an open loop are exponential, as
 *     those of many independent people; false for equal distances
 * @param seed the seed of these times
 * @param profile how the rate changes
 * @param think the time between an answer and the next operation in a closed loop
 */
public record LoadFlow(boolean isPoisson, long seed, RateProfile profile, ThinkTime think) {
  /** Equal distances at one rate, and no time to think. */
  public static final LoadFlow EVEN = new LoadFlow(false, 0, RateProfile.STEADY, ThinkTime.NONE);

  /**
   * The moments of one event loop.
   *
   * @param rate of all event loops together, unless the profile has rates
   * @param loop the number of this event loop, from 0 up
   * @param warmupSeconds the time before the profile, at its first rate
   */
  Arrivals arrivals(double rate, int loop, int loops, double warmupSeconds) {
    if (!isPoisson && profile.isSteady()) {
      return Arrivals.constant(rate, loop, loops);
    }
    RateProfile rates =
        profile.isSteady()
            ? new RateProfile(List.of(new RateProfile.Phase(rate, rate, 1)))
            : profile.after(warmupSeconds);
    return new Varying(rates, isPoisson, seed, loop, loops);
  }

  /** The flow in words; empty if there is nothing unusual. */
  public String inWords() {
    List<String> words = new ArrayList<>();
    if (isPoisson) {
      words.add("Poisson arrivals");
    }
    for (RateProfile.Phase phase : profile.phases()) {
      String rates =
          phase.from() == phase.to()
              ? plain(phase.from())
              : plain(phase.from()) + " to " + plain(phase.to());
      words.add(rates + "/s for " + plain(phase.seconds()) + " s");
    }
    if (think.seconds() > 0) {
      words.add(
          (think.isExponential() ? "exponential think time of " : "think time of ")
              + plain(think.seconds())
              + " s");
    }
    return String.join(", ", words);
  }

  private static String plain(double number) {
    return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
  }

  /**
   * Operations at a rate that changes, at equal distances of the integral of the rate, or at the
   * times of a Poisson process: exponential distances of it. Confined to one thread, because sums
   * of distances are kept.
   */
  private static final class Varying implements Arrivals {
    private static final int KEPT_EVERY = 1024;

    private final RateProfile profile;
    private final boolean isPoisson;
    private final long salt;
    private final int loop;
    private final int loops;
    private final List<Double> kept = new ArrayList<>();
    private long at = -1;
    private double sum;

    Varying(RateProfile profile, boolean isPoisson, long seed, int loop, int loops) {
      this.profile = profile;
      this.isPoisson = isPoisson;
      this.salt = SplitMix.mixed(SplitMix.mixed(seed) + loop);
      this.loop = loop;
      this.loops = loops;
    }

    @Override
    public long count() {
      return Long.MAX_VALUE;
    }

    @Override
    public long nanos(long number) {
      double operations = isPoisson ? sum(number) * loops : (double) number * loops + loop;
      return (long) profile.nanos(operations);
    }

    /** The sum of the distances up to an operation, whose mean is 1. */
    private double sum(long number) {
      if (number < at) {
        int last = (int) (number / KEPT_EVERY);
        at = (long) last * KEPT_EVERY;
        sum = kept.get(last);
      }
      while (at < number) {
        at++;
        sum += SplitMix.exponential(salt, at);
        if (at % KEPT_EVERY == 0 && at / KEPT_EVERY == kept.size()) {
          kept.add(sum);
        }
      }
      return sum;
    }

    @Override
    public boolean isDense(long tickNanos) {
      double lowest = profile.lowestRate();
      return lowest > 0 && 1e9 * loops / lowest <= tickNanos;
    }

    @Override
    public long skip(long number, long nanos) {
      long next = number;
      while (nanos(next) < nanos) {
        next++;
      }
      return next;
    }
  }
}
