package org.nyala.management.bean;

import java.util.List;

/** The copies of naming contexts of other servers. Thread-safe. */
@Description(
    "The copies of naming contexts of other servers (replication): how far they are, and what is in"
        + " their way.")
public interface SyncMXBean {
  /** The name under which the bean is registered. */
  String NAME = "org.nyala:type=Sync";

  /** The longest time that a request waits: an hour. */
  int MOST_WAIT_SECONDS = 3600;

  /**
   * The state of a copy. Times are in UTC as ISO 8601 writes them, and empty if there are none.
   *
   * @param provider the URL of the provider
   * @param suffix the DN of the naming context
   * @param phase waiting, refreshing, following, silent, guarded, promoted; or unfinished if it was
   *     a copy, a refresh has not ended, and it is configured as no copy any more
   * @param connectedSince the time since which the provider is connected
   * @param lagSeconds the seconds since the copy was last known to have everything of the provider,
   *     by a message or a sign of life; -1 if it never was since the start
   * @param staleSeconds the same; if less, the seconds since the server keeps the copy up to date;
   *     0 while it follows a provider that is never asked for a sign of life
   * @param ready false if it has never been whole, or was not up to date for longer than {@code
   *     replication.readyLagSeconds}
   * @param received the entries that the provider has sent since the start
   * @param written the entries added, changed, renamed and deleted since the start
   * @param queued the messages that wait for the writer
   * @param waiting the entries that wait for their parents
   * @param guarded the entries that a stopped refresh would delete; or all that are here, and may
   *     be lost, if the provider lacks changes that are here
   * @param attempts the connections since the copy last followed its provider for a minute, the
   *     open one included
   * @param csns the changes that are here, one number for each server
   * @param error the last failure; empty once the copy has followed for a minute
   * @param failed the time of that; empty if there is no error
   */
  record Copy(
      String provider,
      String suffix,
      String phase,
      String connectedSince,
      long lagSeconds,
      long staleSeconds,
      boolean ready,
      long received,
      long written,
      int queued,
      int waiting,
      long guarded,
      int attempts,
      List<String> csns,
      String error,
      String failed) {}

  /**
   * The epochs of a naming context. Each promotion begins the next one.
   *
   * @param suffix the DN of the naming context
   * @param epoch the epoch of the data; 0 if no server was promoted
   * @param writer the number of the server that changes it in that epoch; 0 if no server was
   *     promoted
   * @param otherEpoch another epoch of which this server has heard, later or with the same number;
   *     0 if there is none
   * @param otherWriter the number of the server that was promoted in it; 0 if there is none
   * @param copied true if it is a copy of another server's
   * @param remedy a sentence that says what is to be done; empty if nothing is
   */
  record ContextEpoch(
      String suffix,
      int epoch,
      int writer,
      int otherEpoch,
      int otherWriter,
      boolean copied,
      String remedy) {
    /** Returns whether another server was promoted since this one changed the naming context. */
    public boolean isOutdated() {
      return !copied && otherEpoch > epoch;
    }

    /** Returns whether another server was promoted. */
    public boolean isSuperseded() {
      return otherEpoch > 0;
    }
  }

  /**
   * The result of a request to switch.
   *
   * @param done true if the naming context is as requested, or could be with {@code dryRun}
   * @param lines the checks and the result
   */
  record Switched(boolean done, List<String> lines) {}

  /** Returns the copies; none if this server copies nothing. */
  @Description("The copies: phase, lag, counts, the last failure.")
  List<Copy> getCopies();

  /** Returns the epochs of all naming contexts, copied or not. */
  @Description("The epochs of all naming contexts and their writers.")
  List<ContextEpoch> getEpochs();

  /**
   * Allows a refresh that was stopped to delete as many entries as it would have, and begins it
   * again.
   *
   * @param suffix the DN of the naming context
   * @param entries the number of entries
   * @param by the user of the machine for whom it is done, for the security log; empty if it is not
   *     known. It is ignored over the JMX port, which knows its users.
   * @throws IllegalArgumentException if there is no such copy
   * @throws IllegalStateException if no refresh was stopped, it would delete another number, or the
   *     naming context is promoted
   */
  @Description("Allows a refresh that was stopped to delete as many entries as it would have.")
  void confirm(
      @Description("The DN of the naming context.") String suffix,
      @Description("The number of entries, as guarded of the copy.") long entries,
      @Description("The user of the machine for whom it is done.") String by);

