package org.nyala.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.Patience;
import org.nyala.core.Seeds;
import org.nyala.core.backend.InMemoryBackend;
import org.nyala.core.dn.Dn;
import org.nyala.core.policy.AttemptGate.Admission;
import org.nyala.core.policy.PolicyReader.Standing;
import org.nyala.core.session.OperationFixture;

/** Tests the gate with an account whose record is a variable, and with many threads. */
class AttemptGateTest {
  private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");
  private static final int MOST = 5;
  private static final PasswordPolicy POLICY =
      new PasswordPolicy(
          new PasswordPolicy.Lockout(true, MOST, 0, 60, MOST, 0, 0, 0),
          PasswordPolicy.Aging.NONE,
          PasswordPolicy.Changes.NONE);

  private final InMemoryBackend store = new InMemoryBackend(OperationFixture.SCHEMA, List.of());
  private final AttemptGate.Key key = new AttemptGate.Key(store, 7);
  private volatile Instant now = NOW;
  private final AttemptGate gate = new AttemptGate(() -> now);
  private final ExecutorService threads = Executors.newFixedThreadPool(16);

  /** The account as it is on disk. */
  private volatile AccountState disk = AccountState.NEW;

  private final List<AttemptGate.Key> begun = new ArrayList<>();
  private AttemptGate.Recorder recorder = this::note;

  @AfterEach
  void close() {
    threads.shutdownNow();
    store.close();
  }

  private Standing read() {
    return new Standing(POLICY, disk);
  }

  private Admission begin(Runnable wake) {
    return gate.begin(key, this::read, recorder, wake::run);
  }

  private Admission begin() {
    return begin(() -> {});
  }

  private boolean note(AttemptGate.Key account) {
    synchronized (begun) {
      begun.add(account);
    }
    return true;
  }

  /** Writes what is due, as the writer of a store does. */
  private void write(AttemptGate.Due due) {
    TreeSet<Instant> times = new TreeSet<>(disk.counted(POLICY, due.cleared(), now));
    times.addAll(disk.countedOf(due.failures(), POLICY, due.cleared(), now));
    Instant locked =
        times.size() >= MOST ? times.last() : due.cleared() == null ? disk.locked() : null;
    disk = AccountState.failed(locked, List.copyOf(times));
  }

  private void record() {
    AttemptGate.Due due = gate.due(key);
    write(due);
    gate.recorded(key, due, true, this::note);
  }

  @Test
  void shouldLetThroughAsManyAsThePolicyAllows() {
    for (int i = 0; i < MOST; i++) {
      assertThat(begin()).isEqualTo(Admission.ADMITTED);
    }
    AtomicInteger woken = new AtomicInteger();
    assertThat(begin(woken::incrementAndGet)).isEqualTo(Admission.WAITS);
    gate.released(key);
    assertThat(woken).hasValue(1);
    assertThat(begin()).isEqualTo(Admission.ADMITTED);
    assertThat(begin()).isEqualTo(Admission.WAITS);
  }

  /** Those who are called may have given up, and ask no more. */
  @Test
  void shouldLeaveNobodyWaiting() {
    for (int i = 0; i < MOST; i++) {
      assertThat(begin()).isEqualTo(Admission.ADMITTED);
    }
    AtomicInteger woken = new AtomicInteger();
    for (int i = 0; i < 3 * MOST; i++) {
      assertThat(begin(woken::incrementAndGet)).isEqualTo(Admission.WAITS);
    }
    gate.released(key);
    assertThat(woken).hasValue(1);
    for (int i = 1; i < MOST; i++) {
      gate.released(key);
    }
    assertThat(woken).hasValue(3 * MOST);
    assertThat(gate.accounts()).isZero();
  }

