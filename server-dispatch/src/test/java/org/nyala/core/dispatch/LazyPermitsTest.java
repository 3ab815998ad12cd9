package org.nyala.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.nyala.core.Patience.await;
import static org.nyala.core.Patience.join;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class LazyPermitsTest {
  private final List<Task> admitted = new ArrayList<>();

  private static Task task() {
    return ScriptedTask.shortOne(1);
  }

  @Test
  void shouldGiveOutEveryPermitAndThenPark() {
    LazyPermits permits = new LazyPermits(2, 1, admitted::add);
    assertThat(permits.tryAcquire(task())).isTrue();
    assertThat(permits.tryAcquire(task())).isTrue();
    assertThat(permits.tryAcquire(task())).isFalse();
    assertThat(permits.value()).isZero();
    assertThat(permits.waiting()).isEqualTo(1);
    assertThat(permits.inFlight()).isEqualTo(3);
  }

  @Test
  void shouldAdmitInTheOrderOfArrival() {
    LazyPermits permits = new LazyPermits(1, 1, admitted::add);
    permits.tryAcquire(task());
    Task first = task();
    Task second = task();
    permits.tryAcquire(first);
    permits.tryAcquire(second);
    permits.release();
    assertThat(admitted).containsExactly(first);
    permits.release();
    assertThat(admitted).containsExactly(first, second);
    permits.release();
    assertThat(permits.inFlight()).isZero();
  }

  @Test
  void shouldWakeWaitersOnlyWhenEnoughPermitsAreFree() {
    LazyPermits permits = new LazyPermits(4, 3, admitted::add);
    for (int i = 0; i < 4; i++) {
      permits.tryAcquire(task());
    }
    List<Task> waiters = List.of(task(), task(), task(), task());
    waiters.forEach(permits::tryAcquire);
    permits.release();
    permits.release();
    assertThat(admitted).isEmpty();
    permits.release();
    assertThat(admitted).isEqualTo(waiters.subList(0, 3));
    assertThat(permits.value()).isZero();
    assertThat(permits.waiting()).isEqualTo(1);
  }

  @Test
  void shouldNotLetNewcomersOvertakeWaiters() {
    LazyPermits permits = new LazyPermits(2, 2, admitted::add);
    permits.tryAcquire(task());
    permits.tryAcquire(task());
    Task waiter = task();
    Task newcomer = task();
    permits.tryAcquire(waiter);
    permits.release();
    assertThat(permits.value()).isEqualTo(1);
    assertThat(permits.tryAcquire(newcomer)).isFalse();
    permits.release();
    assertThat(admitted).containsExactly(waiter, newcomer);
  }

  @Test
  void shouldPayOverdraftsBackBeforeAdmittingAnybody() {
    LazyPermits permits = new LazyPermits(2, 1, admitted::add);
    permits.tryAcquire(task());
    permits.tryAcquire(task());
    permits.acquireOverdraft();
    permits.acquireOverdraft();
    assertThat(permits.value()).isEqualTo(-2);
    permits.tryAcquire(task());
    permits.release();
    permits.release();
    assertThat(admitted).isEmpty();
    permits.release();
    assertThat(admitted).hasSize(1);
    assertThat(permits.value()).isZero();
  }

  @Test
  void shouldAdmitEveryWaiterOnceAllPermitsAreFreeWhateverTheLaziness() {
    LazyPermits permits = new LazyPermits(3, 3, admitted::add);
    for (int i = 0; i < 3; i++) {
      permits.tryAcquire(task());
    }
    permits.tryAcquire(task());
    permits.release();
    permits.release();
    permits.release();
    assertThat(admitted).hasSize(1);
    assertThat(permits.value()).isEqualTo(2);
  }

  @Test
  void shouldRefuseLazinessThatWouldStall() {
    assertThatIllegalArgumentException().isThrownBy(() -> new LazyPermits(3, 4, admitted::add));
    assertThatIllegalArgumentException().isThrownBy(() -> new LazyPermits(3, -1, admitted::add));
    assertThatIllegalArgumentException().isThrownBy(() -> new LazyPermits(0, 1, admitted::add));
  }

  @Test
  void shouldRefuseToTakeBackMoreThanWasTaken() {
    LazyPermits permits = new LazyPermits(1, 1, admitted::add);
    assertThatIllegalStateException().isThrownBy(permits::release);
    assertThat(permits.value()).isEqualTo(1);
  }

  @Test
  void shouldTakeNoLazinessForTheLeast() {
    LazyPermits permits = new LazyPermits(2, 0, admitted::add);
    permits.tryAcquire(task());
    permits.tryAcquire(task());
    permits.acquireOverdraft();
    permits.tryAcquire(task());
    permits.release();
    assertThat(admitted).isEmpty();
    permits.release();
    assertThat(admitted).hasSize(1);
    assertThat(permits.value()).isZero();
  }

  @Test
  void shouldLeaveNoWorkerIdleForTheSakeOfLaziness() {
    assertThat(LazyPermits.laziness(4, 20, 16)).isEqualTo(4);
    assertThat(LazyPermits.laziness(4, 18, 16)).isEqualTo(2);
    assertThat(LazyPermits.laziness(4, 16, 16)).isEqualTo(1);
    assertThat(LazyPermits.laziness(4, 1, 16)).isEqualTo(1);
    assertThat(LazyPermits.laziness(0, 20, 16)).isEqualTo(1);
  }

  @Test
  void shouldRejectATaskThatWaitsAlready() {
    LazyPermits permits = new LazyPermits(1, 1, _ -> {});
    permits.tryAcquire(task());
    Task waiter = task();
    permits.tryAcquire(waiter);
    assertThatIllegalStateException().isThrownBy(() -> permits.tryAcquire(waiter));
    assertThat(permits.waiting()).isEqualTo(1);
  }

  @Test
  void shouldNotNestWhenAdmittedTasksReleaseAtOnce() {
    AtomicReference<LazyPermits> self = new AtomicReference<>();
    AtomicInteger ended = new AtomicInteger();
    LazyPermits permits =
        new LazyPermits(
            1,
            1,
            _ -> {
              ended.incrementAndGet();
              self.get().release();
            });
    self.set(permits);
    permits.tryAcquire(task());
    for (int i = 0; i < 100_000; i++) {
      permits.tryAcquire(task());
    }
    permits.release();
    assertThat(ended).hasValue(100_000);
    assertThat(permits.value()).isEqualTo(1);
    assertThat(permits.inFlight()).isZero();
  }

  @Test
  void shouldAdmitTheOthersWhenOneAdmissionFails() {
    Task broken = task();
    LazyPermits permits =
        new LazyPermits(
            2,
            2,
            task -> {
              if (task == broken) {
                throw new IllegalStateException("cannot be admitted");
              }
              admitted.add(task);
            });
    permits.tryAcquire(task());
    permits.tryAcquire(task());
    Task other = task();
    permits.tryAcquire(broken);
    permits.tryAcquire(other);
    permits.release();
    permits.release();
    assertThat(admitted).containsExactly(other);
    permits.release();
    permits.release();
    assertThat(permits.inFlight()).isZero();
  }

  @Test
  void shouldAdmitInOrderWhoeverReleases() {
    CountDownLatch inAdmission = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Task first = task();
    Task second = task();
    LazyPermits permits =
        new LazyPermits(
            2,
            1,
            task -> {
              if (task == first) {
                inAdmission.countDown();
                await(goOn);
              }
              admitted.add(task);
            });
    permits.tryAcquire(task());
    permits.tryAcquire(task());
    permits.tryAcquire(first);
    permits.tryAcquire(second);
    Thread slow = Thread.ofPlatform().start(permits::release);
    await(inAdmission);
    permits.release();
    goOn.countDown();
    join(slow);
    assertThat(admitted).containsExactly(first, second);
  }
}
