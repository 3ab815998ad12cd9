package org.nyala.core.replica;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.message.Request;
import org.nyala.core.replica.ReplicaException.Kind;
import org.nyala.core.session.OperationFixture;

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

  /** A store that has one is not opened again. */
  @Test
  void anUnknownObjectClassIsNamed() throws Exception {
    assertThatThrownBy(() -> replica.take(entry(2, "ou=a," + SUFFIX, "objectClass=frobnicated")))
        .isInstanceOfSatisfying(
            ReplicaException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNUSABLE))
        .hasMessageContaining("object class 'frobnicated' of the entry ou=a," + SUFFIX);
    replica.take(end(false));
    assertThat(names()).containsExactly(SUFFIX);
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
      // More than have room until they come.
      replica.take(present(IntStream.range(1000, 1500).toArray()));
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

  /**
   * The numbers of slapd are given before changes are made: one that is made earlier than a change
   * with a smaller number comes without it.
   */
  @Test
  void laterChangesMayHaveSmallerNumbers() throws Exception {
    filled(2);
    replica.begin();
    replica.take(end(true));
    CsnVector before = stored();
    Csn smaller = next();
    Csn larger = next();
    replica.take(entry(30, "ou=x," + SUFFIX, larger, null, "description=first"));
    replica.take(delete(10, null));
    awaitStored(CsnVector.EMPTY.with(following(before, 2)));
    assertThat(names()).containsExactly(SUFFIX, "ou=e1," + SUFFIX, "ou=x," + SUFFIX);

    replica.take(delete(11, smaller));
    replica.take(entry(30, "ou=x," + SUFFIX, smaller, smaller, "description=second"));
    awaitStored(CsnVector.EMPTY.with(new Csn(smaller.micros(), 0, 1, 1)));
    assertThat(names()).containsExactly(SUFFIX, "ou=x," + SUFFIX);
    AttributeDescription description =
        AttributeDescription.parse(OperationFixture.SCHEMA, "description");
    assertThat(store.entries().getLast().values(description))
        .containsExactly("second".getBytes(UTF_8));
    replica.take(change(31, "ou=y," + SUFFIX));
    awaitStored(now());
  }

  /** The provider is asked for changes that were passed. */
  @Test
  void theCookieDoesNotPassMissingChanges() throws Exception {
    filled(1);
    replica.begin();
    replica.take(end(true));
    CsnVector before = stored();
    replica.take(entry(30, "ou=x," + SUFFIX, next(), null));
    awaitStored(CsnVector.EMPTY.with(following(before, 1)));
    replica.end(null);
    replica.provider(before);
    assertThat(replica.begin().csns()).isEqualTo(before);
    replica.take(new SyncMessage.PhaseEnd(true, true, cookie(before)));
    assertThat(stored()).isEqualTo(CsnVector.EMPTY.with(following(before, 1)));
    replica.take(delete(10, next()));
    awaitStored(now());
    assertThat(names()).containsExactly(SUFFIX, "ou=x," + SUFFIX);
  }

  /** Changes that were made while the provider sent the refresh are sent again after it. */
  @Test
  void changesOfTheRefreshAreNotMadeAgain() throws Exception {
    Csn csn = next();
    replica.take(entry(10, "ou=new," + SUFFIX, next(), null));
    replica.take(end(false));
    replica.take(entry(10, "ou=old," + SUFFIX, csn, csn));
    replica.take(change(31, "ou=y," + SUFFIX));
    awaitStored(now());
    assertThat(names()).containsExactly(SUFFIX, "ou=new," + SUFFIX, "ou=y," + SUFFIX);
  }

  /** The provider may be another one than that whose changes had no numbers. */
  @Test
  void deletionsAreMadeWhateverTheirNumbers() throws Exception {
    filled(3);
    replica.begin();
    replica.take(end(true));
    CsnVector before = stored();
    replica.take(entry(30, "ou=x," + SUFFIX, next(), null));
    replica.take(entry(31, "ou=y," + SUFFIX, next(), null));
    awaitStored(CsnVector.EMPTY.with(following(before, 2)));
    replica.end(null);
    CsnVector other = CsnVector.EMPTY.with(following(before, 1));
    replica.provider(other);
    replica.begin();
    replica.take(new SyncMessage.PhaseEnd(true, true, cookie(other)));
    replica.take(delete(10, following(before, 2)));
    replica.take(delete(11, following(before, 1)));
    awaitStored(CsnVector.EMPTY.with(following(before, 4)));
    assertThat(names())
        .containsExactly(SUFFIX, "ou=e2," + SUFFIX, "ou=x," + SUFFIX, "ou=y," + SUFFIX);
    assertThat(replica.progress().csns()).isEqualTo(before);
  }

  @Test
  void changesWithoutNumbersFollowTheLastOne() throws Exception {
    filled(1);
    replica.begin();
    replica.take(new SyncMessage.PhaseEnd(true, true, cookie(now())));
    Csn last = new Csn(++micros, 0, 1, 0xff_ffff);
    replica.take(entry(30, "ou=x," + SUFFIX, last, last));
    assertThatThrownBy(() -> replica.take(delete(10, null)))
        .hasMessageContaining("without its number");
  }

  private static Csn following(CsnVector csns, int modification) {
    return new Csn(csns.csns().getFirst().micros(), 0, 1, modification);
  }

  private void awaitStored(CsnVector csns) {
    eventually("everything is stored", () -> stored().equals(csns));
  }

  private static SyncMessage delete(int number, Csn csn) {
    return new SyncMessage.EntryState(
        SyncMessage.State.DELETE,
        new UUID(0, number),
        "ou=e," + SUFFIX,
        List.of(),
        csn == null ? cookie(CsnVector.EMPTY) : cookie(CsnVector.EMPTY.with(csn)),
        10);
  }

  private static SyncMessage entry(
      int number, String name, Csn entryCsn, Csn cookie, String... more) {
    List<Request.AttributeValues> attributes = new ArrayList<>();
    attributes.add(values("objectClass", "organizationalUnit"));
    attributes.add(values("entryCSN", entryCsn.toString()));
    for (String each : more) {
      attributes.add(values("description", each.substring("description=".length())));
    }
    return new SyncMessage.EntryState(
        SyncMessage.State.MODIFY,
        new UUID(0, number),
        name,
        attributes,
        cookie == null ? cookie(CsnVector.EMPTY) : cookie(CsnVector.EMPTY.with(cookie)),
        500);
  }
}
