package org.nyala.netty;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.nyala.core.DirectoryServer;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dispatch.DispatchSettings;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.dispatch.DispatchStrategy;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryRecordWriter;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.limits.TestLimits;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.metrics.ServerMetrics;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.SchemaRules;
import org.nyala.core.schema.SecretTypes;
import org.nyala.core.schema.Syntax;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.core.session.OperationRouter;
import org.nyala.core.session.SessionListener;

/**
 * A directory that makes up its answers: a search returns as many generated entries as its size
 * limit, one below {@link AllocatingBody#BASE} allocates memory, a bind with any name except the
 * empty one succeeds as root, all other operations succeed.
 */
public final class TestDirectory implements OperationRouter {
  static final Syntax OCTETS =
      new Syntax("1.3.6.1.4.1.1466.115.121.1.40", "", false, (_, _, _) -> true);
  public static final byte[] PARENT = Pdus.utf8("ou=people,dc=example,dc=com");

  public final AttributeTable table;
  final Schema schema;
  final AtomicInteger searches = new AtomicInteger();

  /** The number of searches that had started when the loop of the first one had its next turn. */
  final AtomicInteger searchesInTurn = new AtomicInteger();

  /** True if searches run on the event loop, where they may look at their connection. */
  volatile boolean searchesOnLoop;

  /** The number of searches that ran while their clients had sent more requests. */
  final AtomicInteger pipelinedSearches = new AtomicInteger();

  /** A name whose binds take until a test ends them. */
  static final String PARKED = "cn=parked";

  /** The binds of that name. */
  final Queue<Operation> parked = new ConcurrentLinkedQueue<>();

  /** The memory that clients may make the server hold; set before the start. */
  MemoryBudget memory = MemoryBudget.ofHeap(System::nanoTime);

  private final byte[] record;

  public TestDirectory() {
    List<AttributeType> types = new ArrayList<>();
    types.add(type("2.5.4.3", "cn", AttributeType.Usage.USER_APPLICATIONS));
    types.add(type("2.5.4.4", "sn", AttributeType.Usage.USER_APPLICATIONS));
    types.add(type("2.5.4.13", "description", AttributeType.Usage.USER_APPLICATIONS));
    types.add(type("2.5.4.35", "userPassword", AttributeType.Usage.USER_APPLICATIONS));
    types.add(type("1.3.6.1.1.16.4", "entryUUID", AttributeType.Usage.DIRECTORY_OPERATION));
    schema =
        new Schema(
            List.of(OCTETS), List.of(), types, List.of(), new SchemaRules(), SecretTypes.DEFAULT);
    AttributeTable all = AttributeTable.EMPTY;
    for (AttributeType type : types) {
      all = all.with(AttributeDescription.of(type));
    }
    table = all;
    record = record("uid=user.1", 300);
  }

  private static AttributeType type(String oid, String name, AttributeType.Usage usage) {
    return new AttributeType(
        oid,
        List.of(name),
        "",
        null,
        OCTETS,
        null,
        null,
        null,
        0,
        usage,
        new AttributeType.Flags(false, false, false, false),
        name.equals("userPassword"));
  }

  public static byte[] record(String rdn, int descriptionLength) {
    EntryRecordWriter writer = new EntryRecordWriter();
    ByteAppender target = new ByteAppender(1024);
    writer
        .begin(1, Pdus.utf8(rdn), 0)
        .attribute(4, Pdus.utf8("userPassword"), false, true, List.of(Pdus.utf8("secret")))
        .attribute(5, Pdus.utf8("entryUUID"), true, false, List.of(Pdus.utf8("0-1-2-3")))
        .attribute(1, Pdus.utf8("cn"), false, false, List.of(Pdus.utf8("one"), Pdus.utf8("two")))
        .attribute(2, Pdus.utf8("sn"), false, false, List.of(Pdus.utf8("three")))
        .attribute(3, Pdus.utf8("description"), false, false, List.of(new byte[descriptionLength]))
        .finish(target);
    return target.toByteArray();
  }

  public AttributeSelection selection(boolean typesOnly, String... names) {
    return AttributeSelection.of(
        schema, List.of(names), typesOnly, type -> !type.name().equals("userPassword"));
  }

  static DispatchStrategy strategy(String name) {
    return DispatchStrategies.create(
        name,
        DispatchSettings.automatic(
            work -> {
              Thread thread = new Thread(work, "worker");
              thread.setDaemon(true);
              return thread;
            },
            System::nanoTime));
  }

  DirectoryServer server(DispatchStrategy strategy) {
    // On a machine that stalls, operations may wait too long for a permit.
    ServerLimits patient =
        TestLimits.with(
            ServerLimits.DEFAULT, TestLimits.admission(ServerLimits.SessionLimits.DEFAULT, 0));
    return new DirectoryServer(
        this,
        strategy,
        patient,
        System::nanoTime,
        new ServerMetrics(),
        SessionListener.NONE,
        memory);
  }

  @Override
  public OperationBody route(Request request) {
    return switch (request) {
      case Request.Search search when search.base().startsWith(AllocatingBody.BASE) ->
          new AllocatingBody(search);
      case Request.Search search when search.base().startsWith(ReservingBody.BASE) -> {
        EntryView view = new EntryView();
        view.wrap(2, ByteBuffer.wrap(record), 0, PARENT);
        yield new ReservingBody(search, view, table, selection(false));
      }
      case Request.Search search -> new Generate(search);
      case Request.Bind bind -> (operation, _) -> bind(operation, bind);
      default ->
          (operation, _) -> {
            operation.sink().result(request, LdapResult.SUCCESS);
            return Outcome.DONE;
          };
    };
  }

  private Outcome bind(Operation operation, Request.Bind bind) {
    if (bind.name().equals(PARKED)) {
      parked.add(operation);
      return Outcome.PARKED;
    }
    if (bind.name().isEmpty()) {
      operation.sink().bindResult(LdapResult.SUCCESS, null);
    } else if (bind.credentials().length == 0) {
      operation.sink().bindResult(LdapResult.of(ResultCode.INVALID_CREDENTIALS), null);
    } else {
      operation.establish(new BoundIdentity(Dn.EMPTY, true));
      operation.sink().bindResult(LdapResult.SUCCESS, null);
    }
    return Outcome.DONE;
  }

  private final class Generate implements OperationBody {
    private final Request.Search search;
    private final AttributeSelection selection;
    private final EntryView view = new EntryView();
    private int sent;

    Generate(Request.Search search) {
      this.search = search;
      this.selection = selection(search.typesOnly(), search.attributes().toArray(String[]::new));
      searches.incrementAndGet();
      view.wrap(2, ByteBuffer.wrap(record), 0, PARENT);
    }

    @Override
    public Task.Outcome run(Operation operation, SliceBudget budget) {
      if (searches.get() == 1) {
        operation.session().executeLater(() -> searchesInTurn.set(searches.get()));
      }
      if (searchesOnLoop && operation.isPipelined()) {
        pipelinedSearches.incrementAndGet();
      }
      int budgeted =
          Math.min(
              search.sizeLimit(), (int) Math.min(Integer.MAX_VALUE, (long) sent + budget.steps()));
      while (sent < budgeted) {
        if (operation.isAbandoned()) {
          return Outcome.DONE;
        }
        if (!operation.sink().isWritable()) {
          return Outcome.AWAITING_CLIENT;
        }
        operation.sink().entry(view, table, selection, List.of());
        sent++;
      }
      if (sent < search.sizeLimit()) {
        return Outcome.YIELDED;
      }
      operation.sink().result(search, LdapResult.SUCCESS);
      return Outcome.DONE;
    }
  }
}
