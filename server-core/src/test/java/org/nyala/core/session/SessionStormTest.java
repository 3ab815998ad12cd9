package org.nyala.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.core.session.SessionFixture.abandon;
import static org.nyala.core.session.SessionFixture.awaitIdle;
import static org.nyala.core.session.SessionFixture.bind;
import static org.nyala.core.session.SessionFixture.key;
import static org.nyala.core.session.SessionFixture.limits;
import static org.nyala.core.session.SessionFixture.search;
import static org.nyala.core.session.SessionFixture.somebody;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.nyala.core.Seeds;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.dispatch.DispatchStrategy;
import org.nyala.core.message.Request;
import org.nyala.core.session.RecordingClient.Answer;

/**
 * Runs random requests, binds, abandons, slow readers and disconnects, and checks the balance at
 * the end.
 */
class SessionStormTest {
  static final List<String> STRATEGIES = DispatchStrategies.OFFERED;

  private static final int ROUNDS = 12;
  private static final int CLIENTS = 6;
  private static final int BURSTS = 60;
  private static final List<String> SCRIPTS =
      List.of("quick", "quick", "slices", "stream", "hash", "refused");
  private static final List<String> BIND_SCRIPTS = List.of("quick", "hash", "refused");

  private final long seed = Seeds.seed();
  private final Random random = new Random(seed);

  /** A client with a record of its expected answers. */
  private final class Tester {
    final RecordingClient client;
    final Map<Integer, BoundIdentity> expectedIdentity = new HashMap<>();
    final Set<Integer> binds = new HashSet<>();
    final Set<Integer> excused = new HashSet<>();
    BoundIdentity identity = BoundIdentity.ANONYMOUS;
    boolean gone;
    int lastId;

    Tester(RecordingClient client) {
      this.client = client;
    }

    void burst(SessionFixture fixture) {
      List<Request> requests = new ArrayList<>();
      int count = 1 + random.nextInt(6);
      for (int i = 0; i < count; i++) {
        requests.add(next(fixture));
      }
      client.send(requests.toArray(Request[]::new));
      if (random.nextInt(5) == 0) {
        client.reads = false;
      } else if (random.nextInt(2) == 0) {
        client.read();
      }
      if (random.nextInt(300) == 0) {
        gone = true;
        client.breakOff();
      }
    }

    private Request next(SessionFixture fixture) {
      int id = ++lastId;
      int kind = random.nextInt(20);
      if (kind == 0) {
        return nextBind(fixture, id);
      }
      if (kind < 3 && id > 1) {
        int target = 1 + random.nextInt(id - 1);
        if (!binds.contains(target)) {
          excused.add(target);
        }
        excused.add(id);
        return abandon(id, target);
      }
      expectedIdentity.put(id, identity);
      return search(id, SCRIPTS.get(random.nextInt(SCRIPTS.size())));
    }

    private Request nextBind(SessionFixture fixture, int id) {
      for (int earlier = 1; earlier < id; earlier++) {
        excused.add(earlier);
      }
      binds.add(id);
      String script = BIND_SCRIPTS.get(random.nextInt(BIND_SCRIPTS.size()));
      identity = script.equals("refused") ? BoundIdentity.ANONYMOUS : somebody();
      if (!script.equals("refused")) {
        fixture.establishes.put(key(client.number(), id), identity);
      }
      return bind(id, script);
    }

    void check(SessionFixture fixture, String as) {
      Map<Integer, Integer> counts = new HashMap<>();
      for (Answer answer : client.onLoop(() -> List.copyOf(client.answers))) {
        counts.merge(answer.messageId(), 1, Integer::sum);
      }
      for (int id = 1; id <= lastId; id++) {
        int count = counts.getOrDefault(id, 0);
        if (gone || excused.contains(id)) {
          assertThat(count).as("%s, excused %d", as, id).isLessThanOrEqualTo(1);
        } else {
          assertThat(count).as("%s, request %d", as, id).isEqualTo(1);
        }
        BoundIdentity ranAs = fixture.ranAs.get(key(client.number(), id));
        if (ranAs != null && expectedIdentity.containsKey(id)) {
          assertThat(ranAs).as("%s, identity of %d", as, id).isSameAs(expectedIdentity.get(id));
        }
      }
      assertThat(client.onLoop(() -> client.notice)).as(as).isNull();
    }
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldBalanceAfterAStorm(String strategy) {
    for (int round = 0; round < ROUNDS; round++) {
      int permits = 1 + random.nextInt(6);
      int workers = 1 + random.nextInt(2);
      try (SessionFixture fixture =
              new SessionFixture(
                  strategy,
                  workers,
                  permits,
                  limits(1 + random.nextInt(5), 1 + random.nextInt(8)));
          ExecutorService loop =
              Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory());
          ExecutorService otherLoop =
              Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory())) {
        storm(fixture, loop, otherLoop, "seed " + seed + ", round " + round);
      }
    }
  }

  private void storm(
      SessionFixture fixture, ExecutorService loop, ExecutorService otherLoop, String as) {
    List<Tester> testers = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      testers.add(new Tester(fixture.open(i % 2 == 0 ? loop : otherLoop)));
    }
    DispatchStrategy replaced = null;
    for (int burst = 0; burst < BURSTS * CLIENTS; burst++) {
      Tester tester = testers.get(random.nextInt(CLIENTS));
      if (!tester.gone) {
        tester.burst(fixture);
      }
      if (replaced == null && random.nextInt(BURSTS * CLIENTS) == 0) {
        replaced = fixture.strategy;
        fixture.strategy = SessionFixture.strategy("striped", 1, 2);
        replaced.close();
      }
    }
    for (Tester tester : testers) {
      if (tester.gone) {
        awaitEnded(as, tester.client);
      } else {
        tester.client.read();
        awaitIdle(as, tester.client);
      }
    }
    eventually(as + ": permits given back", () -> fixture.strategy.inFlight() == 0);
    DispatchStrategy before = replaced;
    eventually(
        as + ": the previous strategy's permits, too",
        () -> before == null || before.inFlight() == 0);
    assertThat(fixture.metrics.operationsCompleted().sum())
        .as(as)
        .isEqualTo(fixture.metrics.operationsStarted().sum());
    assertThat(fixture.metrics.internalErrors().sum()).as(as).isZero();
    for (Tester tester : testers) {
      tester.check(fixture, as);
    }
  }

  private static void awaitEnded(String as, RecordingClient client) {
    eventually(as + ": ended", () -> client.onLoop(() -> client.session.inFlightCount() == 0));
  }
}
