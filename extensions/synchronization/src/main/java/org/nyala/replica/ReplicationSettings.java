package org.nyala.replica;

import java.util.List;
import org.nyala.core.limits.Key;
import org.nyala.core.limits.Keys;

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
    @Key List<String> suffixes,
    @Key(usual = 1, to = 999) int replicaId,
    boolean refersWrites,
    String referralUrl,
    @Key(usual = 20, to = 100) int maximumDeletePercent,
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
  public record Queue(
      @Key(name = "queuedMessages", usual = 4000, from = 1) int messages,
      @Key(name = "queuedMebibytes", usual = 16, from = 1, to = 65_536, unit = 1 << 20) long bytes,
      @Key(name = "waitingMebibytes", usual = 64, from = 1, to = 65_536, unit = 1 << 20)
          long waitingBytes) {
    public static final Queue DEFAULT = Keys.defaults(Queue.class);
  }

  /**
   * The pauses between connections.
   *
   * @param firstMillis the first pause, in milliseconds; each further one is twice as long
   * @param longestMillis the longest pause, in milliseconds
   * @param idleMillis the time without messages after which the provider is asked for a sign of
   *     life, in milliseconds; 0 for never
   */
  public record Retry(
      @Key(name = "retrySeconds", usual = 1, from = 1, to = 3600, unit = 1000) long firstMillis,
      @Key(
              name = "maximumRetrySeconds",
              usual = 60,
              notBelow = "firstMillis",
              to = 86_400,
              unit = 1000)
          long longestMillis,
      @Key(name = "idleCheckSeconds", usual = 60, from = 1, to = 86_400, zero = "off", unit = 1000)
          long idleMillis) {
    public static final Retry DEFAULT = Keys.defaults(Retry.class);
  }
}
