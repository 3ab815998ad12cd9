package org.nyala.core.access.enforce;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.decide.CompiledRules;
import org.nyala.core.access.decide.CompiledRules.ClientClass;
import org.nyala.core.access.decide.DecidedRules;
import org.nyala.core.access.decide.GroupMemberships;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.core.access.rule.Clause;
import org.nyala.core.access.rule.Delegation;
import org.nyala.core.access.rule.Grant;
import org.nyala.core.access.rule.Group;
import org.nyala.core.access.rule.InvalidRulesException;
import org.nyala.core.access.rule.Rule;
import org.nyala.core.access.rule.RulesParser;
import org.nyala.core.access.rule.Source;
import org.nyala.core.access.rule.Step;
import org.nyala.core.access.rule.Target;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.budget.MemoryBounds;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryFacts;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.filter.FilterLimitException;
import org.nyala.core.filter.Membership;
import org.nyala.core.filter.Pace;
import org.nyala.core.integrity.ChangeCause;
import org.nyala.core.integrity.ChangeRule;
import org.nyala.core.integrity.ChangedEntry;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.rights.AccessControl;
import org.nyala.core.rights.ClientFacts;
import org.nyala.core.rights.ClientRules;
import org.nyala.core.schema.Schema;
import org.nyala.core.update.UpdateContext;

/**
 * The access rules in force under one schema, and what they come to for the clients that were here
 * last.
 *
 * <p>Thread-safe. Hot: for the client of the operation before on the same connection, rules cost
 * some comparisons.
 */
public final class RuledControl implements AccessControl {
  /** The maximum number of groups within groups that one client is in. */
  static final int MAXIMUM_GROUPS = 10_000;

  private static final System.Logger LOG = System.getLogger(RuledControl.class.getName());

  private final AccessRules file;
  private final RulesText text;
  private final Schema schema;
  private final @Nullable Membership membership;
  private final FilterCompiler compiler;
  private final Function<Dn, @Nullable Backend> backends;
  private final GroupWatch watch;
  private final Function<ReadTransaction, EntryFacts> facts;
  private final ClientRulesCache cache = new ClientRulesCache();
  private final GroupWatch.Reader reader = this::readDelegated;
  private volatile CompiledRules rules;
  private volatile DelegatedRules delegated;

  private RuledControl(
      AccessRules file,
      RulesText text,
      Schema schema,
      @Nullable Membership membership,
      Function<Dn, @Nullable Backend> backends,
      GroupWatch watch,
      Function<ReadTransaction, EntryFacts> facts) {
    this.file = file;
    this.text = text;
    this.schema = schema;
    this.membership = membership;
    this.facts = facts;
    this.backends = backends;
    this.watch = watch;
    this.compiler = new FilterCompiler(schema, _ -> true, 2, 3);
    this.delegated = DelegatedRules.read(file, text, schema, backends);
    this.rules = CompiledRules.of(file, delegated.rules(), schema, membership);
  }

  /**
   * Reads rules by a schema, and those that the directory holds.
   *
   * @param membership the rules by which {@code memberOf} is computed; null if it is stored
   * @param backends returns the store that holds a name; null if none does
   * @param watch the watch over the groups that rules name
   * @param facts answers what filters of rules ask beyond an entry, in a transaction
   * @throws InvalidRulesException for the first fault
   */
  public static RuledControl of(
      RulesText text,
      Schema schema,
      @Nullable Membership membership,
      Function<Dn, @Nullable Backend> backends,
      GroupWatch watch,
      Function<ReadTransaction, EntryFacts> facts)
      throws InvalidRulesException {
    AccessRules file = RulesParser.parse(text.file(), text.utf8(), schema);
    return new RuledControl(file, text, schema, membership, backends, watch, facts);
  }

  @Override
  public void takeOver() {
    Set<Dn> entries = new HashSet<>();
    DelegatedRules.entries(file, schema).values().forEach(entry -> entries.add(entry.name()));
    watch.watch(reader, schema, rules.groups(), entries);
    if (!entries.isEmpty()) {
      delegated.faults().values().forEach(RuledControl::tellOfClosed);
      readDelegated();
    }
  }

