package org.nyala.management.bean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import jdk.management.jfr.FlightRecorderMXBean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.contention.Contention;
import org.nyala.core.contention.LockSite;

/** Tests with the flight recorder of this JVM and threads that really wait. */
@SuppressWarnings("LockNotBeforeTry") // No other thread waits for the lock here.
class LockWaitsTest {
  @TempDir Path folder;

  private final MBeanServer registry = ManagementFactory.getPlatformMBeanServer();

  private FlightRecorderMXBean recorder() throws Exception {
    return JMX.newMXBeanProxy(
        registry, new ObjectName(FlightRecording.BEAN), FlightRecorderMXBean.class);
  }

  /** Starts a second thread that blocks on a lock of this one; returns the thread. */
  private static Thread await(Thread.State state, Runnable work) {
    Thread thread = Thread.ofPlatform().start(work);
    eventually(
        "a thread is " + state,
        () -> {
          assertThat(thread.isAlive()).isTrue();
          return thread.getState() == state;
        });
    return thread;
  }

  private void waitForALock() throws InterruptedException {
    ReentrantLock lock = new ReentrantLock();
    lock.lock();
    Thread thread =
        await(
            Thread.State.WAITING,
            () -> {
              lock.lock();
              lock.unlock();
            });
    lock.unlock();
    thread.join();
  }

  private void waitForAMonitor() throws InterruptedException {
    Object monitor = new Object();
    Thread thread;
    synchronized (monitor) {
      thread =
          await(
              Thread.State.BLOCKED,
              () -> {
                synchronized (monitor) {
                  LockSupport.unpark(Thread.currentThread());
                }
              });
    }
    thread.join();
  }

  private void waitForACountedLock() throws InterruptedException {
    Contention contention = new Contention(System::nanoTime);
    LockSite lock = contention.lock("counted");
    contention.start();
    lock.lock();
    Thread thread =
        await(
            Thread.State.WAITING,
            () -> {
              lock.lock();
              lock.unlock();
            });
    lock.unlock();
    thread.join();
    assertThat(contention.stop().locks().getFirst().contended()).isEqualTo(1);
  }

  private void waitForWork() throws InterruptedException {
    ReentrantLock lock = new ReentrantLock();
    Condition condition = lock.newCondition();
    boolean[] there = new boolean[1];
    Thread byCondition =
        await(
            Thread.State.WAITING,
            () -> {
              lock.lock();
              while (!there[0]) {
                condition.awaitUninterruptibly();
              }
              lock.unlock();
            });
    lock.lock();
    there[0] = true;
    condition.signal();
    // Released before the other thread has been woken: acquiring it again is not contended.
    lock.unlock();
    byCondition.join();
    CountDownLatch latch = new CountDownLatch(1);
    Thread byLatch =
        await(
            Thread.State.WAITING,
            () -> {
              try {
                latch.await();
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            });
    latch.countDown();
    byLatch.join();
    Thread parked = await(Thread.State.WAITING, LockSupport::park);
    LockSupport.unpark(parked);
    parked.join();
  }

  private List<LockWaits.Wait> ofThisTest(Path file, Instant from, Instant until) throws Exception {
    return LockWaits.read(file, from, until).stream()
        .filter(wait -> wait.site().contains(LockWaitsTest.class.getName()))
        .toList();
  }

  @Test
  void shouldFindWaitsForLocksAndNothingElse() throws Exception {
    Path file = folder.resolve("locks.jfr");
    try (FlightRecording recording = FlightRecording.ofLocks(recorder(), 60)) {
      // The two clocks are read one after the other, a while apart if the machine stands still.
      Instant from = Instant.now().minusSeconds(3600);
      waitForALock();
      waitForALock();
      waitForAMonitor();
      waitForACountedLock();
      waitForWork();
      Instant until = Instant.now().plusSeconds(3600);
      assertThat(recording.save(file)).isTrue();
      List<LockWaits.Wait> waits = ofThisTest(file, from, until);
      assertThat(waits)
          .allSatisfy(wait -> assertThat(wait.nanos()).isPositive())
          .anySatisfy(
              wait -> {
                assertThat(wait.kind()).isEqualTo(LockWaits.Kind.LOCK);
                assertThat(wait.site()).contains("waitForALock").endsWith(" (ReentrantLock)");
                assertThat(wait.waits()).isEqualTo(2);
              })
          .anySatisfy(
              wait -> {
                assertThat(wait.kind()).isEqualTo(LockWaits.Kind.MONITOR);
                assertThat(wait.site()).contains("waitForAMonitor").endsWith(" (Object)");
                assertThat(wait.waits()).isEqualTo(1);
              })
          .hasSize(2);
      assertThat(ofThisTest(file, from, from)).isEmpty();
    }
    assertThat(recorder().getRecordings()).isEmpty();
  }

  @Test
  void shouldTellLocksFromOtherReasonsToPark() {
    assertThat(
            List.of(
                "java.util.concurrent.locks.ReentrantLock$NonfairSync",
                "java.util.concurrent.locks.ReentrantReadWriteLock$FairSync",
                "java.util.concurrent.locks.StampedLock"))
        .allMatch(LockWaits::isLock);
    assertThat(
            List.of(
                "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject",
                "java.util.concurrent.CountDownLatch$Sync",
                "java.util.concurrent.ForkJoinPool",
                "org.nyala.core.dispatch.Stripe"))
        .noneMatch(LockWaits::isLock);
    assertThat(LockWaits.shortName("java.util.concurrent.locks.ReentrantLock$NonfairSync"))
        .isEqualTo("ReentrantLock");
    assertThat(LockWaits.shortName("io.netty.Pool$Chunk")).isEqualTo("Pool$Chunk");
  }
}
