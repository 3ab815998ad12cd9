package org.nyala.replica;

import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.SyncCookie;
import org.nyala.core.replica.Replica;
import org.nyala.core.replica.ReplicaException;
import org.nyala.core.replica.ReplicaPhase;
import org.nyala.core.replica.ReplicaProgress;
import org.nyala.error.ErrorMessages;
import org.nyala.replica.ProviderConnection.SyncListener;

/**
 * The conversation of a copy with its provider: what the messages, the silence and the end of a
 * connection mean for the copy. Waits for nothing but the writer; {@link ReplicaRunner} waits for
 * the provider.
 *
 * <p>Confined to one thread.
 */
final class Synchronization {
  private static final System.Logger LOG = System.getLogger(Synchronization.class.getName());
  private static final int SYNC_REFRESH_REQUIRED = 4096;

  /** The time between two looks at the epochs, which are in the store. */
  private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Replica replica;
  private final ReplicationSettings settings;
  private final String suffix;
  private final Attempts attempts;
  private final Freshness freshness;
  private final LongSupplier nanoClock;
  private @Nullable Provider provider;
  private @Nullable MessageQueue queue;
  private AliveCheck alive;
  private AliveCheck.Question question = _ -> {};

  /** True if the provider is asked for its lag as a sign of life, with the last answer. */
  private boolean isLagTold;

  private volatile int toldLag;

  /** The time at which it was last made sure that the provider has been told of all epochs. */
  private long told;

  /** The other end of an open connection. */
  interface Provider {
    /**
     * Reads the changes that the provider has.
     *
     * @return nothing if it does not show them
     * @throws LDAPException if it cannot be asked, or refuses
     */
    CsnVector changes(String suffix) throws LDAPException;

    /** Returns whether it says that it is a Nyala. */
    boolean isNyala() throws LDAPException;

    /**
     * Asks a Nyala for the epochs that it knows.
     *
     * @param cookie the question, with the epochs that are known here
     * @return null if it does not tell
     * @throws LDAPException if it cannot be asked, or cannot take note of the epochs here
     */
    @Nullable SyncCookie question(String suffix, String cookie) throws LDAPException;

    /**
     * Asks for the content of a naming context, and for all changes from then on.
     *
     * @param cookie the changes that are here already
     * @param listener receives the messages, in order
     */
    void synchronize(String suffix, String cookie, SyncListener listener) throws LDAPException;

    /**
     * Asks for a sign of life, without waiting for it.
     *
     * @param answered called when the answer comes, whatever it says; not if the connection has
     *     ended
     */
    void ask(Runnable answered) throws LDAPException;

    /**
     * Puts a question to a Nyala without waiting for the answer.
     *
     * @param answered receives the answer when it comes, null if it does not tell; not called if
     *     the connection has ended
     */
    void question(String suffix, String cookie, Consumer<@Nullable SyncCookie> answered)
        throws LDAPException;
  }

  /** Prepares the conversations of a copy. */
  Synchronization(
      Replica replica,
      ReplicationSettings settings,
      String suffix,
      Attempts attempts,
      Freshness freshness,
      LongSupplier nanoClock) {
    this.replica = replica;
    this.settings = settings;
    this.suffix = suffix;
    this.attempts = attempts;
    this.freshness = freshness;
    this.nanoClock = nanoClock;
    this.alive = check();
  }

  private AliveCheck check() {
    return new AliveCheck(
        settings.retry().idleMillis(), settings.provider().answerMillis(), nanoClock.getAsLong());
  }

  /** Returns the changes that the provider has; none if it does not show them. */
  CsnVector offered(Provider asked) throws LDAPException {
    CsnVector offered;
    try {
      offered = asked.changes(suffix);
    } catch (LDAPException e) {
      if (ProviderAnswers.isDead(e.getResultCode())) {
        throw e;
      }
      offered = CsnVector.EMPTY;
    }
    LOG.log(System.Logger.Level.DEBUG, "the provider of {0} has {1}", suffix, offered.csns());
    return offered;
  }

  /**
   * Begins a synchronization over a connection.
   *
   * @param offered the changes that the provider has
   * @param messages receives its messages
   */
  void begin(Provider open, CsnVector offered, MessageQueue messages)
      throws ReplicaException, LDAPException {
    provider = open;
    queue = messages;
    boolean isNyala = open.isNyala();
    freshness.provider(0);
    question = open::ask;
    isLagTold = false;
    SyncCookie answer = isNyala ? exchange(open) : null;
    // A member of a cluster may have had to catch up with the copy first, which it has now.
    CsnVector shown = answer == null ? offered : offered(open);
    boolean isComplete = !shown.csns().isEmpty() && isNyala;
    replica.provider(shown, settings.provider().url().toString(), isComplete, answer);
    SyncCookie cookie = replica.begin();
    open.synchronize(suffix, cookie.toString(), new SyncListener(messages));
    alive = check();
    told = nanoClock.getAsLong();
  }

  /**
   * Tells the provider which epochs are known here, and takes note of those that it knows, and of
   * how old its data is. From then on it is asked for that as a sign of life.
   *
   * @return its answer; null if it does not tell
   */
  private @Nullable SyncCookie exchange(Provider open) throws ReplicaException, LDAPException {
    SyncCookie answer = exchange(open, true);
    if (answer == null) {
      return null;
    }
    freshness.provider(answer.lagSeconds());
    isLagTold = true;
    question =
        answered ->
            open.question(
                suffix,
                replica.question().toString(),
                said -> {
                  toldLag = said == null ? SyncCookie.UNKNOWN_LAG : said.lagSeconds();
                  answered.run();
                });
    return answer;
  }

