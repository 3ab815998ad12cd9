package org.nyala.loadtest.result;

/**
 * The resources that server and client used in the measured period. Immutable.
 *
 * @param server the process of {@code --pid}; unknown without the option
 * @param client this process
 * @param gcPauses garbage collection pauses of this process
 */
public record Resources(ResourceUse server, ResourceUse client, GcPauses gcPauses) {
  static final Resources NONE = new Resources(ResourceUse.NONE, ResourceUse.NONE, GcPauses.NONE);

  /** The use since an earlier moment. */
  public Resources since(Resources earlier) {
    return new Resources(
        server.since(earlier.server),
        client.since(earlier.client),
        gcPauses.since(earlier.gcPauses));
  }
}