  /** Confirms for a user that is not known. */
  @Description("Allows a refresh that was stopped to delete as many entries as it would have.")
  default void confirm(
      @Description("The DN of the naming context.") String suffix,
      @Description("The number of entries, as guarded of the copy.") long entries) {
    confirm(suffix, entries, "");
  }

  /**
   * Connects now, also after a refresh was stopped, which is not allowed to delete more thereby.
   *
   * @param suffix the DN of the naming context
   * @param by the user of the machine for whom it is done, as for {@link #confirm}
   * @throws IllegalArgumentException if there is no such copy
   * @throws IllegalStateException if the naming context is promoted
   */
  @Description("Connects to the provider now, without a pause, also after a refresh was stopped.")
  void retry(
      @Description("The DN of the naming context.") String suffix,
      @Description("The user of the machine for whom it is done.") String by);

  /** Connects for a user that is not known. */
  @Description("Connects to the provider now, without a pause, also after a refresh was stopped.")
  default void retry(@Description("The DN of the naming context.") String suffix) {
    retry(suffix, "");
  }

  /**
   * Ends the copying of a naming context and lets this server change it; does nothing if that is so
   * already. Begins the next epoch, also of a naming context that is no copy and for which another
   * server was promoted, or that is unfinished, if that is forced. Refused if the copy does not
   * follow, is not equal to its provider, or that still accepts changes.
   *
   * @param suffix the DN of the naming context
   * @param force true to do it in spite of these reasons
   * @param dryRun true to check only
   * @param waitSeconds the time to wait until no reason is left
   * @param by the user of the machine for whom it is done, as for {@link #confirm}
   * @throws IllegalArgumentException if there is no such copy, and no such naming context for which
   *     another server was promoted, or the time is longer than {@link #MOST_WAIT_SECONDS}
   */
  @Description("Ends the copying of a naming context and lets this server change it.")
  Switched promote(
      @Description("The DN of the naming context.") String suffix,
      @Description("Promotes in spite of reasons against it.") boolean force,
      @Description("Checks only.") boolean dryRun,
      @Description("The seconds to wait until no reason is left.") int waitSeconds,
      @Description("The user of the machine for whom it is done.") String by);

  /** Promotes for a user that is not known. */
  @Description("Ends the copying of a naming context and lets this server change it.")
  default Switched promote(
      @Description("The DN of the naming context.") String suffix,
      @Description("Promotes in spite of reasons against it.") boolean force,
      @Description("Checks only.") boolean dryRun,
      @Description("The seconds to wait until no reason is left.") int waitSeconds) {
    return promote(suffix, force, dryRun, waitSeconds, "");
  }

  /**
   * Makes a promoted naming context a copy again. Refused if the provider lacks changes of this
   * server.
   *
   * @param suffix the DN of the naming context
   * @param force true to do it although it lacks changes
   * @param waitSeconds the time to wait until it has all, in which nobody changes the naming
   *     context
   * @param by the user of the machine for whom it is done, as for {@link #confirm}
   * @throws IllegalArgumentException if there is no such copy, or the time is longer than {@link
   *     #MOST_WAIT_SECONDS}
   */
  @Description("Makes a promoted naming context a copy of its provider again.")
  Switched follow(
      @Description("The DN of the naming context.") String suffix,
      @Description("Follows although the provider lacks changes.") boolean force,
      @Description("The seconds to wait until the provider has all changes.") int waitSeconds,
      @Description("The user of the machine for whom it is done.") String by);

  /** Follows for a user that is not known. */
  @Description("Makes a promoted naming context a copy of its provider again.")
  default Switched follow(
      @Description("The DN of the naming context.") String suffix,
      @Description("Follows although the provider lacks changes.") boolean force,
      @Description("The seconds to wait until the provider has all changes.") int waitSeconds) {
    return follow(suffix, force, waitSeconds, "");
  }
}
