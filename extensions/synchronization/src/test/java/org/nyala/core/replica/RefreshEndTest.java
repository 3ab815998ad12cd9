package org.nyala.core.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.replica.ReplicaException.Kind;

/** The ends of refreshes: what is judged, what is deleted, and what must not end well. */
final class RefreshEndTest extends ReplicaTestCase {
  private static final Csn FAR_AHEAD = new Csn(Csn.LAST_MICROS - 1, 0, 1, 0);

  private static SyncMessage gone(int... numbers) {
    return new SyncMessage.IdSet(uuids(numbers), true);
  }

  private static SyncMessage phaseEnd(boolean refreshDeletes, boolean isDone, CsnVector csns) {
    return new SyncMessage.PhaseEnd(refreshDeletes, isDone, csns == null ? null : cookie(csns));
  }

  private SyncMessage deletion(int number, String name) {
    Csn csn = next();
    return new SyncMessage.EntryState(
        SyncMessage.State.DELETE,
        new UUID(0, number),
        name,
        List.of(),
        cookie(CsnVector.EMPTY.with(csn)),
        100);
  }

  private ReplicaException failed(SyncMessage... messages) throws InterruptedException {
    try {
      for (SyncMessage each : messages) {
        replica.take(each);
      }
    } catch (ReplicaException e) {
      replica.end(e);
      return e;
    }
    throw new AssertionError("nothing failed");
  }

  private ReplicaPhase phase() {
    return replica.progress().phase();
  }

  /** As slapd ends a refresh when nothing has changed. */
  @Test
  void aMissingCookieMeansTheOneThatWasSent() throws Exception {
    filled(2);
    replica.begin();
    replica.take(phaseEnd(true, false, null));
    replica.take(phaseEnd(true, true, null));
    assertThat(phase()).isEqualTo(ReplicaPhase.FOLLOWING);
    assertThat(names()).hasSize(3);
    assertThat(stored()).isEqualTo(now());
  }

  @Test
  void aMissingCookieIsRefusedFromNothing() throws Exception {
    assertThat(failed(phaseEnd(false, true, null)).kind()).isEqualTo(Kind.AGAIN);
  }

  /** Parents move, and others take their names and those of their children. */
  @Test
  void anEntryThatLostItsNameGetsItBackBelowItsParent() throws Exception {
    replica.take(entry(5, "ou=other," + SUFFIX));
    replica.take(entry(6, "ou=x2,ou=other," + SUFFIX));
    replica.take(entry(10, "ou=p," + SUFFIX));
    replica.take(entry(11, "ou=x,ou=p," + SUFFIX));
    replica.take(end(false));
    replica.end(null);
    replica.begin();
    replica.take(present(1, 5));
    replica.take(entry(6, "ou=x,ou=p," + SUFFIX));
    replica.take(entry(10, "ou=q," + SUFFIX));
    replica.take(entry(100, "ou=p," + SUFFIX));
    replica.take(present(11));
    replica.take(end(false));
    assertThat(phase()).isEqualTo(ReplicaPhase.FOLLOWING);
    assertThat(names())
        .containsExactlyInAnyOrder(
            SUFFIX,
            "ou=other," + SUFFIX,
            "ou=q," + SUFFIX,
            "ou=x,ou=q," + SUFFIX,
            "ou=p," + SUFFIX,
            "ou=x,ou=p," + SUFFIX);
  }

  @Test
  void twoEntriesOfOneNameAreNoGoodEnd() throws Exception {
    replica.take(entry(2, "ou=a," + SUFFIX));
    replica.take(entry(3, "ou=a," + SUFFIX));
    CsnVector before = stored();
    replica.take(end(false));
    assertThat(phase()).isNotEqualTo(ReplicaPhase.FOLLOWING);
    replica.idle(1);
    assertThatThrownBy(() -> replica.idle(TimeUnit.MINUTES.toNanos(1)))
        .isInstanceOfSatisfying(
            ReplicaException.class, e -> assertThat(e.kind()).isEqualTo(Kind.MISFIT));
    assertThat(stored()).isEqualTo(before);
  }

