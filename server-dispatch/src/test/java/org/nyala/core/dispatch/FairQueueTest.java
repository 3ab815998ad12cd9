package org.nyala.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.dispatch.ScriptedTask.shortOne;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;

class FairQueueTest {
  private final FairQueue queue = new FairQueue();

  private static ScriptedTask task(Object owner) {
    ScriptedTask task = shortOne(1);
    task.owner = owner;
    return task;
  }

  /** Returns the owners of the next slices of endless tasks. */
  private List<Object> slices(int count) {
    List<Object> owners = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Task task = queue.poll();
      owners.add(task.owner());
      queue.addYielded(task);
    }
    return owners;
  }

  @Test
  void shouldGiveOneTaskOfOneOwnerAsMuchAsManyOfAnother() {
    for (int i = 0; i < 200; i++) {
      queue.addArrived(task("greedy"));
    }
    queue.addArrived(task("modest"));
    assertThat(slices(1_000)).filteredOn("modest"::equals).hasSize(500);
    for (int i = 0; i < 3; i++) {
      queue.addArrived(task("other" + i));
    }
    assertThat(slices(1_000)).filteredOn("modest"::equals).hasSizeBetween(199, 201);
  }

  @Test
  void shouldTakeWhatIsDueBeforeTheTurnsOfOthers() {
    AtomicLong nanos = new AtomicLong();
    FairQueue timed = new FairQueue(4, nanos::get);
    Map<Object, ScriptedTask> tasks = new HashMap<>();
    for (int i = 0; i < 50; i++) {
      ScriptedTask yielded = task("owner" + i);
      tasks.put(yielded.owner, yielded);
      timed.addYielded(yielded);
    }
    ScriptedTask due = tasks.get("owner40");
    ScriptedTask alsoDue = tasks.get("owner45");
    ScriptedTask last = tasks.get("owner47");
    due.isDue = true;
    alsoDue.isDue = true;
    last.isDue = true;
    assertThat(timed.poll().owner()).as("within the millisecond").isEqualTo("owner0");
    nanos.addAndGet(1_000_000);
    assertThat(timed.poll()).isSameAs(due);
    nanos.addAndGet(999_999);
    assertThat(timed.poll()).as("within a millisecond of the first").isSameAs(alsoDue);
    nanos.addAndGet(1);
    assertThat(timed.poll().owner()).as("a turn in between").isEqualTo("owner1");
    assertThat(timed.poll()).isSameAs(last);
    Set<Object> rest = new HashSet<>();
    while (!timed.isEmpty()) {
      rest.add(timed.poll().owner());
    }
    assertThat(rest)
        .hasSize(45)
        .doesNotContain("owner0", "owner1", "owner40", "owner45", "owner47");
  }

  @Test
  void shouldTakeAnArrivalThatIsDueInTheMidstOfTheTurnOfItsOwner() {
    AtomicLong nanos = new AtomicLong();
    FairQueue timed = new FairQueue(4, nanos::get);
    ScriptedTask first = task("a");
    ScriptedTask due = task("a");
    due.isDue = true;
    ScriptedTask second = task("a");
    timed.addArrived(first);
    timed.addArrived(second);
    timed.addArrived(due);
    assertThat(timed.poll()).isSameAs(first);
    nanos.addAndGet(1_000_000);
    assertThat(timed.poll()).isSameAs(due);
    assertThat(timed.poll()).isSameAs(second);
    assertThat(timed.isEmpty()).isTrue();
    timed.addYielded(first);
    assertThat(timed.poll()).isSameAs(first);
    assertThat(timed.poll()).isNull();
  }

  @Test
  void shouldGiveEveryTaskOfAnOwnerItsTurn() {
    Set<Task> seen = new HashSet<>();
    for (int i = 0; i < 50; i++) {
      queue.addYielded(task("a"));
      queue.addYielded(task("b"));
    }
    for (int i = 0; i < 100; i++) {
      Task task = queue.poll();
      seen.add(task);
      queue.addYielded(task);
    }
    assertThat(seen).hasSize(100);
  }

  @Test
  void shouldLetShortArrivalsOvertakeWhatHasYieldedButNotForEver() {
    ScriptedTask longOne = task("a");
    queue.addYielded(longOne);
    for (int i = 0; i < 200; i++) {
      queue.addArrived(task("a"));
    }
    for (int i = 0; i < 64; i++) {
      assertThat(queue.poll()).as("arrival %d", i).isNotSameAs(longOne);
    }
    assertThat(queue.poll()).isSameAs(longOne);
  }

  @Test
  void shouldEndTheTurnOfArrivalsThatAreNotShort() {
    ScriptedTask first = task("a");
    queue.addArrived(first);
    queue.addArrived(task("a"));
    ScriptedTask other = task("b");
    queue.addArrived(other);
    assertThat(queue.poll()).isSameAs(first);
    queue.addYielded(first);
    assertThat(queue.poll()).isSameAs(other);
    assertThat(queue.poll()).isSameAs(first);
  }

  @Test
  void shouldLoseNothingAndKeepTheOrderOfEachOwner() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      FairQueue fair = new FairQueue();
      Map<Object, List<Task>> arrived = new HashMap<>();
      Map<Object, List<Task>> begun = new HashMap<>();
      Set<Task> queued = new HashSet<>();
      for (int step = 0; step < 500; step++) {
        if (random.nextInt(3) > 0) {
          ScriptedTask task = task(random.nextInt(5));
          fair.addArrived(task);
          queued.add(task);
          arrived.computeIfAbsent(task.owner(), _ -> new ArrayList<>()).add(task);
        } else {
          Task task = fair.poll();
          assertThat(task == null).as("seed %d", seed).isEqualTo(queued.isEmpty());
          if (task != null) {
            assertThat(queued.remove(task)).as("seed %d", seed).isTrue();
            List<Task> ofOwner = begun.computeIfAbsent(task.owner(), _ -> new ArrayList<>());
            if (!ofOwner.contains(task)) {
              ofOwner.add(task);
            }
            if (random.nextBoolean()) {
              fair.addYielded(task);
              queued.add(task);
            }
          }
        }
        assertThat(fair.isEmpty()).as("seed %d", seed).isEqualTo(queued.isEmpty());
      }
      begun.forEach(
          (owner, tasks) ->
              assertThat(arrived.get(owner))
                  .as("seed %d", seed)
                  .startsWith(tasks.toArray(Task[]::new)));
    }
  }
}
