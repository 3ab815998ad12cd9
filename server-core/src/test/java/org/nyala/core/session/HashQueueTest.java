package org.nyala.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.nyala.core.budget.OwnedSlots;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;

/** Tests the wait for slow hashes that a newcomer would have, with a clock that the test moves. */
class HashQueueTest {
  private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final AtomicLong now = new AtomicLong(-17);
  private final HashQueue queue = new HashQueue(() -> ServerLimits.DEFAULT, now::get);

  /** A holder that only waits. */
  private static final class Waiting implements OwnedSlots.Tenant {
    @Override
    public OwnedSlots.Use use() {
      return OwnedSlots.Use.IDLE;
    }

    @Override
    public void evict() {
      throw new IllegalStateException("there is room");
    }
  }

  private void wait(Object owner, int number) {
    for (int i = 0; i < number; i++) {
      assertThat(queue.slots().take(owner, new Waiting())).isNotNull();
    }
  }

  private void hashTakes(long nanos) {
    long began = now.get();
    queue.begun();
    now.addAndGet(nanos);
    queue.ended(began);
  }

  @Test
  void shouldAdmitAllUntilItKnowsTheTimeOfAHash() {
    wait("flood", 1000);
    assertThat(queue.isInTime("flood")).isTrue();
    hashTakes(SECOND_NANOS / 50);
    assertThat(queue.isInTime("flood")).isFalse();
  }

  @Test
  void shouldCountOwnersByTurns() {
    hashTakes(SECOND_NANOS);
    wait("flood", 100);
    wait("portal", 3);
    assertThat(queue.waitNanos("flood")).isEqualTo(103 * SECOND_NANOS);
    assertThat(queue.waitNanos("portal")).isEqualTo(7 * SECOND_NANOS);
    assertThat(queue.waitNanos("ann")).isEqualTo(2 * SECOND_NANOS);
    assertThat(queue.isInTime("flood")).isFalse();
    assertThat(queue.isInTime("ann")).isTrue();
  }

  @Test
  void shouldDivideByThreads() {
    hashTakes(SECOND_NANOS);
    wait("flood", 12);
    assertThat(queue.isInTime("flood")).isFalse();
    queue.begun();
    queue.begun();
    assertThat(queue.waitNanos("flood")).isEqualTo(6 * SECOND_NANOS);
    assertThat(queue.isInTime("flood")).isTrue();
  }

  @Test
  void shouldFollowTheTimeOfHashes() {
    hashTakes(SECOND_NANOS);
    wait("flood", 1);
    for (int i = 0; i < 40; i++) {
      hashTakes(SECOND_NANOS / 100);
    }
    assertThat(queue.waitNanos("flood")).isBetween(SECOND_NANOS / 100, SECOND_NANOS / 90);
  }

  @Test
  void shouldTellWhenToComeBack() {
    LdapResult soon = queue.busy("flood");
    assertThat(soon.code()).isEqualTo(ResultCode.BUSY);
    assertThat(soon.message()).isEqualTo("too many passwords wait to be checked: try again in 1 s");
    hashTakes(SECOND_NANOS / 10);
    wait("flood", 125);
    assertThat(queue.busy("flood").message()).endsWith(": try again in 13 s");
    assertThat(queue.busy("ann").message()).endsWith(": try again in 1 s");
  }
}
