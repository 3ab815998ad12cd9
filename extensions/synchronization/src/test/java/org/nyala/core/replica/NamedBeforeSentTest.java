package org.nyala.core.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.replica.ReplicaException.Kind;

/** Providers that name all their entries in a present phase before they send those that are new. */
final class NamedBeforeSentTest extends ReplicaTestCase {
  private SyncMessage deletion(int number) {
    Csn csn = next();
    return new SyncMessage.EntryState(
        SyncMessage.State.DELETE,
        new UUID(0, number),
        "ou=e," + SUFFIX,
        List.of(),
        cookie(CsnVector.EMPTY.with(csn)),
        100);
  }

  private static SyncMessage unchanged(int number) {
    return new SyncMessage.EntryState(
        SyncMessage.State.PRESENT, new UUID(0, number), "ou=e," + SUFFIX, List.of(), null, 100);
  }

  private void shouldFollow(String... names) {
    assertThat(replica.progress().phase()).isEqualTo(ReplicaPhase.FOLLOWING);
    assertThat(stored()).isEqualTo(now());
    assertThat(names()).containsExactlyInAnyOrder(names);
  }

  private void shouldMisfit(Executable executable) {
    assertThatThrownBy(executable::run)
        .isInstanceOfSatisfying(
            ReplicaException.class, e -> assertThat(e.kind()).isEqualTo(Kind.MISFIT))
        .hasMessageContaining("takes for granted that the entry " + new UUID(0, 30) + " is here");
  }

  /** Something that fails. */
  @FunctionalInterface
  private interface Executable {
    void run() throws Exception;
  }

  @Test
  void theEntriesComeAfterTheSets() throws Exception {
    filled(2);
    replica.begin();
    replica.take(present(1, 10, 30, 31));
    replica.take(unchanged(32));
    // The first waits for its parent, which is named and comes as well.
    replica.take(entry(31, "ou=y,ou=x," + SUFFIX));
    replica.take(entry(30, "ou=x," + SUFFIX));
    replica.take(entry(32, "ou=z," + SUFFIX));
    replica.take(end(false));
    shouldFollow(
        SUFFIX, "ou=e0," + SUFFIX, "ou=x," + SUFFIX, "ou=y,ou=x," + SUFFIX, "ou=z," + SUFFIX);
  }

  /** Also one that has come, and waits for its parent. */
  @Test
  void anEntryMayBeNamedAfterItWasSent() throws Exception {
    filled(1);
    replica.begin();
    replica.take(entry(31, "ou=y,ou=x," + SUFFIX));
    replica.take(entry(32, "ou=z," + SUFFIX));
    replica.take(present(1, 31, 32));
    replica.take(entry(30, "ou=x," + SUFFIX));
    replica.take(end(false));
    shouldFollow(SUFFIX, "ou=x," + SUFFIX, "ou=y,ou=x," + SUFFIX, "ou=z," + SUFFIX);
  }

  @Test
  void aLaterPhaseMayBringOrDeleteThem() throws Exception {
    filled(1);
    replica.begin();
    replica.take(present(1, 10, 30, 31));
    replica.take(new SyncMessage.PhaseEnd(false, false, cookie(now())));
    replica.take(new SyncMessage.IdSet(uuids(31), true));
    replica.take(entry(30, "ou=x," + SUFFIX));
    replica.take(end(true));
    shouldFollow(SUFFIX, "ou=e0," + SUFFIX, "ou=x," + SUFFIX);
  }

  /** Entries that were added, or deleted again, while the provider named the others. */
  @Test
  void changesAfterTheRefreshMayBringOrDeleteThem() throws Exception {
    filled(1);
    replica.begin();
    replica.take(present(1, 30, 31));
    CsnVector before = stored();
    replica.take(end(false));
    assertThat(replica.progress().phase()).isEqualTo(ReplicaPhase.REFRESHING);
    replica.take(change(30, "ou=x," + SUFFIX));
    replica.idle(1);
    assertThat(replica.progress().phase()).isEqualTo(ReplicaPhase.REFRESHING);
    assertThat(stored()).isEqualTo(before);
    replica.take(deletion(31));
    shouldFollow(SUFFIX, "ou=x," + SUFFIX);
    replica.idle(TimeUnit.HOURS.toNanos(1));
  }

