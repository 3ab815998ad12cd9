package org.nyala.replica;

import java.util.List;

/**
 * The settings of copies of another server's naming contexts. Each component is a configuration
 * key.
 *
 * <p>Immutable.
 *
 * @param provider the way to the other server
 * @param suffixes the names of the naming contexts; none for the only one of this server
 * @param replicaId the number of this consumer in cookies, 0 to 999
 * @param refersWrites true if requests to change the copy are answered with a referral, false if
 *     they are refused
 * @param referralUrl the URL of the referral
 * @param maximumDeletePercent the share of the entries that a refresh may delete
 * @param queue the messages that wait, of each naming context
 * @param retry the pauses between connections
 * @param readyLagSeconds the time for which a copy may not be up to date and still counts as ready;
 *     0 if it always does
 */
public record ReplicationSettings(
    ProviderAccess provider,
    List<String> suffixes,
    int replicaId,
    boolean refersWrites,
    String referralUrl,
    int maximumDeletePercent,
    Queue queue,
    Retry retry,
    int readyLagSeconds) {
  /** The default of {@code readyLagSeconds}. */
  public static final int DEFAULT_READY_LAG_SECONDS = 600;

  public ReplicationSettings {
    suffixes = List.copyOf(suffixes);
  }

  /**
   * The bounds of messages that wait.
   *
   * @param messages the messages that wait for the writer
   * @param bytes their memory, in bytes; as much again for those that were read and not looked at
   * @param waitingBytes the memory for entries whose parents have not come yet, in bytes; as much
   *     again is for identifiers whose entries have not come
   */
  public record Queue(int messages, long bytes, long waitingBytes) {
    public static final Queue DEFAULT = new Queue(4000, 16 << 20, 64 << 20);
  }

  /**
   * The pauses between connections.
   *
   * @param firstMillis the first pause, in milliseconds; each further one is twice as long
   * @param longestMillis the longest pause, in milliseconds
   * @param idleMillis the time without messages after which the provider is asked for a sign of
   *     life, in milliseconds; 0 for never
   */
  public record Retry(long firstMillis, long longestMillis, long idleMillis) {
    public static final Retry DEFAULT = new Retry(1000, 60_000, 60_000);
  }
}
