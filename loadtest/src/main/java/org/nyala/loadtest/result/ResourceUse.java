package org.nyala.loadtest.result;

/**
 * The resources that a process has used so far, or used between two moments. Every figure is -1 if
 * it cannot be known. Immutable.
 *
 * @param cpuNanos CPU time in user and kernel mode, in nanoseconds
 * @param rssBytes memory resident at the (later) moment, in bytes
 * @param voluntarySwitches the number of times its threads gave a processor up to wait, from {@code
 *     /proc/PID/task/TID/status} (proc(5)); threads that ended in between are not included
 * @param involuntarySwitches the number of times its threads were taken off a processor
 */
public record ResourceUse(
    long cpuNanos, long rssBytes, long voluntarySwitches, long involuntarySwitches) {
  public static final long UNKNOWN = -1;

  /** The use of which no figure is known. */
  static final ResourceUse NONE = new ResourceUse(UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN);

  /** The use since an earlier moment. */
  ResourceUse since(ResourceUse earlier) {
    return new ResourceUse(
        difference(earlier.cpuNanos, cpuNanos),
        rssBytes,
        difference(earlier.voluntarySwitches, voluntarySwitches),
        difference(earlier.involuntarySwitches, involuntarySwitches));
  }

  /** The use of two processes together; unknown what is unknown of one of them. */
  ResourceUse and(ResourceUse other) {
    return new ResourceUse(
        sum(cpuNanos, other.cpuNanos),
        sum(rssBytes, other.rssBytes),
        sum(voluntarySwitches, other.voluntarySwitches),
        sum(involuntarySwitches, other.involuntarySwitches));
  }

  private static long sum(long one, long other) {
    return one < 0 || other < 0 ? UNKNOWN : one + other;
  }

  private static long difference(long before, long after) {
    return before < 0 || after < 0 ? UNKNOWN : Math.max(0, after - before);
  }
}
