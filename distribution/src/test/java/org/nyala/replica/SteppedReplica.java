package org.nyala.replica;

import com.unboundid.ldap.sdk.AsyncSearchResultListener;
import com.unboundid.ldap.sdk.IntermediateResponseListener;
import com.unboundid.ldap.sdk.LDAPException;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.SyncCookie;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.replica.Replica;
import org.nyala.core.replica.ReplicaException;
import org.nyala.core.replica.ReplicaPhase;
import org.nyala.replica.ProviderConnection.SyncListener;

/**
 * A copy that is kept up to date step by step, on a time and over lines of a test: what {@link
 * ReplicaRunner} does, without its thread and its waiting.
 *
 * <p>Confined to one thread.
 */
public final class SteppedReplica {
  private final ReplicationSettings settings;
  private final Replica replica;
  private final MemoryAccount memory;
  private final LongSupplier nanoClock;
  private final Connector connector;
  private final Attempts attempts;
  private final Freshness freshness;
  private final Synchronization synchronization;
  private @Nullable MessageQueue queue;
  private @Nullable Wire wire;
  private long nextNanos;
  private boolean wasGuarded;
  private boolean isResting;

  /** An open connection to the provider. */
  public interface Wire {
    /** Asks for the numbers of its changes. */
    List<String> contextCsns() throws LDAPException;

    /** Asks for the epochs that it knows. */
    @Nullable String question(String cookie) throws LDAPException;

    /** Asks for its content. */
    void synchronize(
        String cookie, AsyncSearchResultListener entries, IntermediateResponseListener others);

    /** Asks for a sign of life. */
    void ask(Runnable answered);

    /** Asks for the epochs, and for how old its data is, without waiting. */
    void question(String cookie, Consumer<@Nullable String> answered);

    /** Ends it. */
    void close();
  }

  /** Opens connections to the provider. */
  @FunctionalInterface
  public interface Connector {
    /**
     * Opens one.
     *
     * @param disconnected receives the reason when it has ended
     */
    Wire open(Consumer<String> disconnected) throws LDAPException;
  }

  /** Prepares it. */
  public SteppedReplica(
      Replica replica,
      ReplicationSettings settings,
      String suffix,
      MemoryAccount memory,
      InstantSource clock,
      LongSupplier nanoClock,
      RandomGenerator random,
      Connector connector) {
    this.settings = settings;
    this.replica = replica;
    this.memory = memory;
    this.nanoClock = nanoClock;
    this.connector = connector;
    this.attempts =
        new Attempts(
            "the copy of " + suffix,
            clock,
            new RetryPause(
                settings.retry().firstMillis(), settings.retry().longestMillis(), random));
    this.freshness = new Freshness(nanoClock.getAsLong());
    this.synchronization =
        new Synchronization(replica, settings, suffix, attempts, freshness, nanoClock);
  }

  /** Returns the settings of a copy. */
  public static ReplicationSettings settings(String suffix, String provider, int replicaId) {
    return new ReplicationSettings(
        new ProviderAccess(
            ProviderUrl.parse(provider),
            new ProviderAccess.Encryption(false, true, null, true, null),
            ProviderLogin.simple("cn=admin", "admin"),
            10_000,
            30_000,
            0),
        List.of(suffix),
        replicaId,
        true,
        provider,
        20,
        ReplicationSettings.Queue.DEFAULT,
        ReplicationSettings.Retry.DEFAULT,
        ReplicationSettings.DEFAULT_READY_LAG_SECONDS);
  }

  /** Returns what it does. */
  public ReplicaPhase phase() {
    return replica.progress().phase();
  }

  /** Returns the entries that a stopped refresh would delete; 0 if none was stopped. */
  public long guarded() {
    return replica.progress().guarded();
  }

  /** Allows a stopped refresh, as an administrator does. */
  public boolean confirm(long entries) {
    boolean isConfirmed = replica.confirm(entries);
    if (isConfirmed) {
      nextNanos = nanoClock.getAsLong();
    }
    return isConfirmed;
  }

  /** Returns the last failure; empty if there was none. */
  public String error() {
    return attempts.last().error();
  }

  /** Returns whether a message can be worked off. */
  public boolean isConnected() {
    return wire != null;
  }

  /** Ends the connection, and makes none but to exchange epochs, as after a promotion. */
  public void rest() {
    if (wire != null) {
      end(null);
    }
    isResting = true;
    nextNanos = nanoClock.getAsLong();
  }

  private void exchange() {
    if (nanoClock.getAsLong() < nextNanos) {
      return;
    }
    nextNanos = nanoClock.getAsLong() + settings.retry().longestMillis() * 1_000_000;
    Wire opened = null;
    try {
      opened = connector.open(_ -> {});
      synchronization.tell(new Provider(opened));
    } catch (ReplicaException | LDAPException _) {
      // The former provider is away, or the store takes no notes: again after the pause.
    } finally {
      if (opened != null) {
        opened.close();
      }
    }
  }

  /** Connects, or works off a message, or looks at the silence. */
  public void step() throws InterruptedException {
    if (isResting) {
      exchange();
      return;
    }
    Exception failure = null;
    try {
      if (wire == null) {
        long left = (nextNanos - nanoClock.getAsLong()) / 1_000_000;
        if (!synchronization.isRestOver(left, wasGuarded)) {
          return;
        }
        connect();
        return;
      }
      if (synchronization.turn(queue.take(0))) {
        return;
      }
    } catch (ReplicaException | EndedException | LDAPException e) {
      failure = e;
    }
    end(failure);
  }

  private void connect() throws ReplicaException, LDAPException {
    attempts.begin();
    MessageQueue messages = new MessageQueue(settings.queue().bytes(), memory, nanoClock);
    queue = messages;
    Wire opened = connector.open(messages::fail);
    wire = opened;
    Provider provider = new Provider(opened);
    synchronization.begin(provider, synchronization.offered(provider), messages);
  }

  /** Ends the connection. */
  private void end(@Nullable Exception failure) {
    queue.close();
    if (wire != null) {
      replica.end(failure instanceof ReplicaException e ? e : null);
      wire.close();
      wire = null;
    }
    freshness.disconnected();
    long millis = failure == null ? 0 : synchronization.failed(failure);
    nextNanos = nanoClock.getAsLong() + millis * 1_000_000;
    wasGuarded = replica.isGuarded();
  }

  /** The provider at the other end of a wire. */
  private record Provider(Wire wire) implements Synchronization.Provider {
    @Override
    public CsnVector changes(String suffix) throws LDAPException {
      return CsnVector.ofLargest(wire.contextCsns().stream().map(Csn::parse).toList());
    }

    @Override
    public @Nullable SyncCookie question(String suffix, String cookie) throws LDAPException {
      String answer = wire.question(cookie);
      return answer == null ? null : SyncCookie.parse(answer);
    }

    @Override
    public boolean isNyala() {
      return true;
    }

    @Override
    public void synchronize(String suffix, String cookie, SyncListener listener) {
      wire.synchronize(cookie, listener, listener);
    }

    @Override
    public void ask(Runnable answered) {
      wire.ask(answered);
    }

    @Override
    public void question(String suffix, String cookie, Consumer<@Nullable SyncCookie> answered) {
      wire.question(
          cookie, answer -> answered.accept(answer == null ? null : SyncCookie.parse(answer)));
    }
  }
}
