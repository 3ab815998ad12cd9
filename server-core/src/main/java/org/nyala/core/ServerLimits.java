package org.nyala.core;

/**
 * The bounds that the directory itself keeps. Each is a configuration key of the same name.
 *
 * <p>Immutable.
 *
 * @param inFlightPerConnection operations of one connection that may run at once; more wait. Keeps
 *     one client from occupying every thread
 * @param deferredPerConnection decoded operations of one connection that may wait; at the limit the
 *     connection is not read. Room to let Abandon and Unbind overtake
 * @param filterDepth nesting of a filter
 * @param filterNodes nodes of a filter
 * @param dnLength bytes of a DN
 * @param dnRdns RDNs of a DN
 * @param requestedAttributes attributes that a search names
 * @param controls controls of a request
 * @param sizeLimit entries that a search returns to anybody but root; 0 is no limit
 * @param timeLimitSeconds seconds that a search takes for anybody but root; 0 is no limit
 * @param lookThroughLimit candidates that a search examines for anybody but root; 0 is no limit
 * @param aliasDepth aliases followed one after the other
 * @param updates bounds of what changes the directory
 * @param sorting bounds of what is sorted
 */
public record ServerLimits(
    int inFlightPerConnection,
    int deferredPerConnection,
    int filterDepth,
    int filterNodes,
    int dnLength,
    int dnRdns,
    int requestedAttributes,
    int controls,
    int sizeLimit,
    int timeLimitSeconds,
    int lookThroughLimit,
    int aliasDepth,
    UpdateLimits updates,
    SortLimits sorting) {
  /** The defaults. */
  public static final ServerLimits DEFAULT =
      new ServerLimits(32, 64, 64, 4096, 8192, 128, 1024, 32, 0, 3600, 0, 16);

  /** Bounds with the defaults for updates and for what is sorted. */
  public ServerLimits(
      int inFlightPerConnection,
      int deferredPerConnection,
      int filterDepth,
      int filterNodes,
      int dnLength,
      int dnRdns,
      int requestedAttributes,
      int controls,
      int sizeLimit,
      int timeLimitSeconds,
      int lookThroughLimit,
      int aliasDepth) {
    this(
        inFlightPerConnection,
        deferredPerConnection,
        filterDepth,
        filterNodes,
        dnLength,
        dnRdns,
        requestedAttributes,
        controls,
        sizeLimit,
        timeLimitSeconds,
        lookThroughLimit,
        aliasDepth,
        UpdateLimits.DEFAULT,
        SortLimits.DEFAULT);
  }

  /** Bounds with the defaults for what is sorted. */
  public ServerLimits(
      int inFlightPerConnection,
      int deferredPerConnection,
      int filterDepth,
      int filterNodes,
      int dnLength,
      int dnRdns,
      int requestedAttributes,
      int controls,
      int sizeLimit,
      int timeLimitSeconds,
      int lookThroughLimit,
      int aliasDepth,
      UpdateLimits updates) {
    this(
        inFlightPerConnection,
        deferredPerConnection,
        filterDepth,
        filterNodes,
        dnLength,
        dnRdns,
        requestedAttributes,
        controls,
        sizeLimit,
        timeLimitSeconds,
        lookThroughLimit,
        aliasDepth,
        updates,
        SortLimits.DEFAULT);
  }

  /**
   * The bounds of updates.
   *
   * <p>Immutable.
   *
   * @param writeQueue updates that may wait for a store's writer; more are answered {@code busy}.
   *     At least 2
   * @param writeBatch updates that go into one commit: bounds the memory of a transaction. At least
   *     1
   * @param treeDeleteEntries entries that one request may delete with all below it
   * @param valuesPerAttribute values of one attribute of one entry
   */
  public record UpdateLimits(
      int writeQueue, int writeBatch, int treeDeleteEntries, int valuesPerAttribute) {
    /** The defaults. */
    public static final UpdateLimits DEFAULT = new UpdateLimits(16_384, 1024, 100_000, 10_000_000);
  }

  /**
   * The bounds of what is sorted.
   *
   * <p>Immutable.
   *
   * @param sortEntries entries that a search sorts for anybody but root; 0 is no limit. Sorting
   *     keeps a key of each in memory
   * @param sortMemoryMebibytes memory of all sorted lists together, those that are kept for the
   *     next page included; a search that finds no room is told that the server is busy
   */
  public record SortLimits(int sortEntries, int sortMemoryMebibytes) {
    /** The defaults. */
    public static final SortLimits DEFAULT = new SortLimits(100_000, 128);
  }
}
