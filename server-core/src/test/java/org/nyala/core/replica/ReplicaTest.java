package org.nyala.core.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.replica.ReplicaException.Kind;

/** A copy that takes single messages, also of providers that do not keep to the rules. */
final class ReplicaTest extends ReplicaTestCase {
  @Test
  void entriesWaitForTheirParents() throws Exception {
    replica.take(entry(4, "ou=c,ou=b,ou=a," + SUFFIX));
    replica.take(entry(3, "ou=b,ou=a," + SUFFIX));
    replica.take(entry(2, "ou=a," + SUFFIX));
    replica.take(end(true));
    assertThat(names()).hasSize(4).contains("ou=c,ou=b,ou=a," + SUFFIX);
    assertThat(stored()).isEqualTo(now());
  }

  @Test
  void nothingIsDeletedWhenParentsAreMissing() throws Exception {
    filled(3);
    replica.begin();
    replica.take(present(1));
    replica.take(entry(20, "ou=x,ou=nowhere," + SUFFIX));
    assertThatThrownBy(() -> replica.take(end(false)))
        .isInstanceOfSatisfying(
            ReplicaException.class, e -> assertThat(e.kind()).isEqualTo(Kind.MISFIT));
    assertThat(names()).hasSize(4);
  }

  @Test
  void waitingEntriesAreBounded() throws Exception {
    for (int i = 0; i < 100; i++) {
      replica.take(entry(20 + i, "ou=x" + i + ",ou=nowhere," + SUFFIX));
      assertThat(replica.progress().waiting()).isLessThan(20);
    }
    assertThat(failure()).isEqualTo(Kind.MISFIT);
  }