  @Override
  public void retire() {
    watch.forget(reader);
  }

  /** Reads the rules that the directory holds, which have changed. */
  private synchronized void readDelegated() {
    DelegatedRules read = DelegatedRules.read(file, text, schema, backends);
    DelegatedRules before = delegated;
    read.faults()
        .forEach(
            (top, fault) -> {
              if (!before.faults().containsKey(top)) {
                tellOfClosed(fault);
              }
            });
    delegated = read;
    rules = CompiledRules.of(file, read.rules(), schema, membership);
    cache.clear();
    watch.watch(reader, schema, rules.groups());
  }

  private static void tellOfClosed(InvalidRulesException fault) {
    LOG.log(
        System.Logger.Level.WARNING,
        "access rules in the directory cannot be read, so that their subtree is closed: {0}",
        fault.getMessage());
  }

  /** Returns the rules that the directory holds. */
  public DelegatedRules delegated() {
    return delegated;
  }

  @Override
  public ChangeRule check() {
    return new DelegationCheck(file, text, schema);
  }

  @Override
  public Map<Dn, InvalidRulesException> closed() {
    return delegated.faults();
  }

  @Override
  public @Nullable ClientRules known(ClientFacts client, @Nullable ClientRules last) {
    long version = watch.version();
    CompiledRules present = rules;
    if (last != null && last.areOf(present, version)) {
      return last;
    }
    DecidedRules known = cache.get(present.classOf(client));
    return known == null || !known.areOf(present, version) ? null : known;
  }

  @Override
  public boolean isCurrent(ClientRules known) {
    long version = watch.version();
    return known.areOf(rules, version);
  }

  @Override
  public GroupLookup lookUp(ClientFacts client) {
    return new GroupLookup(this, client, null, true);
  }

  @Override
  public RuledRights rightsBy(ClientRules decided) {
    return new RuledRights(this, (DecidedRules) decided);
  }

