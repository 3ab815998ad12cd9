package org.nyala.loadtest.workload;

/** The moments at which the operations of an open loop should begin. Immutable. */
public interface Arrivals {
  /** None at all. */
  Arrivals NONE =
      new Arrivals() {
        @Override
        public long count() {
          return 0;
        }

        @Override
        public long nanos(long number) {
          return 0;
        }

        @Override
        public boolean isDense(long tickNanos) {
          return false;
        }

        @Override
        public long skip(long number, long nanos) {
          return number;
        }
      };

  /** How many there are. */
  long count();

  /**
   * When an operation should begin, in nanoseconds from the beginning of the schedule; never less
   * than for the one before.
   */
  long nanos(long number);

  /**
   * Where to go on when nobody wants any more what should have begun before a moment: where all
   * operations are alike, with the first that is not before it.
   *
   * @param number the operation that would be next
   * @param nanos the moment, from the beginning of the schedule
   * @return {@code number} where every operation is wanted
   */
  long skip(long number, long nanos);

  /**
   * Whether operations follow each other so closely all the time that it is worth looking for them
   * at such distances, rather than when the next one is due.
   */
  boolean isDense(long tickNanos);

  /**
   * Operations at equal distances.
   *
   * @param rate of all event loops together, per second
   * @param loop the number of this event loop, from 0 up: the loops take turns
   * @param loops how many event loops share the rate
   */
  static Arrivals constant(double rate, int loop, int loops) {
    double gap = 1e9 * loops / rate;
    double first = 1e9 * loop / rate;
    return new Constant(gap, first);
  }

  /** Without an end. Immutable. */
  record Constant(double gapNanos, double firstNanos) implements Arrivals {
    @Override
    public long count() {
      return Long.MAX_VALUE;
    }

    @Override
    public long nanos(long number) {
      return (long) (firstNanos + number * gapNanos);
    }

    @Override
    public boolean isDense(long tickNanos) {
      return gapNanos <= tickNanos;
    }

    @Override
    public long skip(long number, long nanos) {
      return Math.max(number, (long) Math.ceil((nanos - firstNanos) / gapNanos));
    }
  }
}
