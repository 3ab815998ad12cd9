package org.nyala.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.access.RootAccount;
import org.nyala.core.accounts.TestAccounts;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.InMemoryBackend;
import org.nyala.core.backend.RandomDirectory;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.directory.RootAccounts;
import org.nyala.core.directory.UpdateSettings;
import org.nyala.core.dispatch.DispatchStrategy;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.filter.Membership;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.DerefAliases;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.Scope;
import org.nyala.core.metrics.ServerMetrics;
import org.nyala.core.operation.DirectoryOperations;
import org.nyala.core.operation.RecordingSink;
import org.nyala.core.operation.SilentClient;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.rights.RightsService;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;
import org.nyala.extension.Extension;
import org.nyala.extension.FixedExtension;

/** Runs single operations on stores in memory, slice by slice, and records their answers. */
public final class OperationFixture {
  public static final Schema SCHEMA = SchemaLoader.standard();
  public static final FilterNode ALL = new FilterNode.Present("objectClass");
  public static final BoundIdentity ROOT =
      new BoundIdentity(RandomDirectory.dn(SCHEMA, "cn=admin,dc=example,dc=com"), true);
  public static final BoundIdentity USER =
      new BoundIdentity(RandomDirectory.dn(SCHEMA, "uid=ann,ou=people,dc=example,dc=com"), false);

  private static final long REAL = -1;

  public final List<InMemoryBackend> backends = new ArrayList<>();
  public final List<Backend> others = new ArrayList<>();
  public final List<Extension> extensions = new ArrayList<>();
  public BoundIdentity identity = USER;
  public ServerLimits limits = ServerLimits.DEFAULT;
  public boolean onThisMachine;
  public Object address;
  public long passwordsRefused;
  public AccessPolicy access = new AccessPolicy(false);
  public RightsService rights = RightsService.NONE;
  public SliceBudget budget = new SliceBudget(1000, Long.MAX_VALUE / 4);
  public int room = Integer.MAX_VALUE;
  public MemoryBudget memory = MemoryBudget.ofHeap(System::nanoTime);
  public long nowNanos;
  public long nanosPerLook;
  public long skippedNanos;
  public Membership membership;
  public DispatchStrategy strategy;
  LongSupplier clock = this::tick;
  public int slices;
  public Task.Lane lastLane = Task.Lane.READ;
  public BoundIdentity established;
  public DirectoryOperations operations;

  /** Adds a store with the entries. */
  public OperationFixture store(List<Entry> entries, boolean exact) {
    backends.add(new InMemoryBackend(SCHEMA, entries, exact));
    return this;
  }

  /** Returns an entry with a name and pairs of attribute and value. */
  public static Entry entry(String dn, String... pairs) {
    Entry entry = new Entry(RandomDirectory.dn(SCHEMA, dn));
    for (int i = 0; i < pairs.length; i += 2) {
      AttributeDescription description = AttributeDescription.parse(SCHEMA, pairs[i]);
      entry.add(description, pairs[i + 1].getBytes(StandardCharsets.UTF_8));
    }
    return entry;
  }

  public static Request.Search search(
      String base, Scope scope, FilterNode filter, String... attributes) {
    return new Request.Search(
        1, base, scope, DerefAliases.NEVER, 0, 0, false, filter, List.of(attributes), List.of());
  }

  public static Request.Search with(Request.Search search, DerefAliases deref) {
    return new Request.Search(
        1,
        search.base(),
        search.scope(),
        deref,
        0,
        0,
        false,
        search.filter(),
        List.of(),
        List.of());
  }

  public static Request.Search with(Request.Search search, RequestControl... controls) {
    return new Request.Search(
        1,
        search.base(),
        search.scope(),
        search.derefAliases(),
        search.sizeLimit(),
        search.timeLimitSeconds(),
        false,
        search.filter(),
        search.attributes(),
        List.of(controls));
  }

  public static Request.Search limited(Request.Search search, int size, int seconds) {
    return new Request.Search(
        1,
        search.base(),
        search.scope(),
        search.derefAliases(),
        size,
        seconds,
        false,
        search.filter(),
        search.attributes(),
        List.of());
  }

  public static RequestControl manageDsaIt() {
    return new RequestControl("2.16.840.1.113730.3.4.2", true, null);
  }

  private long tick() {
    nowNanos += nanosPerLook;
    return nowNanos;
  }

  private long now() {
    return nanosPerLook == REAL ? clock.getAsLong() : nowNanos;
  }

  /** Uses real time, plus {@link #skippedNanos}. */
  public OperationFixture inRealTime() {
    clock = () -> System.nanoTime() + skippedNanos;
    nanosPerLook = REAL;
    return this;
  }

  private UpdateSettings settings() {
    return new UpdateSettings(
        true, 0, InstantSource.system(), UUID::randomUUID, Thread.ofPlatform().daemon().factory());
  }

  /** Returns an operation that has not run yet. */
  public Operation operation(Request request, RecordingSink sink) {
    if (operations == null) {
      RootAccount root = new RootAccount(ROOT.dn(), PasswordHash.parse(bytes("rootpw")));
      UpdateSettings updates = settings();
      operations =
          new DirectoryOperations(
              SCHEMA,
              Stream.concat(backends.stream(), others.stream()).toList(),
              access,
              limits,
              RootAccounts.of(root),
              clock,
              updates,
              Stream.concat(Stream.of(FixedExtension.of(membership)), extensions.stream()).toList(),
              false,
              rights,
              TestAccounts.open(updates, clock));
    }
    Session session =
        new Session(
            new SessionEnvironment(
                operations,
                () -> strategy,
                () -> limits,
                new ServerMetrics(),
                this::now,
                SessionListener.NONE,
                memory),
            new SilentClient(onThisMachine, address));
    return new Operation(session, request, operations.route(request), sink, identity, now(), 0);
  }

  /** Runs an operation to its end; no read may be open between slices. */
  public RecordingSink run(Request request) {
    RecordingSink sink = new RecordingSink(room);
    Operation operation = operation(request, sink);
    slices = 0;
    Task.Outcome outcome;
    do {
      outcome = operation.run(budget);
      slices++;
      lastLane = operation.lane();
      backends.forEach(backend -> assertThat(backend.openReads()).isZero());
      assertThat(slices).isLessThan(100_000);
    } while (outcome != Task.Outcome.DONE);
    established = operation.established();
    passwordsRefused += operation.session().metrics().passwordsRefused().sum();
    assertThat(operation.session().metrics().internalErrors().sum()).isZero();
    assertThat(operation.session().metrics().entriesSent().sum()).isEqualTo(sink.dns.size());
    return sink;
  }

  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
