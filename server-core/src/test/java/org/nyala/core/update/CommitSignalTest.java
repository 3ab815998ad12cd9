package org.nyala.core.update;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.session.OperationFixture;

/** Wakes readers, and tells them of changes that the journal does not have. */
class CommitSignalTest {
  private static final Dn CONTEXT = dn("dc=example,dc=com");
  private static final Csn NUMBER = new Csn(1, 0, 1, 0);

  private final AtomicInteger woken = new AtomicInteger();
  private final AtomicInteger others = new AtomicInteger();
  private final CommitSignal signal = new CommitSignal(2);

  private static Dn dn(String text) {
    return DnParser.parseStored(OperationFixture.SCHEMA, text.getBytes(StandardCharsets.UTF_8));
  }

  private static CommittedChange change(String name, Csn csn) {
    return new CommittedChange(
        new ResolvedChange.Delete(dn(name), 1), 1, csn, null, null, false, Dn.EMPTY);
  }

  @Test
  void losesReadersOfTheContextByAChangeWithoutANumber() {
    CommitSignal.Waiter here = signal.join("a", CONTEXT, woken::incrementAndGet);
    CommitSignal.Waiter elsewhere = signal.join("b", dn("o=other"), woken::incrementAndGet);
    signal.committed(List.of(change("ou=a,dc=example,dc=com", NUMBER)));
    assertThat(woken).hasValue(2);
    assertThat(here.isLost()).isFalse();
    signal.committed(List.of(change("ou=a,dc=example,dc=com", Csn.FIRST)));
    assertThat(here.isLost()).isTrue();
    assertThat(elsewhere.isLost()).isFalse();
    here.close();
    elsewhere.close();
    assertThat(signal.waiters()).isZero();
  }

  @Test
  void makesTheOldestReaderOfAnOwnerGiveWay() {
    CommitSignal.Waiter oldest = signal.join("a", CONTEXT, woken::incrementAndGet);
    oldest.begin();
    CommitSignal.Waiter second = signal.join("a", CONTEXT, woken::incrementAndGet);
    second.begin();
    CommitSignal.Waiter newcomer = signal.join("b", CONTEXT, () -> {});
    assertThat(oldest.isDisplaced()).isTrue();
    assertThat(oldest.isReady()).isTrue();
    assertThat(woken).hasValue(1);
    assertThat(second.isDisplaced()).isFalse();
    oldest.close();
    second.close();
    newcomer.close();
    assertThat(signal.waiters()).isZero();
  }

  @Test
  void wakesAReaderAgainWhoseWakeHasFailed() {
    CommitSignal.Waiter waiter =
        signal.join(
            "a",
            CONTEXT,
            () -> {
              if (woken.incrementAndGet() == 1) {
                throw new IllegalStateException("for the test");
              }
            });
    CommitSignal.Waiter other = signal.join("b", dn("o=other"), others::incrementAndGet);
    waiter.begin();
    signal.committed(List.of(change("ou=a,dc=example,dc=com", NUMBER)));
    assertThat(waiter.isReady()).isTrue();
    assertThat(others).as("a fault of one affects no other").hasValue(1);
    signal.committed(List.of(change("ou=a,dc=example,dc=com", NUMBER)));
    assertThat(woken).hasValue(2);
    waiter.close();
    other.close();
  }
}