  /** The provider has renamed it while it sent the others. */
  @Test
  void aNameThatWasLostDuringTheRefreshMayComeLater() throws Exception {
    replica.take(entry(2, "ou=a," + SUFFIX));
    replica.take(entry(3, "ou=a," + SUFFIX));
    replica.take(end(false));
    replica.take(change(3, "ou=a," + SUFFIX));
    assertThat(phase()).isEqualTo(ReplicaPhase.REFRESHING);
    replica.take(change(2, "ou=b," + SUFFIX));
    assertThat(phase()).isEqualTo(ReplicaPhase.FOLLOWING);
    replica.take(change(4, "ou=c,ou=b," + SUFFIX));
    replica.end(null);
    assertThat(names())
        .containsExactlyInAnyOrder(
            SUFFIX, "ou=a," + SUFFIX, "ou=b," + SUFFIX, "ou=c,ou=b," + SUFFIX);
    assertThat(stored()).isEqualTo(now());
  }

  @Test
  void aNameThatWasLostIsNotForgotten() throws Exception {
    filled(2);
    replica.begin();
    replica.take(end(true));
    replica.take(change(11, "ou=e0," + SUFFIX));
    replica.end(null);
    for (int i = 0; i < 2; i++) {
      assertThat(replica.begin().csns()).isEqualTo(now());
      assertThat(failed(end(true)).kind()).isEqualTo(Kind.MISFIT);
    }
    assertThat(replica.begin().csns()).isEqualTo(CsnVector.EMPTY);
  }

  @Test
  void aNameThatWasLostIsFoundAfterARestart() throws Exception {
    filled(2);
    replica.begin();
    replica.take(end(true));
    replica.take(change(11, "ou=e0," + SUFFIX));
    replica.end(null);
    Replica again = replica();
    again.begin();
    assertThatThrownBy(() -> again.take(end(true)))
        .isInstanceOfSatisfying(
            ReplicaException.class, e -> assertThat(e.kind()).isEqualTo(Kind.MISFIT));
    again.end(null);
  }

  @Test
  void aPresentPhaseWithoutCookieIsJudgedAtTheNextOne() throws Exception {
    filled(3);
    replica.begin();
    replica.take(present(1, 10));
    replica.take(phaseEnd(false, false, null));
    replica.take(entry(12, "ou=e2," + SUFFIX));
    replica.take(end(true));
    assertThat(names()).containsExactly(SUFFIX, "ou=e0," + SUFFIX, "ou=e2," + SUFFIX);
  }

  /** It is below a parent that comes in the second phase. */
  @Test
  void anEntryThatWaitsIsNotAbsent() throws Exception {
    filled(3);
    replica.begin();
    replica.take(present(1, 10, 11));
    replica.take(entry(12, "ou=e2,ou=late," + SUFFIX));
    replica.take(phaseEnd(false, false, now()));
    assertThat(names()).hasSize(4);
    replica.take(entry(20, "ou=late," + SUFFIX));
    replica.take(end(true));
    assertThat(names()).hasSize(5).contains("ou=e2,ou=late," + SUFFIX);
  }

  @Test
  void aDeletePhaseIsGuarded() throws Exception {
    filled(200);
    replica.begin();
    int[] all = java.util.stream.IntStream.range(10, 160).toArray();
    ReplicaException stopped = failed(gone(all), end(true));
    assertThat(stopped.kind()).isEqualTo(Kind.GUARDED);
    assertThat(names()).hasSize(201);
    assertThat(replica.confirm(150)).isTrue();
    replica.begin();
    replica.take(gone(all));
    replica.take(end(true));
    assertThat(names()).hasSize(51);
  }

  @Test
  void theTopIsNotDeletedAboveOthers() throws Exception {
    filled(3);
    replica.begin();
    assertThat(failed(gone(1), end(true)).kind()).isEqualTo(Kind.MISFIT);
    assertThat(names()).hasSize(4);
    replica.begin();
    replica.take(end(true));
    replica.take(deletion(1, SUFFIX));
    assertThat(failureOfWriter()).isEqualTo(Kind.MISFIT);
    replica.end(null);
    assertThat(names()).hasSize(4);
  }

