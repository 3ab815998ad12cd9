package org.nyala.core.directory;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.core.accounts.AccountsService;
import org.nyala.core.budget.MemoryBounds;
import org.nyala.core.budget.OwnedSlots;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.rights.AccessControl;
import org.nyala.core.rights.RightsService;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.core.session.ClientConnection;
import org.nyala.core.session.Session;
import org.nyala.core.update.ChangeFeed;
import org.nyala.core.update.ChangeListener;
import org.nyala.core.update.CommitSignal;
import org.nyala.core.update.RefusedConsumers;

/**
 * The parts of a directory that stay when its schema and its terms change: they have threads, are
 * waited for, or hold data to which clients will return.
 *
 * <p>Thread-safe.
 */
public final class DirectoryRuntime {
  private static final System.Logger LOG = System.getLogger(DirectoryRuntime.class.getName());

  private final ContextRef current = new ContextRef();
  private final Instant began;
  private final ChangeFeed feed;
  private final CommitSignal signal;
  private final OwnedSlots transactions;
  private final RightsService rights;
  private final AccountsService accounts;
  private final ChangeWriters writers;
  private final RefusedConsumers refusedConsumers = new RefusedConsumers();
  private final SortedListCache views;
  private final PageSeals pageSeals = PageSeals.random();
  private final AtomicBoolean hasToldOfUnbound = new AtomicBoolean();
  private volatile @Nullable SearchExplainers explainers;
  private volatile @Nullable Function<ClientConnection, Session> sessions;
  private AccessSettings terms;
  private @Nullable ComingSchema coming;
  private @Nullable AccessControl inForce;

  /**
   * A directory by a schema that is being stored.
   *
   * @param prepared the directory as it was returned
   * @param directory the same one on the current terms
   */
  private record ComingSchema(OperationContext prepared, OperationContext directory) {}

  /**
   * Creates the parts.
   *
   * @param terms the initial rights and limits of clients
   * @param further notified of commits, before the directory itself
   * @param rights reads access rules
   * @param accounts decides about binds and passwords
   */
  DirectoryRuntime(
      AccessSettings terms,
      UpdateSettings updates,
      List<ChangeListener> further,
      RightsService rights,
      AccountsService accounts) {
    this.rights = rights;
    this.accounts = accounts;
    ServerLimits limits = terms.limits();
    this.terms = terms;
    ServerLimits.StandingLimits standing = limits.standing();
    this.began = updates.clock().instant();
    this.feed =
        new ChangeFeed(
            standing.persistentSearches(),
            standing.persistentSearchesPerConnection(),
            limits.memory().persistentSearchesPerIdentity(),
            MemoryBounds.cacheOf(standing.persistentSearchBytes()));
    this.signal = new CommitSignal(standing.persistentSearches());
    this.transactions =
        new OwnedSlots(
            OwnedSlots.Kind.TRANSACTIONS, () -> current.get().limits().standing().transactions());
    this.writers =
        new ChangeWriters(
            updates,
            limits.updates(),
            () -> current.get().updating().changePolicy(),
            all(further, rights, feed, signal));
    this.views =
        new SortedListCache(
            MemoryBounds.cacheOf((long) limits.sorting().sortMemoryMebibytes() << 20));
  }

  private static List<ChangeListener> all(List<ChangeListener> further, ChangeListener... own) {
    return Stream.concat(further.stream(), Stream.of(own)).toList();
  }

  ContextRef current() {
    return current;
  }

  /**
   * Returns a directory by another schema, which is to be stored: terms that do not fit it are
   * refused until it {@linkplain #takeOver takes over} or is {@linkplain #withdraw withdrawn}.
   *
   * @throws IllegalArgumentException if the current terms do not fit it
   */
  synchronized OperationContext prepare(OperationContext before, ExtendedSchema after) {
    OperationContext prepared = before.by(after, terms);
    requireOpen(current.get().control(), prepared.control());
    coming = new ComingSchema(prepared, prepared);
    return prepared;
  }

  /** Refuses a schema by which rules in the directory cannot be read that could be before. */
  private static void requireOpen(@Nullable AccessControl now, @Nullable AccessControl then) {
    if (now == null || then == null) {
      return;
    }
    then.closed()
        .forEach(
            (top, fault) -> {
              if (!now.closed().containsKey(top)) {
                throw new IllegalArgumentException(fault.getMessage(), fault);
              }
            });
  }

  /** Sets a directory for new operations, on the current terms. */
  synchronized void takeOver(OperationContext next) {
    ComingSchema stored = coming;
    set(stored != null && stored.prepared() == next ? stored.directory() : next);
    withdraw(next);
  }

  /** Forgets a directory that was prepared, whose schema was not stored. */
  synchronized void withdraw(OperationContext prepared) {
    ComingSchema known = coming;
    if (known != null && known.prepared() == prepared) {
      coming = null;
    }
  }

  /**
   * Sets other terms for new operations.
   *
   * @throws IllegalArgumentException if they do not fit the schema, or the one that is being
   *     stored; nothing was changed then
   */
  synchronized void reconfigure(AccessSettings other) {
    OperationContext next = current.get().on(other);
    ComingSchema known = coming;
    if (known != null) {
      coming = new ComingSchema(known.prepared(), known.directory().on(other));
    }
    terms = other;
    accounts.rootsChanged(other.roots().all());
    set(next);
    feed.rightsChanged();
    signal.wakeAll();
  }

  private void set(OperationContext next) {
    AccessControl former = inForce;
    AccessControl control = next.control();
    if (control != null && control != former) {
      control.takeOver();
    }
    current.set(next);
    if (former != null && former != control) {
      former.retire();
    }
    inForce = control;
  }

  /** Returns the service that reads access rules. */
  RightsService rights() {
    return rights;
  }

  /** Returns the service that decides about binds and passwords. */
  AccountsService accounts() {
    return accounts;
  }

  Instant began() {
    return began;
  }

  /** Returns the places for transactions that are not settled. */
  public OwnedSlots transactions() {
    return transactions;
  }

  /** Returns the feed of committed changes. */
  public ChangeFeed feed() {
    return feed;
  }

  /** Returns the consumers of content synchronization that were refused. */
  public RefusedConsumers refusedConsumers() {
    return refusedConsumers;
  }

  public CommitSignal signal() {
    return signal;
  }

  public ChangeWriters writers() {
    return writers;
  }

  /** Returns the sorted lists that searches continue in. */
  public SortedListCache views() {
    return views;
  }

  /** Returns the seals of the cookies of paged results. */
  public PageSeals pageSeals() {
    return pageSeals;
  }

  /** Returns the explainers of searches; null if there are none. */
  public @Nullable SearchExplainers explainers() {
    return explainers;
  }

  public void explainBy(SearchExplainers others) {
    explainers = others;
  }

  /** Sets the server that opens sessions on this directory. */
  public void openSessionsBy(Function<ClientConnection, Session> server) {
    sessions = server;
  }

  /**
   * Opens a session for requests that come by another way than the wire; on the event loop of its
   * connection.
   *
   * @return null if no server has begun yet
   */
  public @Nullable Session openSession(ClientConnection connection) {
    Function<ClientConnection, Session> server = sessions;
    return server == null ? null : server.apply(connection);
  }

  /** Logs, once, the reason why an anonymous client finds nothing. */
  void tellOfUnbound(String why) {
    if (!hasToldOfUnbound.get() && hasToldOfUnbound.compareAndSet(false, true)) {
      LOG.log(
          System.Logger.Level.INFO,
          "a client found nothing, for lack of rights: {0}; further ones are not logged",
          why);
    }
  }
}
