package org.nyala.core.budget;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.budget.OwnedSlots.Kind;
import org.nyala.core.budget.OwnedSlots.Slot;
import org.nyala.core.budget.OwnedSlots.Use;

class OwnedSlotsTest {
  private final OwnedSlots slots = new OwnedSlots(Kind.CONNECTIONS, () -> 4, 2);

  /** Takes a slot, and leaves it at once when it is told to, or later. */
  private static final class Holder implements OwnedSlots.Tenant {
    final @Nullable Slot slot;
    volatile Use use = Use.IDLE;
    volatile long sinceNanos;
    volatile boolean isEvicted;

    Holder(OwnedSlots of, String owner) {
      slot = of.take(owner, this);
    }

    boolean isIn() {
      return slot != null && !isEvicted;
    }

    Holder at(long nanos) {
      sinceNanos = nanos;
      return this;
    }

    Holder using(Use now) {
      use = now;
      return this;
    }

    void leave() {
      Objects.requireNonNull(slot).giveBack();
    }

    @Override
    public Use use() {
      return use;
    }

    @Override
    public long sinceNanos() {
      return sinceNanos;
    }

    @Override
    public void evict() {
      assertThat(isEvicted).as("told once").isFalse();
      isEvicted = true;
    }
  }

  private Holder of(String owner) {
    return new Holder(slots, owner);
  }

  @Test
  void shouldGiveANewcomerTheOldestIdlePlaceOfTheOwnerThatHoldsMost() {
    Holder first = of("hoarder").at(3);
    Holder oldest = of("hoarder").at(1);
    Holder third = of("hoarder").at(2);
    Holder other = of("other").at(0);
    assertThat(of("newcomer").isIn()).isTrue();
    assertThat(List.of(first, oldest, third, other))
        .extracting(holder -> holder.isEvicted)
        .containsExactly(false, true, false, false);
    assertThat(slots.count()).as("until it has left").isEqualTo(5);
    oldest.leave();
    oldest.leave();
    assertThat(slots.count()).isEqualTo(4);
    assertThat(slots.evicted()).isEqualTo(1);
  }

  @Test
  void shouldTakeOwnPlacesFromAnOwnerThatHoldsMostAndNotThoseOfOthers() {
    Holder other = of("other").at(-5);
    Holder own = of("hoarder").at(9);
    Holder second = of("hoarder").at(9);
    Holder third = of("hoarder").at(9);
    for (Holder next = own; next != null; next = next == own ? second : null) {
      assertThat(of("hoarder").at(10).isIn()).isTrue();
      assertThat(next.isEvicted).isTrue();
      next.leave();
    }
    assertThat(other.isEvicted).isFalse();
    assertThat(third.isEvicted).isFalse();
  }

  @Test
  void shouldKeepWhoeverWorksAndPreferIdleOnesToThoseThatAwaitTheirClient() {
    Holder working = of("hoarder").using(Use.WORKING);
    Holder waiting = of("hoarder").using(Use.AWAITING_CLIENT);
    Holder idle = of("hoarder").at(100);
    Holder other = of("other");
    assertThat(of("a").isIn()).isTrue();
    assertThat(idle.isEvicted).isTrue();
    idle.leave();
    assertThat(of("b").isIn()).isTrue();
    assertThat(waiting.isEvicted).isTrue();
    waiting.leave();
    assertThat(other.isEvicted || working.isEvicted).isFalse();
  }

  @Test
  void shouldCountTheTurnsBeforeANewcomer() {
    assertThat(slots.turnsBefore("a")).isZero();
    Holder first = of("a");
    of("a");
    of("a");
    of("b");
    assertThat(slots.turnsBefore("a")).isEqualTo(4);
    assertThat(slots.turnsBefore("b")).isEqualTo(3);
    assertThat(slots.turnsBefore("c")).isEqualTo(2);
    first.leave();
    assertThat(slots.turnsBefore("a")).isEqualTo(3);
  }

  @Test
  void shouldRefuseANewcomerIfTheLargestOwnerIsAtWork() {
    for (int i = 0; i < 3; i++) {
      assertThat(of("hoarder").using(Use.WORKING).isIn()).isTrue();
    }
    Holder other = of("other");
    assertThat(of("newcomer").isIn()).isFalse();
    assertThat(of("hoarder").isIn()).isFalse();
    assertThat(other.isEvicted).isFalse();
    assertThat(slots.count()).isEqualTo(4);
  }

  @Test
  void shouldBoundThoseThatAreOnTheirWayOut() {
    List<Holder> hoarded = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      hoarded.add(of("hoarder"));
    }
    assertThat(of("a").isIn()).isTrue();
    assertThat(of("b").isIn()).isTrue();
    assertThat(of("c").isIn()).as("two have not left").isFalse();
    assertThat(slots.count()).isEqualTo(6);
    hoarded.stream().filter(holder -> holder.isEvicted).forEach(Holder::leave);
    assertThat(of("c").isIn()).isTrue();
  }

  @Test
  void shouldBoundAnOwner() {
    assertThat(slots.take("a", of("b"), 0)).isNull();
    Slot slot = slots.take("a", of("b"), 1);
    assertThat(slot).isNotNull();
    assertThat(slots.take("a", of("b"), 1)).isNull();
    assertThat(slot.belongTo("c", 1)).isTrue();
    assertThat(slots.isHeldBy("c", 1)).isTrue();
    assertThat(slots.isHeldBy("a", 1)).isFalse();
    assertThat(slot.belongTo("b", 1)).isFalse();
  }

  @Test
  void shouldFindAnIdlePlaceBehindManyThatWork() {
    OwnedSlots many = new OwnedSlots(Kind.CONNECTIONS, () -> 2000);
    for (int i = 0; i < 1999; i++) {
      assertThat(new Holder(many, "hoarder").using(Use.WORKING).isIn()).isTrue();
    }
    Holder idle = new Holder(many, "hoarder");
    int tries = 1;
    while (!new Holder(many, "newcomer").isIn()) {
      tries++;
      assertThat(tries).isLessThan(10);
    }
    assertThat(idle.isEvicted).isTrue();
  }

  @Test
  void shouldBoundThePlacesInManyThreads() throws Exception {
    long seed = Seeds.seed();
    int most = 16;
    OwnedSlots shared = new OwnedSlots(Kind.CONNECTIONS, () -> most);
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Callable<Void>> all = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        Random random = new Random(seed + i);
        all.add(() -> churn(shared, most, random));
      }
      for (Future<Void> each : threads.invokeAll(all)) {
        each.get();
      }
    }
    assertThat(shared.count()).isZero();
    assertThat(shared.evicted()).isPositive();
  }

  private static @Nullable Void churn(OwnedSlots shared, int most, Random random) {
    List<Holder> own = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      Holder holder = new Holder(shared, "owner " + random.nextInt(5)).at(i);
      if (holder.slot != null) {
        own.add(holder.using(random.nextInt(3) > 0 ? Use.IDLE : Use.WORKING));
      }
      own.removeIf(
          each -> {
            boolean leaves = each.isEvicted || random.nextInt(8) == 0;
            if (leaves) {
              each.leave();
            }
            return leaves;
          });
      assertThat(shared.count()).isLessThanOrEqualTo(most + OwnedSlots.LEAVING);
    }
    own.forEach(Holder::leave);
    return null;
  }
}