  /** However few they are: all names would go to others. */
  @Test
  void anotherTopNeedsConsentOfItsOwn() throws Exception {
    filled(3);
    for (int i = 0; i < 2; i++) {
      replica.begin();
      assertThat(failed(entry(99, SUFFIX), end(true)).kind()).isEqualTo(Kind.GUARDED);
      assertThat(phase()).isEqualTo(ReplicaPhase.GUARDED);
    }
    assertThat(replica.confirm(4)).isTrue();
  }

  @Test
  void consentToDeletionsIsNoneToAnotherTop() throws Exception {
    filled(200);
    replica.begin();
    failed(present(1), end(false));
    assertThat(replica.confirm(200)).isTrue();
    replica.begin();
    assertThat(failed(entry(99, SUFFIX), end(true)).kind()).isEqualTo(Kind.GUARDED);
    assertThat(names()).hasSize(201);
  }

  @Test
  void nothingOfTheFormerProviderStaysBelowAnotherTop() throws Exception {
    replica.take(
        new SyncMessage.EntryState(
            SyncMessage.State.ADD,
            new UUID(0, 3),
            "ou=of-seven," + SUFFIX,
            List.of(
                values("objectClass", "organizationalUnit"),
                values("entryCSN", new Csn(micros, 0, 7, 0).toString())),
            null,
            100));
    replica.take(end(false));
    replica.end(null);
    replica.begin();
    failed(entry(99, SUFFIX), end(false));
    assertThat(replica.confirm(2)).isTrue();
    replica.begin();
    replica.take(entry(99, SUFFIX));
    replica.take(end(false));
    assertThat(names()).containsExactly(SUFFIX);
  }

  @Test
  void aTopWithNothingBelowIsReplaced() throws Exception {
    replica.take(end(false));
    replica.end(null);
    replica.begin();
    replica.take(entry(99, SUFFIX));
    replica.take(entry(98, "ou=a," + SUFFIX));
    replica.take(end(false));
    assertThat(phase()).isEqualTo(ReplicaPhase.FOLLOWING);
  }

  @Test
  void numbersThatAreFarAheadAreRefused() throws Exception {
    CsnVector far = CsnVector.EMPTY.with(FAR_AHEAD);
    assertThat(failed(phaseEnd(false, true, far)).kind()).isEqualTo(Kind.UNUSABLE);
    replica.begin();
    replica.take(entry(1, SUFFIX));
    replica.take(end(false));
    assertThat(failed(new SyncMessage.NewCookie(cookie(far))).kind()).isEqualTo(Kind.UNUSABLE);
    replica.begin();
    replica.take(end(true));
    SyncMessage change = message(SyncMessage.State.ADD, 2, "ou=a," + SUFFIX, FAR_AHEAD);
    assertThat(failed(change))
        .hasMessageContaining(FAR_AHEAD.toString())
        .hasMessageContaining("hours ahead");
    assertThat(names()).containsExactly(SUFFIX);
  }

  @Test
  void theNumberOfTheEntryIsThatOfTheChange() throws Exception {
    filled(1);
    replica.begin();
    replica.take(end(true));
    Csn other = new Csn(micros, 0, 0, 0);
    Csn own = next();
    SyncMessage.EntryState change =
        (SyncMessage.EntryState) message(SyncMessage.State.ADD, 2, "ou=a," + SUFFIX, own);
    replica.take(
        new SyncMessage.EntryState(
            change.state(),
            change.entryUuid(),
            change.dn(),
            change.attributes(),
            cookie(CsnVector.EMPTY.with(other).with(own)),
            500));
    replica.end(null);
    try (ReadTransaction read = store.beginRead()) {
      assertThat(read.journal(suffix).last().csn()).isEqualTo(own);
      assertThat(read.journal(suffix).present().covers(other)).isTrue();
    }
  }

  /** More than waits in memory, below a parent that is younger than they are. */
  @Test
  void manyEntriesBelowAYoungerParentAreTaken() throws Exception {
    for (int i = 0; i < 300; i++) {
      replica.take(entry(1000 + i, "ou=x" + i + ",ou=mid,ou=young," + SUFFIX));
    }
    replica.take(entry(3, "ou=mid,ou=young," + SUFFIX));
    replica.take(entry(4, "ou=young," + SUFFIX));
    replica.take(end(false));
    assertThat(phase()).isEqualTo(ReplicaPhase.FOLLOWING);
    assertThat(names()).hasSize(303).contains("ou=x299,ou=mid,ou=young," + SUFFIX);
    assertThat(store.entries())
        .allMatch(each -> each.descriptions().stream().anyMatch(a -> a.name().equals("entryUUID")));
  }