  @Test
  void shouldAnswerWhatIsOnDiskAndLock() {
    List<Boolean> answers = new ArrayList<>();
    for (int i = 0; i < MOST; i++) {
      assertThat(begin()).isEqualTo(Admission.ADMITTED);
      gate.failed(key, this::note, answers::add);
    }
    assertThat(answers).isEmpty();
    // One update for all of them.
    assertThat(begun).hasSize(1);
    assertThat(begin()).isEqualTo(Admission.LOCKED);
    record();
    assertThat(answers).hasSize(MOST).containsOnly(true);
    assertThat(disk.failures()).hasSize(MOST);
    assertThat(begin()).isEqualTo(Admission.LOCKED);
    assertThat(gate.accounts()).isZero();
    now = NOW.plusSeconds(61);
    assertThat(begin()).isEqualTo(Admission.ADMITTED);
  }

  @Test
  void shouldRecordLaterFailuresTogetherInAnotherUpdate() {
    List<Boolean> answers = new ArrayList<>();
    assertThat(begin()).isEqualTo(Admission.ADMITTED);
    gate.failed(key, this::note, answers::add);
    AttemptGate.Due due = gate.due(key);
    for (int i = 0; i < 2; i++) {
      assertThat(begin()).isEqualTo(Admission.ADMITTED);
      gate.failed(key, this::note, answers::add);
    }
    write(due);
    gate.recorded(key, due, true, this::note);
    assertThat(answers).hasSize(1);
    assertThat(begun).hasSize(2);
    record();
    assertThat(answers).hasSize(3);
    assertThat(disk.failures()).hasSize(3);
    assertThat(begun).hasSize(2);
    assertThat(gate.accounts()).isZero();
  }

  @Test
  void shouldClearFailuresAfterTheRightPassword() {
    for (int i = 0; i < MOST - 1; i++) {
      assertThat(begin()).isEqualTo(Admission.ADMITTED);
      gate.failed(key, this::note, _ -> {});
      record();
    }
    assertThat(begin()).isEqualTo(Admission.ADMITTED);
    assertThat(begin()).isEqualTo(Admission.WAITS);
    now = now.plusSeconds(1);
    gate.succeeded(key, this::note);
    // The record still says so, but they do not count.
    assertThat(disk.failures()).hasSize(MOST - 1);
    for (int i = 0; i < MOST; i++) {
      assertThat(begin()).isEqualTo(Admission.ADMITTED);
    }
    record();
    assertThat(disk.failures()).isEmpty();
  }

  @Test
  void shouldCountWhatCouldNotBeWritten() {
    List<Boolean> answers = new ArrayList<>();
    recorder = _ -> false;
    for (int i = 0; i < MOST; i++) {
      assertThat(begin()).isEqualTo(Admission.ADMITTED);
      gate.failed(key, recorder, answers::add);
    }
    assertThat(answers).hasSize(MOST).containsOnly(false);
    assertThat(begin()).isEqualTo(Admission.LOCKED);
    // The lock is over in memory, too.
    now = NOW.plusSeconds(61);
    assertThat(begin()).isEqualTo(Admission.ADMITTED);
    gate.released(key);
    now = NOW;
    // Once the store takes them, they are recorded.
    recorder = this::note;
    assertThat(begin()).isEqualTo(Admission.LOCKED);
    assertThat(begun).hasSize(1);
    record();
    assertThat(disk.failures()).hasSize(MOST);
    assertThat(disk.locked()).isNotNull();
    assertThat(gate.accounts()).isZero();
  }

  @Test
  void shouldLetOneThroughIfFailuresOnRecordHaveNotLedToALock() {
    List<Instant> many = new ArrayList<>();
    for (int i = 0; i < 2 * MOST; i++) {
      many.add(NOW.minusSeconds(i + 1));
    }
    disk = AccountState.failed(null, many);
    assertThat(begin()).isEqualTo(Admission.ADMITTED);
    assertThat(begin()).isEqualTo(Admission.WAITS);
    gate.failed(key, this::note, _ -> {});
    record();
    assertThat(begin()).isEqualTo(Admission.LOCKED);
  }

