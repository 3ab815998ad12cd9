package org.nyala.dynamic;

import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.NamingContexts;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryView;
import org.nyala.core.update.ChangeListener;
import org.nyala.core.update.CommittedChange;
import org.nyala.extension.AttributeSource;
import org.nyala.extension.Directory;
import org.nyala.extension.ExtendedKind;
import org.nyala.extension.Extension;
import org.nyala.extension.Hooks;
import org.nyala.extension.PlacementRule;

/**
 * The extension of dynamic entries in one directory: entries that live until the time that is
 * stored in them (RFC 2589).
 *
 * <p>Thread-safe.
 */
public final class DynamicEntries implements Extension {
  /** The name of slapd's overlay. */
  public static final String NAME = "dds";

  private final Optional<DynamicSettings> settings;
  private final InstantSource clock;
  private final boolean sweeps;
  private volatile Map<Backend, EntryExpiry> expiries = Map.of();
  private volatile @Nullable NamingContexts contexts;
  private volatile @Nullable LifetimeRules last;
  private volatile @Nullable ExpiryTimer timer;

  /**
   * Creates the extension of a directory, in which {@link #expire} alone deletes.
   *
   * @param settings the lifetimes; empty if the directory has no dynamic entries: then it refuses
   *     new ones, and shows how long those live that it was given
   * @param clock the time of day
   */
  public DynamicEntries(Optional<DynamicSettings> settings, InstantSource clock) {
    this(settings, clock, false);
  }

  private DynamicEntries(Optional<DynamicSettings> settings, InstantSource clock, boolean sweeps) {
    this.settings = settings;
    this.clock = clock;
    this.sweeps = sweeps;
  }

  /**
   * Returns the extension of a directory in which a thread deletes what has expired, at its start
   * and then at intervals.
   *
   * @param settings the lifetimes; empty if the directory has no dynamic entries
   */
  public static DynamicEntries sweeping(Optional<DynamicSettings> settings) {
    return new DynamicEntries(settings, InstantSource.system(), true);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public List<ExtendedKind> extended() {
    return settings.isPresent() ? List.of(new RefreshOperation.Kind(this)) : List.of();
  }

  @Override
  public Hooks hooks(Directory directory) {
    LifetimeRules rules = new LifetimeRules(this, directory);
    List<PlacementRule> placements = List.of(rules);
    List<AttributeSource> attributes = List.of(new RemainingTime(rules));
    Map<String, List<String>> rootDse =
        settings.isEmpty()
            ? Map.of()
            : Map.of(
                "dynamicSubtrees", directory.namingContexts().stream().map(Dn::toString).toList());
    return new Hooks() {
      @Override
      public List<PlacementRule> placements() {
        return placements;
      }

      @Override
      public List<AttributeSource> attributes() {
        return attributes;
      }

      @Override
      public Map<String, List<String>> rootDse() {
        return rootDse;
      }
    };
  }

  /** The seconds that an entry has left (RFC 2589, section 5). Thread-safe. */
  private record RemainingTime(LifetimeRules rules) implements AttributeSource {
    @Override
    public String oid() {
      return LifetimeRules.ENTRY_TTL_OID;
    }

    @Override
    public List<byte[]> values(ReadTransaction transaction, EntryView view) {
      return rules.remaining(view, transaction.attributes());
    }
  }

  @Override
  public void opened(Directory directory) {
    OperationContext context = (OperationContext) directory;
    contexts = context.contexts();
    Map<Backend, EntryExpiry> each = new HashMap<>();
    for (Dn suffix : settings.isEmpty() ? List.<Dn>of() : context.contexts().suffixes()) {
      Backend backend = context.contexts().backendOf(suffix);
      if (backend != null && !each.containsKey(backend)) {
        EntryExpiry expiry = new EntryExpiry(this, backend, context.holder(), settings.get());
        each.put(backend, expiry);
        expiry.load();
      }
    }
    expiries = Map.copyOf(each);
    if (sweeps && settings.isPresent()) {
      timer = ExpiryTimer.start(this, settings.get());
    }
  }

  @Override
  public void close() {
    ExpiryTimer started = timer;
    if (started != null) {
      started.close();
    }
  }

  @Override
  public List<ChangeListener> listeners() {
    return settings.isPresent() ? List.of(new Commits()) : List.of();
  }

  /** Keeps the queues of what expires as the stores are. */
  private final class Commits implements ChangeListener {
    @Override
    public void committed(List<CommittedChange> changes) {
      DynamicEntries.this.committed(changes);
    }

    @Override
    public void replaced() {
      // Entries that are queued and not there any more are left out once they are due.
      expiries.values().forEach(EntryExpiry::load);
    }
  }

  private void committed(List<CommittedChange> changes) {
    Map<Backend, EntryExpiry> known = expiries;
    NamingContexts names = contexts;
    if (names == null) {
      return;
    }
    for (CommittedChange each : changes) {
      Backend backend = names.backendOf(each.change().dn());
      EntryExpiry expiry = backend == null ? null : known.get(backend);
      if (expiry != null) {
        expiry.committed(each);
      }
    }
  }

  /** Begins to delete entries that have expired; never blocks. */
  public void expire() {
    expiries.values().forEach(EntryExpiry::expire);
  }

  /** Returns the lifetimes; empty if the directory has no dynamic entries. */
  Optional<DynamicSettings> settings() {
    return settings;
  }

  InstantSource clock() {
    return clock;
  }

  /** Returns the task that deletes the dynamic entries of a store; null if there are none. */
  @Nullable EntryExpiry expiry(Backend backend) {
    return expiries.get(backend);
  }

  /** Returns the rules by the schema of a directory. */
  LifetimeRules rules(OperationContext directory) {
    LifetimeRules known = last;
    if (known == null || known.directory() != directory) {
      known = new LifetimeRules(this, directory);
      last = known;
    }
    return known;
  }
}
