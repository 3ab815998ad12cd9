package org.nyala.loadtest.result;

/**
 * What server and client used in the measured period. Immutable.
 *
 * @param server the process of {@code --pid}; unknown without
 * @param client this process
 * @param gcPauses garbage collection pauses of this process
 */
public record Resources(ResourceUse server, ResourceUse client, GcPauses gcPauses) {
  static final Resources NONE = new Resources(ResourceUse.NONE, ResourceUse.NONE, GcPauses.NONE);

  /** Of what only CPU time is known, in nanoseconds. */
  static Resources ofCpu(long serverNanos, long clientNanos) {
    return new Resources(
        new ResourceUse(serverNanos, ResourceUse.UNKNOWN, ResourceUse.UNKNOWN, ResourceUse.UNKNOWN),
        new ResourceUse(clientNanos, ResourceUse.UNKNOWN, ResourceUse.UNKNOWN, ResourceUse.UNKNOWN),
        GcPauses.NONE);
  }

  /** What was used since an earlier moment. */
  public Resources since(Resources earlier) {
    return new Resources(
        server.since(earlier.server),
        client.since(earlier.client),
        gcPauses.since(earlier.gcPauses));
  }
}
