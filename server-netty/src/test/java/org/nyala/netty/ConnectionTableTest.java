package org.nyala.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.nyala.core.Patience.await;

import io.netty.channel.DefaultEventLoop;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Seeds;
import org.nyala.netty.WireSettings.Table;

class ConnectionTableTest {
  private final List<EventExecutor> loops =
      List.of(new DefaultEventLoop(), new DefaultEventLoop(), new DefaultEventLoop());
  private final AtomicInteger numbers = new AtomicInteger();

  /** A connection of which only its place is known. */
  private static final class Member implements ConnectionTable.Member {
    private final int number;
    private final EventExecutor loop;
    private int place = -1;
    private int visits;

    Member(int number, EventExecutor loop) {
      this.number = number;
      this.loop = loop;
    }

    @Override
    public int number() {
      return number;
    }

    @Override
    public EventExecutor loop() {
      return loop;
    }

    @Override
    public int place() {
      return place;
    }

    @Override
    public void moveTo(int newPlace) {
      place = newPlace;
    }
  }

  @AfterEach
  void stopLoops() {
    for (EventExecutor loop : loops) {
      Future<?> _ = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
  }

  private Member member(EventExecutor loop) {
    return new Member(numbers.incrementAndGet(), loop);
  }

  private static List<Member> visited(ConnectionTable<Member> table, EventExecutor loop) {
    List<Member> found = new ArrayList<>();
    table.forEach(loop, found::add);
    return found;
  }

  @ParameterizedTest
  @ValueSource(strings = {"per-loop", "global-lock", "sharded(2)", "sharded(7)", "sharded(1024)"})
  void shouldKnowWhatListsKnowAfterRandomSteps(String label) {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    ConnectionTable<Member> table = ConnectionTable.of(Table.parse(label), loops);
    List<List<Member>> oracle = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    for (int step = 0; step < 20_000; step++) {
      int loop = random.nextInt(loops.size());
      List<Member> members = oracle.get(loop);
      boolean grows = step % 4_000 < 2_000;
      if (members.isEmpty() || random.nextInt(5) < (grows ? 3 : 2)) {
        Member member = member(loops.get(loop));
        table.add(member);
        members.add(member);
        assertThat(table.holds(member)).as("seed %d", seed).isTrue();
      } else {
        Member member = members.remove(random.nextInt(members.size()));
        table.remove(member);
        if (!label.equals("per-loop")) {
          assertThat(table.holds(member)).as("seed %d", seed).isFalse();
        }
      }
      if (step % 500 == 0) {
        for (int i = 0; i < loops.size(); i++) {
          assertThat(visited(table, loops.get(i)))
              .as("seed %d", seed)
              .containsExactlyInAnyOrderElementsOf(oracle.get(i));
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"per-loop", "global-lock", "sharded(3)"})
  void shouldVisitEachOnceThoughTheVisitedLeave(String label) {
    ConnectionTable<Member> table = ConnectionTable.of(Table.parse(label), loops);
    EventExecutor loop = loops.getFirst();
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      Member member = member(loop);
      members.add(member);
      table.add(member);
    }
    table.forEach(
        loop,
        member -> {
          member.visits++;
          if (member.number() % 3 != 0) {
            table.remove(member);
          }
        });
    assertThat(members).allMatch(member -> member.visits == 1);
    assertThat(visited(table, loop)).hasSize(333).allMatch(member -> member.number() % 3 == 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"per-loop", "global-lock", "sharded(2)", "sharded(16)"})
  void shouldKeepEveryLoopsConnectionsWhileAllLoopsAreBusy(String label) {
    long seed = Seeds.seed();
    ConnectionTable<Member> table = ConnectionTable.of(Table.parse(label), loops);
    AtomicInteger faults = new AtomicInteger();
    CountDownLatch done = new CountDownLatch(loops.size());
    for (int i = 0; i < loops.size(); i++) {
      EventExecutor loop = loops.get(i);
      SplittableRandom random = new SplittableRandom(seed + i);
      loop.execute(
          () -> {
            faults.addAndGet(churn(table, loop, random));
            done.countDown();
          });
    }
    await(done);
    assertThat(faults).as("seed %d", seed).hasValue(0);
  }

  /** Opens, closes, asks and sweeps as one event loop does; returns the number of faults. */
  private int churn(ConnectionTable<Member> table, EventExecutor loop, SplittableRandom random) {
    List<Member> members = new ArrayList<>();
    int faults = 0;
    for (int step = 0; step < 30_000; step++) {
      int choice = random.nextInt(100);
      if (members.isEmpty() || choice < 12) {
        members.add(member(loop));
        table.add(members.getLast());
      } else if (choice < 23) {
        table.remove(members.remove(random.nextInt(members.size())));
      } else if (choice < 99) {
        faults += table.holds(members.get(random.nextInt(members.size()))) ? 0 : 1;
      } else {
        List<Member> found = visited(table, loop);
        faults += found.size() == members.size() && found.containsAll(members) ? 0 : 1;
      }
    }
    return faults;
  }

  @Test
  void shouldRefuseSecondConnectionWithTheNumberOfAnOpenOne() {
    ConnectionTable<Member> table = ConnectionTable.of(new Table(4), loops);
    Member first = new Member(5, loops.getFirst());
    Member second = new Member(5, loops.getLast());
    table.add(first);
    assertThatIllegalStateException().isThrownBy(() -> table.add(second));
    assertThat(table.holds(first)).isTrue();
    assertThat(table.holds(second)).isFalse();
    table.remove(first);
    table.add(second);
    assertThat(table.holds(second)).isTrue();
    assertThat(table.holds(first)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"per-loop", "global-lock", "sharded(2)", "sharded(1024)"})
  void shouldReadTheLabelsThatItWrites(String label) {
    assertThat(Table.parse(label).label()).isEqualTo(label);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "sharded",
        "sharded()",
        "sharded(0)",
        "sharded(1025)",
        "sharded(01)",
        "sharded(-1)",
        "sharded(99999)",
        "sharded(2) ",
        "Per-Loop",
        "global"
      })
  void shouldRefuseOtherLabels(String label) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Table.parse(label))
        .withMessageContaining("sharded(n), n from 1 to 1024");
  }
}
