package org.nyala.core.session;

import static org.nyala.core.Patience.await;
import static org.nyala.core.Patience.eventually;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.directory.RootAccounts;
import org.nyala.core.directory.UpdateSettings;
import org.nyala.core.dispatch.DispatchSettings;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.dispatch.DispatchStrategy;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Lane;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.limits.TestLimits;
import org.nyala.core.message.DerefAliases;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.metrics.ServerMetrics;
import org.nyala.core.operation.DirectoryOperations;
import org.nyala.core.schema.load.SchemaLoader;

/**
 * A server of scripted operations: the base of a search and the name of a bind select the script.
 *
 * <ul>
 *   <li>{@code quick}: answers at once
 *   <li>{@code gate}: reports that it has started, then blocks until the gate opens
 *   <li>{@code slices}: yields some times
 *   <li>{@code stream}: sends references as fast as the client reads
 *   <li>{@code whether}: reports whether its client has sent more requests; if the loop runs it
 *   <li>{@code hash}: continues in the lane for hashes
 *   <li>{@code refused}, {@code broken}, {@code exhausted}: fails like a client's, a program's, a
 *       machine's error
 * </ul>
 */
final class SessionFixture implements AutoCloseable {
  static final int STREAM_LENGTH = 20;
  private static final int SLICES = 5;

  final CountDownLatch started = new CountDownLatch(1);
  final CountDownLatch gate = new CountDownLatch(1);
  final ServerMetrics metrics = new ServerMetrics();

  /** The identity that each request ran as, by connection and message id. */
  final Map<String, BoundIdentity> ranAs = new ConcurrentHashMap<>();

  /** The identity that each bind establishes, by connection and message id. */
  final Map<String, BoundIdentity> establishes = new ConcurrentHashMap<>();

  /** True if more requests had been sent when an operation ran; by connection and message id. */
  final Map<String, Boolean> werePipelined = new ConcurrentHashMap<>();

  /** The time of the sessions in nanoseconds, which tests advance. */
  private final AtomicLong nowNanos = new AtomicLong();

  volatile DispatchStrategy strategy;
  private final List<ExecutorService> loops = new ArrayList<>();
  private final SessionEnvironment environment;
  private int connections;

  SessionFixture(String strategyName, int workers, int permits, ServerLimits limits) {
    this(strategyName, workers, permits, limits, SessionListener.NONE);
  }

  SessionFixture(
      String strategyName,
      int workers,
      int permits,
      ServerLimits limits,
      SessionListener listener) {
    this.strategy = strategy(strategyName, workers, permits);
    this.environment =
        new SessionEnvironment(
            new Scripts(limits),
            () -> strategy,
            () -> limits,
            metrics,
            nowNanos::get,
            listener,
            MemoryBudget.ofHeap(nowNanos::get));
  }

  /** Advances the time of the sessions. */
  void pass(long nanos) {
    nowNanos.addAndGet(nanos);
  }

  static DispatchStrategy strategy(String name, int workers, int permits) {
    return DispatchStrategies.create(
        name,
        new DispatchSettings(
            workers, 0, permits, 2, 1, Thread.ofPlatform().daemon().factory(), System::nanoTime));
  }

  static ServerLimits limits(int inFlight, int deferred) {
    return TestLimits.with(
        TestLimits.with(
            ServerLimits.DEFAULT,
            new ServerLimits.SessionLimits(inFlight, deferred, 10, 10, 16_384)),
        new ServerLimits.SearchLimits(0, 0, 0, 16, 16, 100_000));
  }