  /** The parent is here, with others below it, under its former name. */
  @Test
  void placeholdersGiveTheirEntriesToParentsThatAreRenamed() throws Exception {
    filled(2);
    replica.begin();
    replica.take(entry(500, "ou=old,ou=e0," + SUFFIX));
    replica.take(end(true));
    replica.end(null);
    replica.begin();
    for (int i = 0; i < 600; i++) {
      replica.take(entry(1000 + i, "ou=x" + i + ",ou=new," + SUFFIX));
    }
    replica.take(entry(10, "ou=new," + SUFFIX));
    replica.take(end(true));
    assertThat(phase()).isEqualTo(ReplicaPhase.FOLLOWING);
    assertThat(names())
        .hasSize(604)
        .contains("ou=x599,ou=new," + SUFFIX, "ou=old,ou=new," + SUFFIX, "ou=e1," + SUFFIX);
  }

  @Test
  void aPlaceholderIsNoGoodEnd() throws Exception {
    for (int i = 0; i < 300; i++) {
      replica.take(entry(1000 + i, "ou=x" + i + ",ou=nowhere," + SUFFIX));
    }
    assertThat(failed(end(false)).kind()).isEqualTo(Kind.MISFIT);
    // After a restart: the provider has them elsewhere now.
    Replica again = replica();
    again.begin();
    again.take(entry(1, SUFFIX));
    for (int i = 0; i < 300; i++) {
      again.take(entry(1000 + i, "ou=x" + i + "," + SUFFIX));
    }
    again.take(end(false));
    assertThat(names()).hasSize(301).doesNotContain("ou=nowhere," + SUFFIX);
    again.end(null);
  }

  @Test
  void namesTheServersThatAProviderDoesNotKnow() {
    CsnVector ours = CsnVector.EMPTY.with(new Csn(5, 0, 1, 0)).with(new Csn(5, 0, 7, 0));
    assertThat(KnownChanges.unknown(ours, CsnVector.EMPTY.with(new Csn(4, 0, 1, 0))))
        .containsExactly(7);
    assertThat(KnownChanges.unknown(ours, ours)).isEmpty();
    assertThat(KnownChanges.unknown(ours, CsnVector.EMPTY)).as("it shows none").isEmpty();
  }

  /** As after an import, or from a provider that was restored. */
  @Test
  void aCopyAheadOfItsProviderDoesNotFollow() throws Exception {
    filled(3);
    CsnVector older = CsnVector.EMPTY.with(new Csn(micros - 2, 0, 1, 0));
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> replica.provider(older))
          .isInstanceOfSatisfying(
              ReplicaException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNUSABLE))
          .hasMessageContaining(now().csns().getFirst().toString())
          .hasMessageContaining(older.csns().getFirst().toString())
          .hasMessageContaining("nyala sync confirm");
    }
    replica.provider(now());
    assertThat(replica.confirm(4)).as("it is not ahead any more").isFalse();
    assertThatThrownBy(() -> replica.provider(older)).isInstanceOf(ReplicaException.class);
    assertThat(replica.confirm(3)).as("another number").isFalse();
    assertThat(replica.confirm(4)).isTrue();
    replica.provider(older);
    replica.forget();
    assertThatThrownBy(() -> replica.provider(older))
        .as("the consent was for the copy as it was before its promotion")
        .isInstanceOf(ReplicaException.class);
    assertThat(replica.confirm(4)).isTrue();
    replica.provider(older);
    assertThat(replica.begin().csns()).isEqualTo(CsnVector.EMPTY);
    replica.take(entry(1, SUFFIX));
    replica.take(entry(10, "ou=e0," + SUFFIX));
    replica.take(phaseEnd(false, true, older));
    assertThat(names()).containsExactly(SUFFIX, "ou=e0," + SUFFIX);
    assertThat(stored()).isEqualTo(older);
    replica.end(null);
    replica.provider(older);
    assertThat(replica.begin().csns()).isEqualTo(older);
  }
}