  @Test
  void anUnknownAttributeIsNamed() throws Exception {
    assertThatThrownBy(() -> replica.take(entry(2, "ou=a," + SUFFIX, "frobnicated=yes")))
        .isInstanceOfSatisfying(
            ReplicaException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNUSABLE))
        .hasMessageContaining("'frobnicated' of the entry ou=a," + SUFFIX);
  }

  @Test
  void computedAttributesAreLeftOut() throws Exception {
    replica.take(
        entry(
            2,
            "ou=a," + SUFFIX,
            "numSubordinates=1",
            "hasSubordinates=FALSE",
            "entryDN=x",
            "subschemaSubentry=cn=Subschema",
            "contextCSN=" + next()));
    replica.take(end(true));
    assertThat(store.entries().getLast().descriptions())
        .extracting(Object::toString)
        .containsExactlyInAnyOrder("objectClass", "entryCSN", "entryUUID");
  }

  @Test
  void theGuardStopsBeforeAnythingIsDeleted() throws Exception {
    filled(200);
    replica.begin();
    ReplicaException stopped = null;
    try {
      replica.take(new SyncMessage.IdSet(List.of(new UUID(0, 1)), false));
      replica.take(end(false));
    } catch (ReplicaException e) {
      stopped = e;
    }
    assertThat(stopped.kind()).isEqualTo(Kind.GUARDED);
    assertThat(stopped.absent()).isEqualTo(200);
    replica.end(stopped);
    assertThat(names()).hasSize(201);
    assertThat(replica.progress().phase()).isEqualTo(ReplicaPhase.GUARDED);
    assertThat(replica.confirm(200)).isTrue();
    replica.begin();
    replica.take(new SyncMessage.IdSet(List.of(new UUID(0, 1)), false));
    replica.take(end(false));
    assertThat(names()).containsExactly(SUFFIX);
    replica.end(null);
    assertThat(replica.confirm(200)).isFalse();
  }

  /** The names of all entries would go to others, with all that is below them. */
  @Test
  void aProviderThatWasSetUpAnewIsGuardedAtOnce() throws Exception {
    filled(150);
    for (int i = 0; i < 3; i++) {
      replica.begin();
      assertThat(failure(entry(99, SUFFIX))).isEqualTo(Kind.GUARDED);
      assertThat(names()).hasSize(151);
    }
    assertThat(replica.confirm(151)).isTrue();
    replica.begin();
    replica.take(entry(99, SUFFIX));
    replica.take(entry(98, "ou=e1," + SUFFIX));
    replica.take(end(false));
    assertThat(names()).containsExactly(SUFFIX, "ou=e1," + SUFFIX);
  }

  @Test
  void entriesOfServersThatTheProviderDoesNotKnowStay() throws Exception {
    replica.take(message(SyncMessage.State.ADD, 2, "ou=a," + SUFFIX, null, "description=x"));
    replica.take(
        new SyncMessage.EntryState(
            SyncMessage.State.ADD,
            new UUID(0, 3),
            "ou=other," + SUFFIX,
            List.of(
                values("objectClass", "organizationalUnit"),
                values("entryCSN", new Csn(micros, 0, 7, 0).toString())),
            null,
            100));
    replica.take(end(false));
    replica.end(null);
    replica.begin();
    replica.take(new SyncMessage.IdSet(List.of(new UUID(0, 1)), false));
    replica.take(end(false));
    assertThat(names()).containsExactly(SUFFIX, "ou=other," + SUFFIX);
  }

  @Test
  void missingEntriesMakeItBeginFromNothing() throws Exception {
    filled(2);
    SyncMessage.IdSet unknown = new SyncMessage.IdSet(List.of(new UUID(0, 99)), false);
    for (int i = 0; i < 2; i++) {
      assertThat(replica.begin().csns()).isEqualTo(now());
      assertThat(failure(unknown)).isEqualTo(Kind.MISFIT);
    }
    assertThat(replica.begin().csns()).isEqualTo(CsnVector.EMPTY);
  }

  /** The provider ends the connection before anybody asks the writer. */
  @Test
  void misfitsOfTheWriterCount() throws Exception {
    filled(2);
    for (int i = 0; i < 2; i++) {
      assertThat(replica.begin().csns()).isEqualTo(now());
      replica.take(new SyncMessage.IdSet(List.of(new UUID(0, 99)), false));
      replica.end(null);
    }
    assertThat(replica.begin().csns()).isEqualTo(CsnVector.EMPTY);
  }

  /** Entries as they are when they are sent, not when they changed: as slapd does. */
  @Test
  void namesMaySwapLateInThePersistStage() throws Exception {
    filled(2);
    replica.begin();
    replica.take(end(true));
    replica.take(change(10, "ou=e1," + SUFFIX));
    replica.take(change(11, "ou=e0," + SUFFIX));
    replica.idle(1);
    replica.end(null);
    assertThat(names()).containsExactly(SUFFIX, "ou=e0," + SUFFIX, "ou=e1," + SUFFIX);
    assertThat(stored()).isEqualTo(now());
  }

  @Test
  void changesWithoutParentsEndThePersistStage() throws Exception {
    filled(1);
    replica.begin();
    replica.take(end(true));
    CsnVector before = stored();
    replica.take(change(30, "ou=x,ou=nowhere," + SUFFIX));
    assertThat(failureOfWriter()).isEqualTo(Kind.MISFIT);
    replica.end(null);
    assertThat(stored()).isEqualTo(before);
  }

  /** As slapd does after a restart, if nothing has changed. */
  @Test
  void aRefreshWithoutChangesMayEndWithoutACookie() throws Exception {
    filled(1);
    CsnVector before = stored();
    replica.begin();
    replica.take(new SyncMessage.PhaseEnd(true, true, null));
    assertThat(replica.progress().phase()).isEqualTo(ReplicaPhase.FOLLOWING);
    assertThat(stored()).isEqualTo(before);
    replica.end(null);
    replica.begin();
    // Not even the topmost entry was named.
    assertThat(failure(new SyncMessage.PhaseEnd(false, true, null))).isEqualTo(Kind.GUARDED);
    assertThat(names()).hasSize(2);
  }

  @Test
  void changesWithoutNumbersAreRefused() throws Exception {
    filled(1);
    replica.begin();
    replica.take(end(true));
    SyncMessage delete =
        new SyncMessage.EntryState(
            SyncMessage.State.DELETE, new UUID(0, 10), "ou=e0," + SUFFIX, List.of(), null, 10);
    assertThatThrownBy(() -> replica.take(delete)).hasMessageContaining("without its number");
  }
}
