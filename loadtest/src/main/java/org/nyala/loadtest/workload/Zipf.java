package org.nyala.loadtest.workload;

/**
 * A chooser of ranks from 1 up, rank r in proportion to {@code 1 / r^skew}, without a table: by
 * rejection from a continuous density above it (W. Hörmann, G. Derflinger: Rejection-inversion to
 * generate variates from monotone discrete distributions, 1996). Immutable. Hot: {@link #rank}.
 */
public final class Zipf {
  /** A source of random numbers from 0 up to 1. */
  public interface Fractions {
    /** A random number from 0 up to 1. */
    double randomFraction();
  }

  private final int count;
  private final double skew;
  private final double fromIntegral;
  private final double toIntegral;
  private final double sureBelow;

  /** Creates a chooser of so many ranks. */
  public Zipf(int count, double skew) {
    this.count = count;
    this.skew = skew;
    this.fromIntegral = integral(1.5) - 1;
    this.toIntegral = integral(count + 0.5);
    this.sureBelow = 2 - inverse(integral(2.5) - density(2));
  }

  /** Chooses a rank. */
  public int rank(Fractions source) {
    while (true) {
      double u = toIntegral + source.randomFraction() * (fromIntegral - toIntegral);
      double x = inverse(u);
      int rank = Math.clamp((long) (x + 0.5), 1, count);
      if (rank - x <= sureBelow || u >= integral(rank + 0.5) - density(rank)) {
        return rank;
      }
    }
  }

  private double density(double x) {
    return Math.exp(-skew * Math.log(x));
  }

  /** An integral of the density, for a skew of 1 as well. */
  private double integral(double x) {
    double log = Math.log(x);
    return expMinusOneOver((1 - skew) * log) * log;
  }

  private double inverse(double y) {
    double t = Math.max(-1, y * (1 - skew));
    return Math.exp(logPlusOneOver(t) * y);
  }

  private static double expMinusOneOver(double x) {
    return Math.abs(x) > 1e-8 ? Math.expm1(x) / x : 1 + x / 2;
  }

  private static double logPlusOneOver(double x) {
    return Math.abs(x) > 1e-8 ? Math.log1p(x) / x : 1 - x / 2;
  }
}
