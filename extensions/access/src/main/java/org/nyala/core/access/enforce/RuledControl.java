package org.nyala.core.access.enforce;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.decide.CompiledRules;
import org.nyala.core.access.decide.DecidedRules;
import org.nyala.core.access.decide.GroupMemberships;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.core.access.rule.Group;
import org.nyala.core.access.rule.InvalidRulesException;
import org.nyala.core.access.rule.RulesParser;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryFacts;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.filter.FilterLimitException;
import org.nyala.core.filter.Membership;
import org.nyala.core.integrity.ChangeRule;
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
}