  /** Opens a connection on an event loop of its own. */
  RecordingClient open() {
    loops.add(Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory()));
    return open(loops.getLast());
  }

  RecordingClient open(ExecutorService loop) {
    return RecordingClient.open(++connections, loop, environment, null);
  }

  /** Opens a connection from an address, on an event loop of its own. */
  RecordingClient openFrom(Object address) {
    loops.add(Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory()));
    return RecordingClient.open(++connections, loops.getLast(), environment, address);
  }

  /** The router of scripted operations, with the real Cancel. */
  private final class Scripts implements OperationRouter {
    private final DirectoryOperations operations;

    Scripts(ServerLimits limits) {
      operations =
          new DirectoryOperations(
              SchemaLoader.standard(),
              List.of(),
              new AccessPolicy(false),
              limits,
              RootAccounts.NONE,
              System::nanoTime,
              UpdateSettings.READ_ONLY);
    }

    @Override
    public OperationBody route(Request request) {
      return switch (request) {
        case Request.Search search -> body(search.base());
        case Request.Bind bind -> body(bind.name());
        case Request.Extended extended -> operations.route(extended);
        default -> body("quick");
      };
    }

    @Override
    public boolean overtakes(Request request) {
      return operations.overtakes(request);
    }
  }

  private OperationBody body(String script) {
    return switch (script) {
      case "gate" -> this::waitAtTheGate;
      case "slices" -> new Slow();
      case "stream" -> new Stream();
      case "whether" -> this::sayWhether;
      case "hash" -> this::hash;
      case "refused" ->
          (_, _) -> {
            throw new LdapOperationException(ResultCode.BUSY, "not now");
          };
      case "broken" ->
          (_, _) -> {
            throw new IllegalStateException("broken on purpose");
          };
      case "exhausted" ->
          (_, _) -> {
            throw new OutOfMemoryError("exhausted on purpose");
          };
      default -> (operation, _) -> answer(operation);
    };
  }

  private Outcome waitAtTheGate(Operation operation, SliceBudget budget) {
    started.countDown();
    await(gate);
    return answer(operation);
  }

  private Outcome sayWhether(Operation operation, SliceBudget budget) {
    werePipelined.put(
        key(operation.connectionNumber(), operation.request().messageId()),
        operation.isPipelined());
    return answer(operation);
  }

  private Outcome hash(Operation operation, SliceBudget budget) {
    if (operation.lane() == Lane.READ) {
      operation.moveTo(Lane.HASH);
      return Outcome.YIELDED;
    }
    return answer(operation);
  }

  private Outcome answer(Operation operation) {
    String key = key(operation.session().connectionNumber(), operation.request().messageId());
    ranAs.put(key, operation.identity());
    BoundIdentity established = establishes.get(key);
    if (established != null) {
      operation.establish(established);
    }
    operation.sink().result(operation.request(), LdapResult.SUCCESS);
    return Outcome.DONE;
  }

  static String key(int connection, int messageId) {
    return connection + ":" + messageId;
  }

  /**
   * Returns an identity that is a different object from any other, which is all that these tests
   * need.
   */
  static BoundIdentity somebody() {
    return new BoundIdentity(Dn.EMPTY, true);
  }

  static Request search(int messageId, String script) {
    return new Request.Search(
        messageId,
        script,
        Scope.SUBTREE,
        DerefAliases.NEVER,
        0,
        0,
        false,
        new FilterNode.Present("objectClass"),
        List.of(),
        List.of());
  }

  static Request bind(int messageId, String script) {
    return new Request.Bind(messageId, 3, script, null, new byte[0], List.of());
  }

  static Request cancel(int messageId, int canceled) {
    BerWriter value = new BerWriter().sequence(new BerWriter().integer(canceled));
    return new Request.Extended(messageId, "1.3.6.1.1.8", value.toByteArray(), List.of());
  }

  static Request abandon(int messageId, int abandoned) {
    return new Request.Abandon(messageId, abandoned, List.of());
  }

  static Request unbind(int messageId) {
    return new Request.Unbind(messageId, List.of());
  }

  /** Waits until all started operations have ended and all sent requests were read. */
  static void awaitIdle(String as, RecordingClient client) {
    eventually(
        as + ": idle",
        () -> client.onLoop(() -> client.session.inFlightCount() == 0 && client.unread() == 0));
  }

  /**
   * Waits until every permit is released and every operation of every connection has ended: an
   * operation is counted on its connection's loop, some time after its permit is released.
   */
  void awaitIdle() {
    eventually("permits given back", () -> strategy.inFlight() == 0);
    eventually(
        "all ended",
        () -> metrics.operationsCompleted().sum() == metrics.operationsStarted().sum());
  }

  @Override
  public void close() {
    gate.countDown();
    strategy.close();
    for (ExecutorService loop : loops) {
      loop.close();
    }
  }

  private final class Slow implements OperationBody {
    private int slices;

    @Override
    public Outcome run(Operation operation, SliceBudget budget) {
      return ++slices < SLICES ? Outcome.YIELDED : answer(operation);
    }
  }

  private final class Stream implements OperationBody {
    private int sent;

    @Override
    public Outcome run(Operation operation, SliceBudget budget) {
      while (sent < STREAM_LENGTH) {
        if (!operation.sink().isWritable()) {
          return Outcome.AWAITING_CLIENT;
        }
        operation.sink().reference(List.of());
        sent++;
        if (sent % 4 == 0) {
          return Outcome.YIELDED;
        }
      }
      return answer(operation);
    }
  }
}
