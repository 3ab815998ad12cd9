package org.nyala.core.limits;

import org.nyala.core.budget.MemoryBounds;

/**
 * The limits that the directory itself enforces. Each number is a configuration key of the same
 * name.
 *
 * <p>Immutable.
 *
 * @param requests the limits of the parts of a request
 * @param searches the limits of searches
 * @param sessions the limits of one connection's operations
 * @param updates the limits of updates
 * @param sorting the limits of sorting
 * @param standing the limits of state that is kept between requests
 * @param memory the limits of the memory of requests and standing searches
 */
public record ServerLimits(
    RequestLimits requests,
    SearchLimits searches,
    SessionLimits sessions,
    UpdateLimits updates,
    SortLimits sorting,
    StandingLimits standing,
    @Key(name = "memory") MemoryLimits memory) {
  public static final ServerLimits DEFAULT = Keys.defaults(ServerLimits.class);

  /**
   * The limits of the parts of a request.
   *
   * <p>Immutable.
   *
   * @param filterDepth nesting of a filter
   * @param filterNodes nodes of a filter
   * @param dnLength bytes of a DN
   * @param dnRdns RDNs of a DN
   * @param requestedAttributes attributes that a search names
   * @param controls controls of a request
   */
  public record RequestLimits(
      @Key(usual = 64, from = 1, to = 512, lasting = true) int filterDepth,
      @Key(usual = 4096, from = 1, to = 1_000_000, lasting = true) int filterNodes,
      @Key(usual = 8192, from = 64, to = 65_535) int dnLength,
      @Key(usual = 128, from = 1, to = 65_536) int dnRdns,
      @Key(usual = 1024, from = 1, to = 1_000_000, lasting = true) int requestedAttributes,
      @Key(usual = 32, from = 1, to = 65_536, lasting = true) int controls) {
    public static final RequestLimits DEFAULT = Keys.defaults(RequestLimits.class);
  }

  /**
   * The limits of searches of clients other than root.
   *
   * <p>Immutable.
   *
   * @param sizeLimit entries that a search returns; 0 is no limit
   * @param timeLimitSeconds seconds that a search takes; 0 is no limit
   * @param lookThroughLimit candidates that a search examines; 0 is no limit
   * @param aliasDepth aliases followed one after the other, also for root
   * @param dereferencedAttributes attributes whose values one request dereferences, also for root
   * @param dereferencedValues values that one request dereferences; 0 is no limit
   */
  public record SearchLimits(
      @Key int sizeLimit,
      @Key(usual = 3600) int timeLimitSeconds,
      @Key int lookThroughLimit,
      @Key(usual = 16, to = 1024) int aliasDepth,
      @Key(usual = 16, from = 1, to = 1024) int dereferencedAttributes,
      @Key(usual = 100_000) int dereferencedValues) {
    public static final SearchLimits DEFAULT = Keys.defaults(SearchLimits.class);
  }

  /**
   * The limits of one connection's operations.
   *
   * <p>Immutable.
   *
   * @param inFlightPerConnection operations that may run at once; more wait. Keeps one client from
   *     occupying every thread
   * @param deferredPerConnection decoded operations that may wait; at the limit the connection is
   *     not read. Room to let Abandon and Unbind overtake
   * @param admissionTimeoutSeconds the time that an operation waits for a permit to run off the
   *     event loops before it is answered {@code busy}; 0 is for ever
   * @param hashQueueSeconds the time that a bind waits for its turn to have its password hashed
   *     before it is answered {@code busy}; 0 is for ever
   * @param hashQueue operations that may wait for a slow password hash, or have it computed; one
   *     more takes the place of one of the client that has most, which is answered {@code busy}. At
   *     least 1
   */
  public record SessionLimits(
      @Key(usual = 32, from = 1, to = 65_536) int inFlightPerConnection,
      @Key(usual = 64, from = 1, to = 65_536) int deferredPerConnection,
      @Key(usual = 10) int admissionTimeoutSeconds,
      @Key(usual = 10) int hashQueueSeconds,
      @Key(usual = 16_384, from = 1) int hashQueue) {
    /**
     * Ten seconds are the time that people wait for an answer, and longer than operations wait on a
     * healthy server. In these, a thread computes about a thousand hashes.
     */
    public static final SessionLimits DEFAULT = Keys.defaults(SessionLimits.class);
  }

  /**
   * The limits of updates.
   *
   * <p>Immutable.
   *
   * @param writeQueue updates that may wait for a store's writer; more are answered {@code busy}.
   *     At least 2
   * @param writeBatch updates that go into one commit: limits the memory of a transaction. At least
   *     1
   * @param treeDeleteEntries entries that one request may delete with all below it
   * @param valuesPerAttribute values of one attribute of one entry
   * @param attributeOptions attribute descriptions with options, such as {@code cn;lang-en}, of all
   *     entries of a store together. A store has 65,535 numbers for descriptions and takes none
   *     back
   * @param ruleLookups look-ups that uniqueness, referential integrity and groups may take for one
   *     update, while all others wait for it. The default is three times the need of the largest
   *     tree delete if ten attributes may refer to entries and none does: each referring entry is
   *     examined, and bit strings take a second look-up
   * @param sizes the maximum size of an entry
   */
  public record UpdateLimits(
      @Key(usual = 16_384, from = 2, to = 1 << 24, lasting = true) int writeQueue,
      @Key(usual = 1024, from = 1, to = 65_536, lasting = true) int writeBatch,
      @Key(usual = 100_000, from = 1) int treeDeleteEntries,
      @Key(usual = 10_000_000, from = 1) int valuesPerAttribute,
      @Key(usual = 10_000, to = 32_768) int attributeOptions,
      @Key(usual = 3_000_000, from = 1000) int ruleLookups,
      EntrySizes sizes) {
    public static final UpdateLimits DEFAULT = Keys.defaults(UpdateLimits.class);
  }

  /**
   * The maximum size to which changes may grow an entry. An entry that is larger already may
   * shrink.
   *
   * <p>Immutable.
   *
   * @param recordBytes bytes of an entry without the values that are kept apart because an
   *     attribute has many: a change copies them a few times in memory
   * @param bytes bytes of all values of an entry: an import reads them as one record
   */
  public record EntrySizes(
      @Key(name = "entryRecordBytes", usual = 32 << 20, from = 65_536) int recordBytes,
      @Key(name = "entryBytes", usual = 256 << 20, from = 65_536) int bytes) {
    /** Twice the largest message; a group of two million members. */
    public static final EntrySizes DEFAULT = Keys.defaults(EntrySizes.class);

    /** The least size of the heap in records of the bound: a change copies a record a few times. */
    private static final int HEAP_PART = 16;

    /** Returns the heap, in bytes, with which records of a size are within the bound. */
    public static long heapBytes(long recordBytes) {
      return recordBytes * HEAP_PART;
    }

    /** Returns the same, with records of no more than a sixteenth of a heap. */
    public EntrySizes within(long heapBytes) {
      return new EntrySizes((int) Math.min(recordBytes, heapBytes / HEAP_PART), bytes);
    }
  }

  /**
   * The limits of sorting.
   *
   * <p>Immutable.
   *
   * @param sortEntries entries that a search sorts for clients other than root; 0 is no limit.
   *     Sorting keeps a key of each in memory
   * @param sortMemoryMebibytes memory of all sorted lists together, those that are kept for the
   *     next page included; a search that finds no room is answered {@code busy}
   */
  public record SortLimits(
      @Key(usual = 100_000) int sortEntries,
      @Key(usual = 128, from = 1, to = 65_536, lasting = true) int sortMemoryMebibytes) {
    /** The defaults. */
    public static final SortLimits DEFAULT = Keys.defaults(SortLimits.class);
  }

  /**
   * The limits of the state that the server holds for clients between their requests.
   *
   * <p>Immutable.
   *
   * @param transactions transactions in all that are not settled
   * @param transactionsPerConnection such transactions of one connection
   * @param transactionUpdates updates of one transaction
   * @param transactionBytes memory of the updates of one transaction in bytes, roughly
   * @param persistentSearches searches in all that follow changes
   * @param persistentSearchesPerConnection such searches of one connection
   * @param persistentSearchBytes the maximum backlog of such a search, in bytes of changed entries,
   *     roughly: the memory that the slowest of all clients can take
   */
  public record StandingLimits(
      @Key(usual = 4096, to = 1_000_000) int transactions,
      @Key(usual = 4, to = 65_536) int transactionsPerConnection,
      @Key(usual = 1024, from = 1, to = 1_000_000) int transactionUpdates,
      @Key(usual = 16 << 20, from = 1024) int transactionBytes,
      @Key(usual = 1024, to = 1_000_000, lasting = true) int persistentSearches,
      @Key(usual = 8, to = 65_536, lasting = true) int persistentSearchesPerConnection,
      @Key(usual = 64 << 20, from = 1024, lasting = true) int persistentSearchBytes) {
    public static final StandingLimits DEFAULT = Keys.defaults(StandingLimits.class);
  }

  /**
   * The limits of the memory that clients occupy in the server.
   *
   * <p>Immutable.
   *
   * @param mebibytes all of it together; 0 follows from the memory there is
   * @param ownerPercent the share of one identity, or of all anonymous clients of one address
   * @param connectionPercent the share of one connection
   * @param operationMebibytes what one operation may allocate beyond what its slices need, garbage
   *     included; 0 follows from the heap
   * @param fullPercent the share of the heap that may be in use after a collection, and of the
   *     memory of buffers: beyond it the largest operations and connections end
   * @param requestElements elements of a request: values, parts of a filter, and their containers
   * @param assertionBytes bytes of one assertion value of a filter: they are prepared in one piece
   * @param persistentSearchesPerIdentity persistent searches of one identity
   * @param persistentSearchRequestBytes bytes of the request for such a search, decoded; it is held
   *     for as long as the search stands
   */
  public record MemoryLimits(
      @Key(to = 1 << 20) int mebibytes,
      @Key(usual = MemoryBounds.OWNER_PERCENT, from = 1, to = 100) int ownerPercent,
      @Key(usual = MemoryBounds.CONNECTION_PERCENT, from = 1, to = 100) int connectionPercent,
      @Key(to = 1 << 20) int operationMebibytes,
      @Key(usual = 85, from = 10, to = 100) int fullPercent,
      @Key(usual = 1_000_000, from = 100) int requestElements,
      @Key(usual = 1 << 20, from = 1024, lasting = true) int assertionBytes,
      @Key(usual = 128, to = 1_000_000, lasting = true) int persistentSearchesPerIdentity,
      @Key(usual = 256 << 10, from = 1024) int persistentSearchRequestBytes) {
    /** Returns the bounds in bytes for a heap and direct memory of given sizes. */
    public MemoryBounds bounds(long heapBytes, long directBytes) {
      long derived = MemoryBounds.wholeOf(heapBytes, directBytes);
      long whole = mebibytes == 0 ? derived : Math.min(derived, (long) mebibytes << 20);
      return MemoryBounds.of(whole, ownerPercent, connectionPercent)
          .withOperation(
              operationMebibytes == 0
                  ? MemoryBounds.operationOf(heapBytes)
                  : (long) operationMebibytes << 20);
    }

    public static final MemoryLimits DEFAULT = Keys.defaults(MemoryLimits.class);
  }
}
