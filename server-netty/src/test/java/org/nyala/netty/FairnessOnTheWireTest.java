package org.nyala.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.nyala.core.DirectoryServer;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.dispatch.DispatchSettings;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.core.session.OperationRouter;

/**
 * One identity has endless searches on more connections than there are permits, while another
 * identity searches. Real sockets, real strategies; nothing depends on how long anything takes.
 */
final class FairnessOnTheWireTest {
  /** The strategies that throttle. */
  static final List<String> STRATEGIES =
      List.of(
          "adaptive", "striped", "virtual-threads", "load-conditioned", "lightweight-conditioned");

  private static final int PERMITS = 16;
  private static final int GREEDY_CONNECTIONS = 24;
  private static final int BUSY = 51;
  private static final int BIND_RESPONSE = 0x61;

  private final List<AutoCloseable> opened = new ArrayList<>();

  /** The server's time, which passes only when a test advances it. */
  private final AtomicLong nowNanos = new AtomicLong();

  private final List<TestClient> greedy = new ArrayList<>();
  private volatile boolean endlessEnds;
  private DirectoryServer core;
  private NettyLdapServer server;

  /** The base of a search selects its behaviour, and every bind succeeds as root. */
  private final class Scripts implements OperationRouter {
    @Override
    public OperationBody route(Request request) {
      return switch (request) {
        case Request.Search search when search.base().equals("endless") ->
            (operation, _) -> endlessEnds ? succeed(operation) : Outcome.YIELDED;
        case Request.Search search when search.base().equals("long") -> new LongSearch();
        case Request.Bind _ ->
            (operation, _) -> {
              operation.establish(new BoundIdentity(Dn.EMPTY, true));
              return succeed(operation);
            };
        default -> (operation, _) -> succeed(operation);
      };
    }
  }

  /** A search too long for an event loop. */
  private static final class LongSearch implements OperationBody {
    private int slices;

    @Override
    public Outcome run(Operation operation, SliceBudget budget) {
      return ++slices < 5 ? Outcome.YIELDED : succeed(operation);
    }
  }

  private static Outcome succeed(Operation operation) {
    operation.sink().result(operation.request(), LdapResult.SUCCESS);
    return Outcome.DONE;
  }

  private void start(String strategy, int sharePercent) throws IOException {
    core =
        new DirectoryServer(
            new Scripts(),
            DispatchStrategies.create(
                strategy,
                new DispatchSettings(
                    1,
                    0,
                    PERMITS,
                    4,
                    1,
                    sharePercent,
                    Thread.ofPlatform().daemon().factory(),
                    System::nanoTime)),
            ServerLimits.DEFAULT,
            nowNanos::get);
    opened.add(core);
    server = NettyLdapServer.start(core, WireSettings.on("127.0.0.1", 0), nowNanos::get);
    opened.add(server);
  }

  private TestClient connect() throws IOException {
    TestClient client = new TestClient(server.addresses().getFirst());
    opened.add(client);
    return client;
  }

  private void occupy() throws IOException {
    for (int i = 0; i < GREEDY_CONNECTIONS; i++) {
      TestClient client = connect();
      client.send(Pdus.bind(1, "cn=greedy", "secret"));
      assertThat(client.receive()).isEqualTo(new TestClient.Response(1, BIND_RESPONSE, 0));
      greedy.add(client);
    }
    awaitInFlight(0);
    for (TestClient client : greedy) {
      client.send(Pdus.search(2, "endless", 0));
    }
    awaitInFlight(GREEDY_CONNECTIONS);
  }

  private void awaitInFlight(int count) {
    eventually(count + " are in flight", () -> core.strategy().inFlight() == count);
  }

  @AfterEach
  void closeAll() throws Exception {
    endlessEnds = true;
    for (AutoCloseable each : opened.reversed()) {
      each.close();
    }
    assertThat(core.strategy().inFlight()).isZero();
    assertThat(core.metrics().operationsCompleted().sum())
        .isEqualTo(core.metrics().operationsStarted().sum());
    assertThat(core.metrics().internalErrors().sum()).isZero();
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldServeOthersBesideOneThatOccupiesTheWorkers(String strategy) throws IOException {
    start(strategy, 50);
    occupy();
    TestClient other = connect();
    for (int id = 1; id <= 50; id++) {
      other.send(Pdus.search(id, id % 2 == 0 ? "long" : "short", 0));
      assertThat(other.receiveSearch(id)).isZero();
    }
    assertThat(core.strategy().inFlight()).isGreaterThanOrEqualTo(GREEDY_CONNECTIONS);
    endlessEnds = true;
    for (TestClient client : greedy) {
      assertThat(client.receiveSearch(2)).isZero();
    }
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldLetOthersWaitWithoutSharesUntilTheyAreToldThatItIsBusy(String strategy)
      throws IOException {
    start(strategy, 100);
    occupy();
    TestClient other = connect();
    other.send(Pdus.concat(Pdus.search(1, "long", 0), Pdus.search(2, "long", 0)));
    awaitInFlight(GREEDY_CONNECTIONS + 1);
    nowNanos.addAndGet(TimeUnit.SECONDS.toNanos(10));
    for (int id = 1; id <= 2; id++) {
      assertThat(other.receive().code()).as("search %d", id).isEqualTo(BUSY);
    }
    // The waiting searches of the greedy identity are rejected as well; running ones continue.
    awaitInFlight(PERMITS);
    other.send(Pdus.search(3, "long", 0));
    awaitInFlight(PERMITS + 1);
    endlessEnds = true;
    assertThat(other.receiveSearch(3)).isZero();
    int busy = 0;
    for (TestClient client : greedy) {
      busy += client.receive().code() == BUSY ? 1 : 0;
    }
    assertThat(busy).isEqualTo(GREEDY_CONNECTIONS - PERMITS);
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldKeepNoPlaceForClientsThatHaveGoneWhileTheyWaited(String strategy) throws IOException {
    start(strategy, 100);
    occupy();
    for (int i = 0; i < 10; i++) {
      try (TestClient passing = new TestClient(server.addresses().getFirst())) {
        passing.send(Pdus.search(1, "long", 0));
        awaitInFlight(GREEDY_CONNECTIONS + 1);
      }
      awaitInFlight(GREEDY_CONNECTIONS);
    }
  }
}
