package org.nyala.core.rights;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.decide.ClientFacts;
import org.nyala.core.access.decide.ClientRules;
import org.nyala.core.access.decide.CompiledRules;
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
import org.nyala.core.schema.Schema;
import org.nyala.core.session.Operation;
import org.nyala.core.session.Session;
import org.nyala.core.update.UpdateContext;

/**
 * The access rules in force under one schema, and what they come to for the clients that were here
 * last.
 *
 * <p>Thread-safe. Hot: for the client of the operation before on the same connection, rules cost
 * some comparisons.
 */
public final class AccessControl {
  /** The maximum number of groups within groups that one client is in. */
  static final int MAXIMUM_GROUPS = 10_000;

  private static final System.Logger LOG = System.getLogger(AccessControl.class.getName());

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

  private AccessControl(
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
  public static AccessControl of(
      RulesText text,
      Schema schema,
      @Nullable Membership membership,
      Function<Dn, @Nullable Backend> backends,
      GroupWatch watch,
      Function<ReadTransaction, EntryFacts> facts)
      throws InvalidRulesException {
    AccessRules file = RulesParser.parse(text.file(), text.utf8(), schema);
    return new AccessControl(file, text, schema, membership, backends, watch, facts);
  }

  /**
   * Watches what these rules depend on, which come into force. Those in force until then are
   * watched, too, until they are {@linkplain #retire retired}.
   */
  public void takeOver() {
    Set<Dn> entries = new HashSet<>();
    DelegatedRules.entries(file, schema).values().forEach(entry -> entries.add(entry.name()));
    watch.watch(reader, schema, rules.groups(), entries);
    if (!entries.isEmpty()) {
      delegated.faults().values().forEach(AccessControl::tellOfClosed);
      readDelegated();
    }
  }

  /** Watches nothing more: other rules are in force. */
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

  /** Returns the check of changes of the rules that the directory holds. */
  public ChangeRule check() {
    return new DelegationCheck(file, text, schema);
  }

  /**
   * Returns the rules for the client of an operation, if they are known.
   *
   * @return null if they have to be {@linkplain #lookUp looked up}
   */
  public @Nullable ClientRules known(Operation operation) {
    Session session = operation.session();
    ClientFacts facts = operation.clientFacts();
    long version = watch.version();
    ClientRules last = session.rulesFor(facts);
    if (last != null && isCurrent(last, version)) {
      return last;
    }
    ClientRules known = cache.get(rules.classOf(facts));
    if (known == null || !isCurrent(known, version)) {
      return null;
    }
    session.keepRules(facts, known);
    return known;
  }

  private boolean isCurrent(ClientRules known, long version) {
    return known.compiled() == rules
        && (known.groupsVersion() >= version || known.memberships().isSameAt(version));
  }

  /** Returns whether the rules for a client are the current ones. */
  public boolean isCurrent(ClientRules known) {
    return isCurrent(known, watch.version());
  }

  /** Begins to look up what the rules for a client depend on. */
  public MembershipLookup lookUp(ClientFacts client) {
    return new MembershipLookup(this, client, null, true);
  }

  /**
   * Finds the rights of a client in the turn of an update: those of the state that it finds, with
   * the groups as updates before it in the same commit have left them.
   *
   * @param client the facts about the client
   * @param decided the rules that were decided for it before; null if none were
   * @throws LdapOperationException busy or adminLimitExceeded if its groups cannot be found
   */
  public EntryRights inTurn(
      ClientFacts client, @Nullable ClientRules decided, UpdateContext context)
      throws LdapOperationException {
    OpenStores.Turn turn = new OpenStores.Turn(context.backend(), context.transaction());
    boolean isChanged = context.hasApplied(watch.changesOfGroups());
    ClientRules known = isChanged ? null : current(client, decided);
    if (known == null) {
      known = new MembershipLookup(this, client, turn, !isChanged).go(context.work());
    }
    if (known == null) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          "the groups of access rules take more look-ups than limits.ruleLookups allows");
    }
    return new EntryRights(this, known, turn);
  }

  private @Nullable ClientRules current(ClientFacts client, @Nullable ClientRules decided) {
    ClientRules known = decided;
    if (known == null || !isCurrent(known)) {
      known = cache.get(rules.classOf(client));
    }
    return known == null || !isCurrent(known) ? null : known;
  }

  /**
   * Decides the rules for a client.
   *
   * @param by the rules
   * @param isKept true if the result is kept for clients of the same class
   */
  ClientRules decide(
      CompiledRules by, ClientFacts client, GroupMemberships memberships, boolean isKept) {
    ClientRules decided = by.forClient(client, memberships);
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