  private void nameOneBelowAnotherThatIsGone() throws Exception {
    replica.take(entry(10, "ou=gone," + SUFFIX));
    replica.take(entry(11, "ou=x,ou=gone," + SUFFIX));
    replica.take(end(false));
    replica.end(null);
    replica.begin();
    replica.take(present(1, 11));
    replica.take(end(false));
  }

  /** The entry below was moved away before, and deleted before it was sent. */
  @Test
  void changesAfterTheRefreshMayFreeOneThatIsGone() throws Exception {
    nameOneBelowAnotherThatIsGone();
    assertThat(replica.progress().phase()).isEqualTo(ReplicaPhase.REFRESHING);
    replica.take(change(12, "ou=y," + SUFFIX));
    assertThat(replica.progress().phase()).isEqualTo(ReplicaPhase.REFRESHING);
    replica.idle(1);
    replica.take(deletion(11));
    shouldFollow(SUFFIX, "ou=y," + SUFFIX);
    replica.idle(TimeUnit.HOURS.toNanos(1));
  }

  @Test
  void oneThatIsGoneAndIsNeverFreedIsAMisfit() throws Exception {
    nameOneBelowAnotherThatIsGone();
    replica.idle(1);
    assertThatThrownBy(() -> replica.idle(TimeUnit.SECONDS.toNanos(40)))
        .isInstanceOfSatisfying(
            ReplicaException.class, e -> assertThat(e.kind()).isEqualTo(Kind.MISFIT))
        .hasMessage("1 entries are not at the provider, but others below them are");
  }

  @Test
  void oneThatIsNeverSentIsAMisfit() throws Exception {
    filled(1);
    CsnVector before = stored();
    for (int i = 0; i < 2; i++) {
      assertThat(replica.begin().csns()).isEqualTo(before);
      replica.take(present(1, 10, 30, 31));
      replica.take(entry(31, "ou=y," + SUFFIX));
      replica.take(end(false));
      replica.idle(1);
      replica.take(change(32, "ou=z," + SUFFIX));
      replica.idle(TimeUnit.SECONDS.toNanos(20));
      shouldMisfit(() -> replica.idle(TimeUnit.SECONDS.toNanos(40)));
      replica.end(new ReplicaException(Kind.MISFIT, "as it was thrown"));
      assertThat(memory.held()).isZero();
      assertThat(stored()).isEqualTo(before);
    }
    assertThat(replica.begin().csns()).isEqualTo(CsnVector.EMPTY);
  }

  /** In a delete phase nothing of it can have changed meanwhile; nothing is deleted before. */
  @Test
  void oneThatADeletePhaseDoesNotSendIsAMisfitAtOnce() throws Exception {
    filled(2);
    replica.begin();
    replica.take(present(30));
    replica.take(new SyncMessage.IdSet(uuids(10), true));
    shouldMisfit(() -> replica.take(end(true)));
    assertThat(names()).hasSize(3);
  }

  /** More than have room are a misfit as soon as they are named. */
  @Test
  void theyAreBounded() throws Exception {
    filled(1);
    replica.begin();
    int named = 0;
    ReplicaException full = null;
    while (full == null && named < 10_000) {
      try {
        replica.take(present(1000 + named));
        named++;
      } catch (ReplicaException e) {
        full = e;
      }
      // Beside the messages on their way, and with the former table while it grows.
      assertThat(memory.held()).isLessThan(10_000 * 3 / 2 + 20 * 64);
    }
    assertThat(full.kind()).isEqualTo(Kind.MISFIT);
    assertThat(full).hasMessageContaining("takes for granted that the entry");
    assertThat(named).isBetween(384, 384 + 20);
    replica.end(full);
    assertThat(memory.held()).isZero();
  }
}
