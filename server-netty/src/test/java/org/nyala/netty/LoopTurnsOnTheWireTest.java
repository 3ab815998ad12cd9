package org.nyala.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.DirectoryServer;
import org.nyala.core.Patience;
import org.nyala.core.dispatch.DispatchSettings;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.core.session.OperationRouter;

/**
 * Clients that send many large requests at once share an event loop with one that sends a small
 * one. The requests that come before that one are counted; nothing depends on how long they take.
 */
final class LoopTurnsOnTheWireTest {
  private static final int GREEDY = 4;
  private static final int REQUESTS = 16;

  /** The requests of a turn of each of the greedy ones. */
  private static final int MOST_BEFORE = GREEDY * 8;

  private final List<AutoCloseable> opened = new ArrayList<>();
  private final List<String> begun = new CopyOnWriteArrayList<>();
  private final CountDownLatch isHeld = new CountDownLatch(1);
  private final CountDownLatch mayGoOn = new CountDownLatch(1);
  private DirectoryServer core;

  private final class Recorded implements OperationRouter {
    @Override
    public OperationBody route(Request request) {
      Request.Search search = (Request.Search) request;
      begun.add(search.base());
      return (operation, _) -> {
        if (search.base().equals("hold")) {
          isHeld.countDown();
          Patience.await(mayGoOn);
        }
        return succeed(operation);
      };
    }
  }

  private static Outcome succeed(Operation operation) {
    operation.sink().result(operation.request(), LdapResult.SUCCESS);
    return Outcome.DONE;
  }

  private NettyLdapServer start() throws Exception {
    core =
        new DirectoryServer(
            new Recorded(),
            DispatchStrategies.create(
                "run-to-completion",
                DispatchSettings.automatic(
                    Thread.ofPlatform().daemon().factory(), System::nanoTime)),
            ServerLimits.DEFAULT,
            System::nanoTime);
    opened.add(core);
    WireSettings settings =
        WireSettings.on("127.0.0.1", 0).with(draft -> draft.loops = new WireSettings.Loops(1, 1));
    NettyLdapServer server = NettyLdapServer.start(core, settings, System::nanoTime);
    opened.add(server);
    return server;
  }

  private TestClient connect(NettyLdapServer server) throws Exception {
    TestClient client = new TestClient(server.addresses().getFirst());
    opened.add(client);
    return client;
  }

  @AfterEach
  void closeAll() throws Exception {
    mayGoOn.countDown();
    for (AutoCloseable each : opened.reversed()) {
      each.close();
    }
  }

  /** A search with a filter of many parts. */
  private static byte[] large(int id, int bytes) {
    byte[] part = Pdus.equality("cn", "x".repeat(16));
    byte[][] parts = new byte[bytes / part.length][];
    Arrays.fill(parts, part);
    return Pdus.message(id, Pdus.searchOperation("greedy", 0, 0, Pdus.element(0xa1, parts), "1.1"));
  }

  @ParameterizedTest
  @ValueSource(ints = {10_000, 60_000})
  void shouldTakeASmallRequestBeforeMostOfTheLargeOnes(int bytes) throws Exception {
    NettyLdapServer server = start();
    TestClient holder = connect(server);
    List<TestClient> greedy = new ArrayList<>();
    for (int i = 0; i < GREEDY; i++) {
      greedy.add(connect(server));
    }
    TestClient neighbour = connect(server);
    eventually("all are open", () -> server.connectionCount() == GREEDY + 2);
    holder.send(Pdus.search(1, "hold", 0));
    Patience.await(isHeld);
    for (TestClient client : greedy) {
      byte[][] all = new byte[REQUESTS][];
      for (int i = 0; i < REQUESTS; i++) {
        all[i] = large(i + 1, bytes);
      }
      client.send(Pdus.concat(all));
    }
    neighbour.send(Pdus.search(1, "neighbour", 0));
    mayGoOn.countDown();
    eventually("all have begun", () -> begun.size() == GREEDY * REQUESTS + 2);
    assertThat(begun.indexOf("neighbour")).isLessThanOrEqualTo(MOST_BEFORE);
  }
}