  /** A thousand guesses at once, records that take their time: the verifier sees five. */
  @Test
  void shouldHoldWithManyThreads() throws InterruptedException {
    long seed = Seeds.seed();
    for (int round = 0; round < 20; round++) {
      disk = AccountState.NEW;
      AtomicInteger verified = new AtomicInteger();
      AtomicInteger locked = new AtomicInteger();
      int guesses = 1000;
      CountDownLatch answered = new CountDownLatch(guesses);
      Semaphore writes = new Semaphore(0);
      recorder =
          _ -> {
            writes.release();
            return true;
          };
      Thread writer =
          Thread.ofPlatform()
              .daemon()
              .start(
                  () -> {
                    while (!Thread.interrupted()) {
                      try {
                        writes.acquire();
                      } catch (InterruptedException _) {
                        return;
                      }
                      AttemptGate.Due due = gate.due(key);
                      write(due);
                      gate.recorded(key, due, true, recorder);
                    }
                  });
      Random random = new Random(seed + round);
      for (int i = 0; i < guesses; i++) {
        boolean isGivenUp = random.nextInt(10) == 0;
        threads.execute(new Guess(recorder, verified, locked, answered, isGivenUp));
      }
      Patience.await(answered);
      writer.interrupt();
      writer.join();
      assertThat(verified).as("test.seed=%d round %d", seed, round).hasValue(MOST);
      assertThat(disk.failures()).hasSize(MOST);
      assertThat(disk.locked()).isNotNull();
      assertThat(gate.accounts()).isZero();
    }
  }

  private final class Guess implements Runnable {
    private final AttemptGate.Recorder recorder;
    private final AtomicInteger verified;
    private final AtomicInteger locked;
    private final CountDownLatch answered;
    private final boolean isGivenUp;

    Guess(
        AttemptGate.Recorder recorder,
        AtomicInteger verified,
        AtomicInteger locked,
        CountDownLatch answered,
        boolean isGivenUp) {
      this.recorder = recorder;
      this.verified = verified;
      this.locked = locked;
      this.answered = answered;
      this.isGivenUp = isGivenUp;
    }

    @Override
    public void run() {
      switch (begin(() -> threads.execute(this))) {
        case ADMITTED -> {
          if (isGivenUp) {
            gate.released(key);
            answered.countDown();
          } else {
            verified.incrementAndGet();
            gate.failed(key, recorder, _ -> answered.countDown());
          }
        }
        case LOCKED -> {
          locked.incrementAndGet();
          answered.countDown();
        }
        case WAITS -> {}
        case UNCOUNTED, BUSY -> throw new IllegalStateException();
      }
    }
  }

  /** Wrong passwords in memory count no more once an administrator has unlocked the account. */
  @Test
  void shouldForgetWrongPasswordsThatAreNotYetOnRecord() {
    List<Boolean> told = new ArrayList<>();
    for (int i = 0; i < MOST; i++) {
      assertThat(begin()).isEqualTo(Admission.ADMITTED);
      gate.failed(key, recorder, told::add);
    }
    assertThat(begin()).isEqualTo(Admission.LOCKED);
    long records = gate.records();
    gate.forget(key, disk, recorder);
    gate.changed(key);
    assertThat(gate.records()).isGreaterThan(records);
    assertThat(begin()).isEqualTo(Admission.ADMITTED);
    gate.released(key);
    record();
    assertThat(told).hasSize(MOST).containsOnly(true);
    assertThat(disk.failures()).isEmpty();
    assertThat(gate.accounts()).isZero();
  }

  @Test
  void shouldTellTheOneWhosePasswordHasLocked() {
    List<Integer> told = new ArrayList<>();
    for (int i = 0; i < MOST; i++) {
      int number = i;
      assertThat(begin()).isEqualTo(Admission.ADMITTED);
      gate.failed(
          key,
          recorder,
          new AttemptGate.Waiter() {
            @Override
            public void goOn(boolean isRecorded) {}

            @Override
            public void locks(Dn account) {
              told.add(number);
            }
          });
    }
    gate.locked(key, gate.due(key).failures().getLast(), Dn.EMPTY);
    gate.locked(key, NOW.minusSeconds(1), Dn.EMPTY);
    assertThat(told).containsExactly(MOST - 1);
    record();
  }
}
