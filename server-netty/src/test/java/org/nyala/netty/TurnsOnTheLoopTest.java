package org.nyala.netty;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.await;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.DirectoryServer;
import org.nyala.core.dispatch.DispatchSettings;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.core.session.OperationRouter;

/**
 * Tests one connection with many requests at once and another with few a moment later, on one loop.
 */
final class TurnsOnTheLoopTest {
  private static final int GREEDY = 40;

  /** More bytes than one turn may answer. */
  private static final String LARGE = "x".repeat(300_000);

  private final CountDownLatch entered = new CountDownLatch(1);
  private final CountDownLatch gate = new CountDownLatch(1);
  private final Queue<String> order = new ConcurrentLinkedQueue<>();

  /** The base of a search selects its behaviour. */
  private final class Scripts implements OperationRouter {
    @Override
    public OperationBody route(Request request) {
      return (operation, _) -> answer(operation, ((Request.Search) request).base());
    }
  }

  private Outcome answer(Operation operation, String base) {
    if (base.equals("gate")) {
      entered.countDown();
      await(gate);
    }
    order.add(base);
    String text = base.equals("much") ? LARGE : "";
    operation
        .sink()
        .result(operation.request(), new LdapResult(ResultCode.SUCCESS, text, "", List.of()));
    return Outcome.DONE;
  }

  @ParameterizedTest
  @ValueSource(strings = {"adaptive", "run-to-completion"})
  void shouldHearOthersBetweenLargeAnswersOfOne(String strategy) throws Exception {
    DispatchSettings settings =
        DispatchSettings.automatic(Thread.ofPlatform().daemon().factory(), System::nanoTime);
    try (DirectoryServer core =
            new DirectoryServer(
                new Scripts(),
                DispatchStrategies.create(strategy, settings),
                ServerLimits.DEFAULT,
                System::nanoTime);
        NettyLdapServer server =
            NettyLdapServer.start(core, WireSettings.on("127.0.0.1", 0), System::nanoTime);
        TestClient first = new TestClient(server.addresses().getFirst());
        TestClient greedy = new TestClient(server.addresses().getFirst());
        TestClient modest = new TestClient(server.addresses().getFirst())) {
      for (TestClient each : List.of(greedy, modest)) {
        each.send(Pdus.search(1, "hello", 0));
        assertThat(each.receiveSearch(1)).isZero();
      }
      first.send(Pdus.search(1, "gate", 0));
      await(entered);
      byte[] much = new byte[0];
      for (int id = 1; id <= GREEDY; id++) {
        much = Pdus.concat(much, Pdus.search(id, "much", 0));
      }
      greedy.send(much);
      modest.send(Pdus.search(1, "little", 0));
      CompletableFuture<Integer> answered = CompletableFuture.supplyAsync(() -> countAll(greedy));
      gate.countDown();
      assertThat(modest.receiveSearch(1)).isZero();
      assertThat(answered.join()).isEqualTo(GREEDY);
    } finally {
      gate.countDown();
    }
    List<String> inOrder = new ArrayList<>(order);
    List<String> before = inOrder.subList(0, inOrder.indexOf("little"));
    assertThat(before).filteredOn("much"::equals).hasSizeLessThanOrEqualTo(2);
    assertThat(LARGE.getBytes(UTF_8).length).isGreaterThan(ConnectionOutput.SLICE_BYTES);
  }

  private static int countAll(TestClient client) {
    try {
      int count = 0;
      while (count < GREEDY && client.receive().code() == 0) {
        count++;
      }
      return count;
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
