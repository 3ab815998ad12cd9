package org.nyala.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.RecordingSink;

/** Runs methods that wait, slice by slice. */
@Timeout(60)
class SequenceTest {
  private static final Request REQUEST = new Request.Unbind(1, List.of());

  private final OperationFixture directory = new OperationFixture();
  private final List<String> seen = new ArrayList<>();
  private final Operation operation = directory.operation(REQUEST, new RecordingSink(100));

  private Sequence sequence(Sequence.Work work) {
    return new Sequence(operation, work);
  }

  @Test
  void shouldGoOnWhereItHasWaited() throws Exception {
    Sequence steps =
        sequence(
            going -> {
              seen.add("first");
              going.nextTurn();
              seen.add("second");
              assertThat(going.park(false)).isFalse();
              assertThat(going.park(true)).isTrue();
              seen.add("third");
              return () -> Outcome.DONE;
            });
    assertThat(steps.run()).isEqualTo(Outcome.YIELDED);
    assertThat(seen).containsExactly("first");
    assertThat(steps.run()).isEqualTo(Outcome.PARKED);
    assertThat(seen).containsExactly("first", "second");
    assertThat(steps.run()).isEqualTo(Outcome.DONE);
    assertThat(seen).containsExactly("first", "second", "third");
  }

  /** The work itself runs on a thread of its own, and every step on that of the slice. */
  @Test
  void shouldDoStepsOnTheThreadOfTheSlice() throws Exception {
    List<Thread> threads = new ArrayList<>();
    Sequence steps =
        sequence(
            going -> {
              assertThat(Thread.currentThread().isVirtual()).isTrue();
              threads.add(going.here(Thread::currentThread));
              going.nextTurn();
              going.doHere(() -> threads.add(Thread.currentThread()));
              return () -> {
                threads.add(Thread.currentThread());
                return Outcome.DONE;
              };
            });
    Outcome[] outcomes = new Outcome[2];
    Thread first = Thread.ofPlatform().start(() -> outcomes[0] = ran(steps));
    first.join();
    Thread second = Thread.ofPlatform().start(() -> outcomes[1] = ran(steps));
    second.join();
    assertThat(outcomes).containsExactly(Outcome.YIELDED, Outcome.DONE);
    assertThat(threads).containsExactly(first, second, second);
  }

  private static Outcome ran(Sequence steps) {
    try {
      return steps.run();
    } catch (LdapOperationException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldPassOnWhatStepsThrow() {
    LdapOperationException refusal = new LdapOperationException(LdapResult.of(ResultCode.BUSY));
    Sequence refused =
        sequence(
            going ->
                going.here(
                    () -> {
                      throw refusal;
                    }));
    assertThatThrownBy(refused::run).isSameAs(refusal);
    OutOfMemoryError exhausted = new OutOfMemoryError("exhausted on purpose");
    Sequence failed =
        sequence(
            going -> {
              going.doHere(
                  () -> {
                    throw exhausted;
                  });
              return () -> Outcome.DONE;
            });
    assertThatThrownBy(failed::run).isSameAs(exhausted);
    IllegalStateException broken = new IllegalStateException("broken on purpose");
    Sequence fails =
        sequence(
            going -> {
              going.nextTurn();
              throw broken;
            });
    assertThat(ran(fails)).isEqualTo(Outcome.YIELDED);
    assertThatThrownBy(fails::run).isSameAs(broken);
  }

  @Test
  void shouldGiveBackWhatItHoldsIfItsOperationEnds() throws Exception {
    CountDownLatch givenBack = new CountDownLatch(1);
    AtomicInteger after = new AtomicInteger();
    Sequence steps =
        sequence(
            going -> {
              try {
                going.park(true);
                after.incrementAndGet();
              } finally {
                givenBack.countDown();
              }
              return () -> Outcome.DONE;
            });
    assertThat(steps.run()).isEqualTo(Outcome.PARKED);
    assertThat(givenBack.getCount()).isEqualTo(1);
    steps.close();
    steps.close();
    assertThat(givenBack.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(after).hasValue(0);
  }

  @Test
  void shouldRequireThatSomebodyWaits() {
    Sequence steps =
        sequence(
            going -> {
              going.requireWanted();
              going.nextTurn();
              going.requireWanted();
              return () -> Outcome.DONE;
            });
    assertThat(ran(steps)).isEqualTo(Outcome.YIELDED);
    operation.abandon();
    assertThatThrownBy(steps::run)
        .isInstanceOfSatisfying(
            LdapOperationException.class,
            e -> assertThat(e.result().code()).isEqualTo(ResultCode.CANCELED));
  }

  /** A slice may come before the one that has handed the operation over has ended. */
  @Test
  void shouldTakeSlicesThatComeEarly() throws Exception {
    for (int i = 0; i < 500; i++) {
      CountDownLatch handedOver = new CountDownLatch(1);
      Sequence steps =
          sequence(
              going -> {
                going.doHere(handedOver::countDown);
                going.park(true);
                return () -> Outcome.DONE;
              });
      Outcome[] outcomes = new Outcome[1];
      Thread waker =
          Thread.ofPlatform()
              .start(
                  () -> {
                    awaitQuietly(handedOver);
                    outcomes[0] = ran(steps);
                  });
      assertThat(steps.run()).isEqualTo(Outcome.PARKED);
      waker.join();
      assertThat(outcomes[0]).isEqualTo(Outcome.DONE);
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
