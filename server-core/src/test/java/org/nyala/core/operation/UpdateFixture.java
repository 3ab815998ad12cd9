package org.nyala.core.operation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.session.OperationFixture.SCHEMA;
import static org.nyala.core.session.OperationFixture.entry;

import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.nyala.core.Patience;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.accounts.TestAccounts;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.InMemoryBackend;
import org.nyala.core.backend.RandomDirectory;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.contention.Contention;
import org.nyala.core.directory.RootAccounts;
import org.nyala.core.directory.UpdateSettings;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.filter.Membership;
import org.nyala.core.integrity.ChangeRule;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.metrics.ServerMetrics;
import org.nyala.core.password.HashBounds;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.password.RememberedPasswords;
import org.nyala.core.rights.RightsService;
import org.nyala.core.schema.Schema;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationFixture;
import org.nyala.core.session.Session;
import org.nyala.core.session.SessionEnvironment;
import org.nyala.core.session.SessionListener;
import org.nyala.core.update.ChangeListener;
import org.nyala.core.update.CommitPacer;
import org.nyala.core.update.ConsumedContexts;
import org.nyala.extension.Extension;
import org.nyala.extension.FixedExtension;

/** Runs updates on a store in memory to their end, and reads the result. */
public final class UpdateFixture implements AutoCloseable {
  public static final String TOP = "dc=example,dc=com";
  public static final String OTHER = "dc=other,dc=com";
  public static final String PEOPLE = "ou=people," + TOP;
  public static final String ANN = "uid=ann," + PEOPLE;
  public static final String LEAF = "ou=leaf," + TOP;
  public static final String ALIAS = "cn=alias," + TOP;
  public static final String AWAY = "ou=away," + TOP;
  public static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");

  public final InMemoryBackend store;
  final ServerMetrics metrics = new ServerMetrics();
  final AtomicLong uuids = new AtomicLong();
  public final List<ChangeRule> rules = new ArrayList<>();
  public final List<ChangeListener> listeners = new ArrayList<>();
  public final List<Extension> extensions = new ArrayList<>();
  public Backend backend;
  Schema schema = SCHEMA;
  public ServerLimits limits = ServerLimits.DEFAULT;
  boolean onThisMachine;
  public AccessPolicy access = new AccessPolicy(false);
  public RightsService rights = RightsService.NONE;
  public BoundIdentity identity = OperationFixture.ROOT;
  public boolean readOnly;
  public volatile Instant now = NOW;
  public Membership membership;
  CommitPacer.Source pace = CommitPacer.Source.UNPACED;
  ConsumedContexts consumed = new ConsumedContexts();
  LongSupplier nanoClock = () -> 0;
  RandomGenerator random = new SecureRandom();
  PasswordScheme passwordScheme = PasswordScheme.SSHA512;
  boolean hashesClearText;
  boolean upgradesAtBind;
  RememberedPasswords.Settings remembered = RememberedPasswords.Settings.DEFAULT;
  private DirectoryOperations operations;

  public UpdateFixture() {
    this(defaults());
  }

  public UpdateFixture(List<Entry> entries) {
    store = new InMemoryBackend(SCHEMA, List.of(dn(TOP), dn(OTHER)), entries, true);
    backend = store;
  }

  public static List<Entry> defaults() {
    return List.of(
        entry(TOP, "objectClass", "domain", "dc", "example"),
        entry(PEOPLE, "objectClass", "organizationalUnit", "ou", "people"),
        entry(ANN, "objectClass", "inetOrgPerson", "uid", "ann", "cn", "Ann A", "sn", "A"),
        entry(LEAF, "objectClass", "organizationalUnit", "ou", "leaf", "description", "green"),
        entry(
            ALIAS,
            "objectClass",
            "alias",
            "objectClass",
            "extensibleObject",
            "cn",
            "alias",
            "aliasedObjectName",
            PEOPLE),
        entry(
            AWAY,
            "objectClass",
            "referral",
            "objectClass",
            "extensibleObject",
            "ou",
            "away",
            "ref",
            "ldap://elsewhere.example.com/ou=away,dc=example,dc=com"));
  }

  public static Dn dn(String text) {
    return RandomDirectory.dn(SCHEMA, text);
  }

  public DirectoryOperations operations() {
    if (operations == null) {
      UpdateSettings updates = settings();
      operations =
          new DirectoryOperations(
              schema,
              List.of(backend),
              access,
              limits,
              RootAccounts.NONE,
              nanoClock,
              updates,
              extensions(),
              false,
              rights,
              TestAccounts.open(updates, nanoClock));
    }
    return operations;
  }

  private List<Extension> extensions() {
    List<Extension> all = new ArrayList<>(extensions);
    all.add(new FixedExtension("fixed", rules, membership, listeners));
    return all;
  }