  @Override
  public RuledRights inTurn(
      ClientFacts client, @Nullable ClientRules decided, UpdateContext context)
      throws LdapOperationException {
    OpenStores.Turn turn = new OpenStores.Turn(context.backend(), context.transaction());
    boolean isChanged = context.hasApplied(watch.changesOfGroups());
    ClientRules known = isChanged ? null : known(client, decided);
    if (known == null) {
      known = new GroupLookup(this, client, turn, !isChanged).go(context.work());
    }
    if (known == null) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          "the groups of access rules take more look-ups than limits.ruleLookups allows");
    }
    return new RuledRights(this, (DecidedRules) known, turn);
  }

  /**
   * Decides the rules for a client.
   *
   * @param by the rules
   * @param isKept true if the result is kept for clients of the same class
   */
  DecidedRules decide(
      CompiledRules by, ClientFacts client, GroupMemberships memberships, boolean isKept) {
    DecidedRules decided = by.forClient(client, memberships);
    if (isKept) {
      cache.put(by.classOf(client), decided);
    }
    return decided;
  }

  /** The current rules; read after the version, they are those of that version or later ones. */
  CompiledRules rules() {
    return rules;
  }

  Schema schema() {
    return schema;
  }

  GroupWatch watch() {
    return watch;
  }

  /** Returns what answers filters of rules beyond an entry, in a transaction. */
  EntryFacts facts(ReadTransaction transaction) {
    return facts.apply(transaction);
  }

  Function<Dn, @Nullable Backend> backends() {
    return backends;
  }

  /** Returns the filter that is true for groups of a kind that list a name. */
  CompiledFilter listing(Group group, Dn name) {
    FilterNode lists = new FilterNode.Equality(group.member().oid(), name.raw());
    FilterNode filter =
        group.objectClass() == null
            ? lists
            : new FilterNode.And(
                List.of(
                    new FilterNode.Equality(
                        "objectClass", group.objectClass().oid().getBytes(US_ASCII)),
                    lists));
    try {
      return compiler.compileOwn(filter);
    } catch (FilterLimitException e) {
      throw new IllegalStateException("a filter of two items is too large", e);
    }
  }

  /**
   * The rules of the clients that were here last, as many as find room in {@value #MEBIBYTES} MiB,
   * or in a part of a smaller heap. What rules take grows while they are in use, and is counted
   * anew when they are asked for.
   *
   * <p>Thread-safe.
   */
  private static final class ClientRulesCache {
    private static final int MEBIBYTES = 64;

    private final long most = MemoryBounds.cacheOf((long) MEBIBYTES << 20);
    private final LinkedHashMap<ClientClass, Kept> kept = new LinkedHashMap<>(16, 0.75f, true);
    private long bytes;

    private static final class Kept {
      final DecidedRules rules;
      long bytes;

      Kept(DecidedRules rules) {
        this.rules = rules;
      }
    }

    /** Returns the rules of a class of clients; null if they are not known. */
    synchronized @Nullable DecidedRules get(ClientClass client) {
      Kept known = kept.get(client);
      if (known == null) {
        return null;
      }
      count(known);
      return known.rules;
    }

    /** Keeps the rules of a class of clients; those asked for the longest time ago give way. */
    synchronized void put(ClientClass client, DecidedRules rules) {
      Kept next = new Kept(rules);
      Kept former = kept.put(client, next);
      bytes -= former == null ? 0 : former.bytes;
      count(next);
      Iterator<Map.Entry<ClientClass, Kept>> oldest = kept.entrySet().iterator();
      while (bytes > most && kept.size() > 1) {
        bytes -= oldest.next().getValue().bytes;
        oldest.remove();
      }
    }

    /** Keeps nothing: there are other rules. */
    synchronized void clear() {
      kept.clear();
      bytes = 0;
    }

    private void count(Kept known) {
      long now = known.rules.bytes();
      bytes += now - known.bytes;
      known.bytes = now;
    }
  }

  /**
   * The check of changes of rules that the directory holds: they can be read, and stand where they
   * act. Rules move to another place by root's doing alone.
   *
   * <p>Immutable.
   */
  private static final class DelegationCheck implements ChangeRule {
    private final Schema schema;
    private final AccessRules file;
    private final RulesText text;
    private final Map<Dn, RulesEntry> entries;

    /**
     * Creates the check.
     *
     * @param file the rules of the file, which delegate
     * @param text the bounds of rules
     */
    DelegationCheck(AccessRules file, RulesText text, Schema schema) {
      this.schema = schema;
      this.file = file;
      this.text = text;
      this.entries = DelegatedRules.entries(file, schema);
    }

    @Override
    public void check(
        ReadTransaction transaction,
        ResolvedChange change,
        ChangeCause cause,
        List<ResolvedChange.Modify> derived,
        Pace pace)
        throws LdapOperationException {
      switch (change) {
        case ResolvedChange.Add add -> requireRules(add.entry());
        case ResolvedChange.Modify modify -> {
          if (RulesEntry.isChangedBy(modify.changes())) {
            requireRules(after(transaction, modify));
          }
        }
        case ResolvedChange.Rename rename -> {
          if (!cause.identity().isRoot()) {
            requireNoRules(transaction, rename);
          }
        }
        case ResolvedChange.Delete _ -> {}
      }
    }

    private static Entry after(ReadTransaction transaction, ResolvedChange.Modify modify) {
      EntryView view = new EntryView();
      if (!transaction.read(modify.entryId(), view)) {
        throw new IllegalStateException("entry " + modify.entryId() + " has gone");
      }
      return ChangedEntry.of(transaction, view, modify.dn(), modify.changes());
    }

    private void requireRules(Entry changed) throws LdapOperationException {
      if (!RulesEntry.isHeldBy(changed)) {
        return;
      }
      Dn name = changed.dn();
      RulesEntry entry = name.rdnCount() == 0 ? null : entries.get(name.parent());
      if (entry == null || !entry.name().equals(name)) {
        throw new LdapOperationException(
            ResultCode.UNWILLING_TO_PERFORM,
            "accessRule acts only in 'cn=access rules' directly below the top of a subtree that the"
                + " file of rules delegates");
      }
      try {
        entry.read(changed, file, text, schema);
      } catch (InvalidRulesException e) {
        throw new LdapOperationException(
            ResultCode.CONSTRAINT_VIOLATION, "accessRule: " + e.getMessage());
      }
    }

    private void requireNoRules(ReadTransaction transaction, ResolvedChange.Rename rename)
        throws LdapOperationException {
      for (RulesEntry entry : entries.values()) {
        Dn before = before(entry.name(), rename);
        if (before != null && transaction.find(before) != ReadTransaction.NO_ENTRY) {
          throw new LdapOperationException(
              ResultCode.UNWILLING_TO_PERFORM,
              "access rules would begin or cease to act: only root may move them");
        }
      }
    }

    /** Returns the present name of the entry that a rename moves to a name or away from it. */
    private @Nullable Dn before(Dn name, ResolvedChange.Rename rename) {
      if (name.isWithin(rename.dn()) || !name.isWithin(rename.newDn())) {
        return name.isWithin(rename.dn()) ? name : null;
      }
      Dn before = rename.dn();
      for (int i = name.rdnCount() - rename.newDn().rdnCount() - 1; i >= 0; i--) {
        try {
          before = DnParser.parse(schema, name.rdn(i), Integer.MAX_VALUE, 1).under(before);
        } catch (InvalidDnException e) {
          throw new IllegalStateException(name + " has an invalid RDN", e);
        }
      }
      return before;
    }
  }

  /**
   * The rules that the directory holds for the subtrees that the file delegates to it. Rules that
   * cannot be read close their subtree, at the place of the delegation: to ask the others would
   * give what the unreadable one may deny.
   *
   * <p>Immutable.
   *
   * @param rules the rules of each subtree, by the name of its top
   * @param faults the reason for each subtree that is closed
   */
  public record DelegatedRules(Map<Dn, List<Rule>> rules, Map<Dn, InvalidRulesException> faults) {
    public DelegatedRules {
      rules = Map.copyOf(rules);
      faults = Map.copyOf(faults);
    }

    /** Returns the entries that hold the rules, by the names of the subtrees' tops. */
    static Map<Dn, RulesEntry> entries(AccessRules file, Schema schema) {
      Map<Dn, RulesEntry> entries = new LinkedHashMap<>();
      for (Step step : file.steps()) {
        if (step instanceof Delegation delegation) {
          entries.computeIfAbsent(delegation.subtree(), top -> RulesEntry.below(top, schema));
        }
      }
      return entries;
    }

    /**
     * Reads the rules from the stores, with a look-up for each subtree.
     *
     * @param file the rules of the file
     * @param text the bounds of rules
     * @param backends returns the store that holds a name; null if none does
     */
    static DelegatedRules read(
        AccessRules file, RulesText text, Schema schema, Function<Dn, @Nullable Backend> backends) {
      Map<Dn, List<Rule>> rules = new HashMap<>();
      Map<Dn, InvalidRulesException> faults = new HashMap<>();
      try (OpenStores stores = new OpenStores(null)) {
        entries(file, schema)
            .forEach(
                (top, entry) -> {
                  Backend backend = backends.apply(entry.name());
                  if (backend == null) {
                    return;
                  }
                  try {
                    Entry stored = stored(entry, stores.of(backend));
                    if (stored != null) {
                      rules.put(top, entry.read(stored, file, text, schema));
                    }
                  } catch (InvalidRulesException e) {
                    faults.put(top, e);
                  } catch (RuntimeException e) {
                    faults.put(top, entry.fault("the store cannot be read: " + e));
                  }
                });
      }
      faults.forEach((top, fault) -> rules.put(top, List.of(closing(fault.source()))));
      return new DelegatedRules(rules, faults);
    }

    private static @Nullable Entry stored(RulesEntry entry, ReadTransaction transaction) {
      long id = transaction.find(entry.name());
      EntryView view = new EntryView();
      return id != ReadTransaction.NO_ENTRY && transaction.read(id, view)
          ? ChangedEntry.of(transaction, view, entry.name(), List.of())
          : null;
    }

    /** Returns the rule that gives nothing to anybody. */
    private static Rule closing(Source source) {
      Grant nothing = new Grant(Grant.Mode.SET, Set.of());
      return new Rule(
          Target.ALL, List.of(new Clause(List.of(), nothing, Clause.Flow.STOP, source)), source);
    }
  }
}
