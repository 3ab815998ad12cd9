package org.nyala.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;

/** Compares {@link LazyPermits} in one thread with a model that is too simple to be wrong. */
class LazyPermitsModelTest {
  private static final int ACQUIRE = 0;
  private static final int OVERDRAW = 1;
  private static final int RELEASE = 2;

  /** The common interface of the permits and their model. */
  private interface Semaphore {
    boolean tryAcquire(Task task);

    void acquireOverdraft();

    void release();
  }

  /** The semantics in the simplest form. */
  private static final class Model implements Semaphore {
    final int laziness;
    final ArrayDeque<Task> waiters = new ArrayDeque<>();
    final ArrayDeque<Task> granted = new ArrayDeque<>();
    final Consumer<Task> admission;
    int value;
    boolean admitting;

    Model(int permits, int laziness, Consumer<Task> admission) {
      this.value = permits;
      this.laziness = laziness;
      this.admission = admission;
    }

    @Override
    public boolean tryAcquire(Task task) {
      if (waiters.isEmpty() && value > 0) {
        value--;
        return true;
      }
      waiters.add(task);
      return false;
    }

    @Override
    public void acquireOverdraft() {
      value--;
    }

    @Override
    public void release() {
      value++;
      if (admitting) {
        return;
      }
      admitting = true;
      while (value >= laziness && value > 0 && !waiters.isEmpty()) {
        while (value > 0 && !waiters.isEmpty()) {
          value--;
          granted.add(waiters.remove());
        }
        while (!granted.isEmpty()) {
          admission.accept(granted.remove());
        }
      }
      admitting = false;
    }
  }

  /** One of the two, with its results. */
  private static final class Side {
    final List<Task> admitted = new ArrayList<>();
    final ArrayDeque<Integer> reactions = new ArrayDeque<>();
    Semaphore semaphore;
    int held;

    void did(int step, Task task) {
      switch (step) {
        case ACQUIRE -> held += semaphore.tryAcquire(task) ? 1 : 0;
        case OVERDRAW -> {
          held++;
          semaphore.acquireOverdraft();
        }
        default -> {
          if (held > 0) {
            held--;
            semaphore.release();
          }
        }
      }
    }

    /** Admits a task, which may do anything, such as end at once. */
    void admit(Task task) {
      held++;
      admitted.add(task);
      Integer reaction = reactions.poll();
      if (reaction != null) {
        did(reaction, task);
      }
    }
  }

  /** Both sides, always given the same calls. */
  private static final class Pair {
    final Side real = new Side();
    final Side modelled = new Side();
    final LazyPermits permits;
    final Model model;
    final int count;
    final int laziness;
    int numbered;

    Pair(int count, int laziness) {
      this.count = count;
      this.laziness = laziness;
      permits = new LazyPermits(count, laziness, real::admit);
      model = new Model(count, laziness, modelled::admit);
      modelled.semaphore = model;
      real.semaphore =
          new Semaphore() {
            @Override
            public boolean tryAcquire(Task task) {
              return permits.tryAcquire(task);
            }

            @Override
            public void acquireOverdraft() {
              permits.acquireOverdraft();
            }

            @Override
            public void release() {
              permits.release();
            }
          };
    }

    void react(int step) {
      real.reactions.add(step);
      modelled.reactions.add(step);
    }

    void step(int step) {
      Task task = ScriptedTask.shortOne(++numbered);
      real.did(step, task);
      modelled.did(step, task);
    }

    /** Returns null, or how the two differ or violate an invariant. */
    String fault() {
      if (permits.value() != model.value || permits.waiting() != model.waiters.size()) {
        return "value %d waiting %d, expected %d and %d"
            .formatted(permits.value(), permits.waiting(), model.value, model.waiters.size());
      }
      if (real.held != modelled.held || !real.admitted.equals(modelled.admitted)) {
        return "held %d, expected %d; or admitted differently".formatted(real.held, modelled.held);
      }
      if (permits.value() + real.held != count) {
        return "of " + count + " permits, " + permits.value() + " free, " + real.held + " held";
      }
      if (permits.value() >= Math.max(1, laziness) && permits.waiting() > 0) {
        return "stalled at " + permits.value();
      }
      return null;
    }

    void end() {
      while (real.held > 0) {
        step(RELEASE);
      }
    }
  }

  private static void check(Pair pair, String what) {
    String fault = pair.fault();
    if (fault != null) {
      throw new AssertionError(what + ": " + fault);
    }
  }

  @Test
  void shouldAgreeWithTheModelOnEveryShortSequence() {
    int length = 9;
    int sequences = (int) Math.pow(3, length);
    int checked = 0;
    for (int permits = 1; permits <= 3; permits++) {
      for (int laziness = 0; laziness <= permits; laziness++) {
        for (int sequence = 0; sequence < sequences; sequence++) {
          Pair pair = new Pair(permits, laziness);
          for (int i = 0, rest = sequence; i < length; i++, rest /= 3) {
            pair.step(rest % 3);
            if (pair.fault() != null) {
              check(pair, "permits " + permits + " laziness " + laziness + " steps " + sequence);
            }
          }
          checked++;
        }
      }
    }
    assertThat(checked).isEqualTo((2 + 3 + 4) * sequences);
  }

  @Test
  void shouldAgreeWithTheModelOnLongRandomSequences() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    for (int round = 0; round < 2_000; round++) {
      int permits = 1 + random.nextInt(8);
      int laziness = random.nextInt(permits + 1);
      int acquiring = 1 + random.nextInt(4);
      boolean reacts = random.nextBoolean();
      Pair pair = new Pair(permits, laziness);
      for (int step = 0; step < 150; step++) {
        if (reacts && random.nextInt(4) == 0) {
          pair.react(random.nextInt(3));
        }
        int choice = random.nextInt(acquiring + 3);
        pair.step(choice < acquiring ? ACQUIRE : choice == acquiring ? OVERDRAW : RELEASE);
        check(pair, "seed " + seed);
      }
      pair.end();
      check(pair, "seed " + seed);
      assertThat(pair.permits.value()).as("seed %d", seed).isEqualTo(permits);
      assertThat(pair.permits.inFlight()).as("seed %d", seed).isZero();
    }
  }
}