  private @Nullable SyncCookie exchange(Provider open, boolean isCopy)
      throws ReplicaException, LDAPException {
    SyncCookie answer = open.question(suffix, replica.question().toString());
    if (answer != null) {
      replica.hear(answer.epochs(), isCopy);
    }
    return answer;
  }

  /** Exchanges epochs with the former provider of a naming context that this server changes. */
  void tell(Provider former) throws ReplicaException, LDAPException {
    if (former.isNyala()) {
      SyncCookie _ = exchange(former, false);
    }
  }

  /**
   * Works off a message, or looks at the silence if there is none.
   *
   * @return false if all messages before the queue was sealed are worked off
   * @throws EndedException if the provider has ended the search
   */
  boolean turn(MessageQueue.@Nullable Arrived next)
      throws ReplicaException, EndedException, LDAPException, InterruptedException {
    Provider open = provider;
    MessageQueue messages = queue;
    if (open == null || messages == null) {
      throw new IllegalStateException("not begun");
    }
    if (next != null) {
      replica.take(next.message());
      alive.message(nanoClock.getAsLong());
      freshness.message(next.message(), next.nanos());
    } else if (messages.isSealed()) {
      return false;
    } else {
      MessageQueue.End end = messages.ended();
      if (end != null) {
        throw new EndedException(end);
      }
      long now = nanoClock.getAsLong();
      replica.idle(now);
      if (alive.look(question, now)) {
        if (isLagTold) {
          freshness.provider(toldLag);
        }
        freshness.sign(now);
      }
    }
    long time = nanoClock.getAsLong();
    if (time - told >= TELL_NANOS) {
      told = time;
      replica.requireTold();
    }
    ReplicaProgress progress = replica.progress();
    freshness.look(progress, next == null);
    if (progress.phase() == ReplicaPhase.FOLLOWING) {
      attempts.following(nanoClock.getAsLong());
    } else if (next != null) {
      // A provider without a pause is not to be waited for without end.
      replica.idle(next.nanos());
    }
    return true;
  }

  /**
   * Notes the failure of a connection, or its end.
   *
   * @return the pause before the next one, in milliseconds
   */
  long failed(Exception failure) {
    return switch (failure) {
      case ReplicaException e -> {
        boolean isHopeless =
            switch (e.kind()) {
              case UNUSABLE, GUARDED, STOPPING -> true;
              case AGAIN, MISFIT -> false;
            };
        yield failed(ErrorMessages.printable(ErrorMessages.line(e)), isHopeless);
      }
      case EndedException e -> afterEnd(e.end());
      case LDAPException e ->
          failed(
              ProviderAnswers.sentence(e, suffix),
              ProviderAnswers.isHopeless(e.getResultCode().intValue()));
      default -> failed(ErrorMessages.printable(ErrorMessages.line(failure)), false);
    };
  }

  private long failed(String message, boolean isHopeless) {
    return attempts.failed(message, isHopeless, null);
  }

  private long afterEnd(MessageQueue.End end) {
    if (end.code() == SYNC_REFRESH_REQUIRED) {
      if (!end.hasCookie()) {
        replica.startOver();
      }
      return attempts.refreshWanted(ErrorMessages.printable(end.message()));
    }
    return failed(
        ProviderAnswers.sentence(end.code(), end.message(), suffix),
        ProviderAnswers.isHopeless(end.code()));
  }

  /**
   * Returns whether the next connection is due, unless an administrator asks for it.
   *
   * @param leftMillis the rest of the pause
   * @param wasGuarded true if the copy waited for an administrator when the pause began
   */
  boolean isRestOver(long leftMillis, boolean wasGuarded) {
    return !replica.isGuarded() && (leftMillis <= 0 || wasGuarded);
  }

  /**
   * The question to a silent provider for a sign of life; any message is one, too.
   *
   * <p>Confined to one thread, but for the answer, which comes on another one.
   */
  static final class AliveCheck {
    private final long idleNanos;
    private final long answerNanos;
    private long last;
    private boolean isAsked;
    private volatile boolean isAnswered;

    /** Puts the question. */
    @FunctionalInterface
    interface Question {
      /**
       * Puts it, without waiting.
       *
       * @param answered called when the answer comes, on any thread
       */
      void ask(Runnable answered) throws LDAPException;
    }

    /**
     * Creates a check.
     *
     * @param idleMillis the silence after which to ask; 0 for never
     * @param answerMillis the time for the answer
     * @param now the time of the last sign
     */
    AliveCheck(long idleMillis, long answerMillis, long now) {
      this.idleNanos = TimeUnit.MILLISECONDS.toNanos(idleMillis);
      this.answerNanos = TimeUnit.MILLISECONDS.toNanos(answerMillis);
      this.last = now;
    }

    /** Notes a message. */
    void message(long now) {
      last = now;
    }

    /**
     * Called when no message waits.
     *
     * @return whether an answer has come since the last call
     * @throws LDAPException if there is no sign of life in time
     */
    boolean look(Question question, long now) throws LDAPException {
      if (isAnswered) {
        isAnswered = false;
        isAsked = false;
        last = now;
        return true;
      }
      long silent = now - last;
      if (isAsked && silent >= answerNanos) {
        throw new LDAPException(
            ResultCode.TIMEOUT,
            "the provider gives no sign of life (replication.idleCheckSeconds,"
                + " answerTimeoutSeconds)");
      }
      if (!isAsked && idleNanos > 0 && silent >= idleNanos) {
        isAsked = true;
        last = now;
        question.ask(() -> isAnswered = true);
      }
      return false;
    }
  }
}
