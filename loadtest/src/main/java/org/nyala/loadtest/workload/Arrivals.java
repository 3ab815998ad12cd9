package org.nyala.loadtest.workload;

/** The moments at which the operations of an open loop should begin. Immutable. */
public interface Arrivals {
  /** A schedule without operations. */
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

  /** The number of operations. */
  long count();

  /**
   * The time at which an operation should begin, in nanoseconds from the beginning of the schedule;
   * never less than for the one before.
   */
  long nanos(long number);

  /**
   * Returns the operation to go on with when operations that should have begun before a moment are
   * not wanted any more: if all operations are alike, the first that is not before it.
   *
   * @param number the number of the next operation
   * @param nanos the moment, from the beginning of the schedule
   * @return {@code number} if every operation is wanted
   */
  long skip(long number, long nanos);

  /**
   * Returns whether operations follow each other so closely all the time that it pays to look for
   * them at this interval, rather than when the next one is due.
   */
  boolean isDense(long tickNanos);

  /**
   * Operations at equal distances.
   *
   * @param rate of all event loops together, per second
   * @param loop the number of this event loop, from 0 up: the loops take turns
   * @param loops the number of event loops that share the rate
   */
  static Arrivals constant(double rate, int loop, int loops) {
    double gap = 1e9 * loops / rate;
    double first = 1e9 * loop / rate;
    return new Constant(gap, first);
  }

  /** Operations at equal distances without an end. Immutable. */
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