  private UpdateSettings settings() {
    return new UpdateSettings(
        readOnly,
        1,
        () -> now,
        () -> new UUID(0, uuids.incrementAndGet()),
        Thread.ofPlatform().daemon().factory(),
        passwordScheme,
        HashBounds.DEFAULT,
        hashesClearText,
        upgradesAtBind,
        remembered,
        random,
        pace,
        Contention.UNMEASURED,
        consumed);
  }

  /** Returns an operation that has not run yet. */
  Operation operation(Request request, RecordingSink sink) {
    Session session =
        new Session(
            new SessionEnvironment(
                operations(),
                () -> null,
                () -> limits,
                metrics,
                () -> 0,
                SessionListener.NONE,
                MemoryBudget.ofHeap(() -> 0)),
            new SilentClient(onThisMachine));
    return new Operation(session, request, operations().route(request), sink, identity, 0, 0);
  }

  /** Starts an operation, which may then be parked. */
  public Operation start(Request request, RecordingSink sink) {
    Operation operation = operation(request, sink);
    start(operation);
    return operation;
  }

  /** Starts an operation that is prepared. */
  void start(Operation operation) {
    Outcome outcome;
    do {
      outcome = operation.run(new SliceBudget(1000, Long.MAX_VALUE / 4));
    } while (outcome == Outcome.YIELDED);
    assertThat(outcome).isIn(Outcome.DONE, Outcome.PARKED);
  }

  public RecordingSink run(Request request) {
    RecordingSink sink = new RecordingSink(100);
    start(request, sink);
    await(sink);
    assertThat(metrics.internalErrors().sum()).isZero();
    return sink;
  }

  public static void await(RecordingSink sink) {
    Patience.await(sink.ended);
  }

  public ResultCode code(Request request) {
    return run(request).code();
  }

  public LdapResult result(Request request) {
    RecordingSink sink = run(request);
    assertThat(sink.results).hasSize(1);
    return sink.results.getFirst();
  }

  /** Returns an attribute of the root DSE. */
  List<String> listed(String attribute) {
    RecordingSink sink =
        run(OperationFixture.search("", Scope.BASE, OperationFixture.ALL, attribute));
    return sink.attributes.getFirst().get(attribute);
  }

  public static Request.Add add(String name, String... pairs) {
    return add(List.of(), name, pairs);
  }

  public static Request.Add add(List<RequestControl> controls, String name, String... pairs) {
    List<Request.AttributeValues> attributes = new ArrayList<>();
    for (int i = 0; i < pairs.length; i += 2) {
      attributes.add(values(pairs[i], pairs[i + 1]));
    }
    return new Request.Add(1, name, attributes, controls);
  }

  public static Request.Delete delete(String name, RequestControl... controls) {
    return new Request.Delete(1, name, List.of(controls));
  }

  public static Request.Modify modify(String name, Request.Change... changes) {
    return modify(List.of(), name, changes);
  }

  public static Request.Modify modify(
      List<RequestControl> controls, String name, Request.Change... changes) {
    return new Request.Modify(1, name, List.of(changes), controls);
  }

  public static Request.Change change(int kind, String attribute, String... values) {
    return new Request.Change(kind, values(attribute, values));
  }

  public static Request.ModifyDn rename(
      String name, String rdn, boolean deleteOldRdn, RequestControl... controls) {
    return new Request.ModifyDn(1, name, rdn, deleteOldRdn, null, List.of(controls));
  }

  public static Request.ModifyDn move(String name, String rdn, String superior) {
    return new Request.ModifyDn(1, name, rdn, true, superior, List.of());
  }

  public static Request.AttributeValues values(String attribute, String... values) {
    List<byte[]> bytes = new ArrayList<>();
    for (String value : values) {
      bytes.add(value.getBytes(UTF_8));
    }
    return new Request.AttributeValues(attribute, bytes);
  }

  /** Returns the attributes of a stored entry, by lower-case name; null if there is no entry. */
  public Map<String, List<String>> stored(String name) {
    for (Entry entry : store.entries()) {
      if (entry.dn().equals(dn(name))) {
        return attributes(entry);
      }
    }
    return null;
  }

  /** Returns the attributes of an entry, by lower-case name. */
  public static Map<String, List<String>> attributes(Entry entry) {
    Map<String, List<String>> attributes = new TreeMap<>();
    for (AttributeDescription description : entry.descriptions()) {
      attributes.put(
          description.name(),
          entry.values(description).stream().map(value -> new String(value, UTF_8)).toList());
    }
    return attributes;
  }

  /** Returns the names of all entries in the store, as presented. */
  public Set<String> names() {
    Set<String> names = new java.util.TreeSet<>();
    store.entries().forEach(entry -> names.add(entry.dn().toString()));
    return names;
  }

  /** Closes the operations, and creates new ones on the same store. */
  public void restart() {
    close();
    operations = null;
  }

  @Override
  public void close() {
    if (operations != null) {
      operations.close();
    }
  }
}
