package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.LEAF;
import static org.nyala.core.operation.UpdateFixture.TOP;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.UpdateFixture.dn;
import static org.nyala.core.operation.UpdateFixture.modify;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nyala.accounts.AccountAdministration;
import org.nyala.core.Patience;
import org.nyala.core.backend.ChangeJournal;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.Promotion;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.StoreUnavailableException;
import org.nyala.core.backend.SyncCookie;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.policy.AccountAction;
import org.nyala.core.replica.ContextHandover;
import org.nyala.core.replica.Replica;
import org.nyala.core.replica.ReplicaSettings;
import org.nyala.core.replica.SyncMessage;

/** The turns by which a naming context passes from its provider to this server, and back. */
class ContextHandoverTest {
  private static final String PROVIDER = "ldap://provider";
  private static final Dn SUFFIX = dn(TOP);

  /** A change of the provider, whose clock is an hour ahead. */
  private static final Csn AHEAD =
      new Csn((UpdateFixture.NOW.getEpochSecond() + 3600) * 1_000_000, 0, 7, 0);

  private final UpdateFixture fixture = new UpdateFixture();
  private ContextHandover handover;

  @BeforeEach
  void consume() {
    fixture.consumed.add(SUFFIX, List.of(PROVIDER));
    handover = new ContextHandover(fixture.operations().directory(), SUFFIX);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private static Request describe(String name, String text) {
    return modify(name, change(2, "description", text));
  }

  /** Has the copy follow, with one change. */
  private void follow() throws Exception {
    Replica replica =
        new Replica(
            fixture.operations().directory(),
            new ReplicaSettings(SUFFIX, 1, 100, 10, 1 << 20, 1 << 20),
            MemoryBudget.ofHeap(System::nanoTime).open("replication"));
    replica.begin();
    replica.take(
        new SyncMessage.PhaseEnd(
            true, true, new SyncCookie(1, SyncCookie.NO_SERVER, CsnVector.EMPTY)));
    replica.take(
        new SyncMessage.EntryState(
            SyncMessage.State.ADD,
            new UUID(7, 7),
            "ou=new," + TOP,
            List.of(
                UpdateFixture.values("objectClass", "organizationalUnit"),
                UpdateFixture.values("ou", "new"),
                UpdateFixture.values("entryCSN", AHEAD.toString())),
            new SyncCookie(1, SyncCookie.NO_SERVER, CsnVector.EMPTY.with(AHEAD)),
            100));
    replica.end(null);
  }

  private CsnVector floor() {
    try (ReadTransaction transaction = fixture.backend.beginRead();
        ChangeJournal journal = transaction.journal(SUFFIX)) {
      return journal.floor();
    }
  }

  @Test
  void promotesAtOnceWithNumbersAfterAllOthers() throws Exception {
    follow();
    assertThat(fixture.code(describe(ANN, "early"))).isEqualTo(ResultCode.REFERRAL);
    assertThat(handover.promotion()).isNull();
    CsnVector present = handover.present();
    assertThat(present).isEqualTo(CsnVector.EMPTY.with(AHEAD));
    Promotion promotion = handover.promote(present, true, PROVIDER);
    assertThat(promotion).isEqualTo(new Promotion(true, 1, UpdateFixture.NOW, PROVIDER));
    assertThat(handover.promotion()).isEqualTo(promotion);
    assertThat(handover.present()).as("no change of its own").isEqualTo(present);
    assertThat(fixture.code(describe(ANN, "late"))).isEqualTo(ResultCode.SUCCESS);
    Csn own = Csn.parse(fixture.stored(ANN).get("entryCSN").getFirst());
    assertThat(own.isAfter(AHEAD)).isTrue();
    assertThat(own.serverId()).isEqualTo(1);
    assertThat(handover.present()).isEqualTo(present.with(own));
    assertThat(floor()).isEqualTo(CsnVector.EMPTY);
  }

  /** The server writes into entries itself again, as it does for accounts. */
  @Test
  void keepsTheStateOfAccountsOncePromoted() throws Exception {
    assertThatThrownBy(
            () ->
                new AccountAdministration(fixture.operations().directory())
                    .change(AccountAction.LOCK, dn(ANN)))
        .hasMessageContaining("another server keeps the state");
    handover.promote(null, true, PROVIDER);
    new AccountAdministration(fixture.operations().directory()).change(AccountAction.LOCK, dn(ANN));
    assertThat(fixture.stored(ANN)).containsKey("pwdAccountLockedTime");
  }

  @Test
  void refusesACopyWithOtherChanges() throws Exception {
    CsnVector expected = handover.present();
    follow();
    assertThatThrownBy(() -> handover.promote(expected, true, PROVIDER))
        .isInstanceOf(LdapOperationException.class)
        .hasMessageContaining("has changed meanwhile")
        .hasMessageContaining(AHEAD.toString());
    assertThat(handover.promotion()).isNull();
    assertThat(fixture.code(describe(ANN, "x"))).isEqualTo(ResultCode.REFERRAL);
  }

  @Test
  void sendsFollowersOfAnUnfinishedCopyToCompare() throws Exception {
    follow();
    handover.promote(null, false, PROVIDER);
    assertThat(handover.present().of(1)).isNotNull();
    assertThat(floor()).isEqualTo(handover.present());
  }

  @Test
  void staysACopyIfTheCommitFails() throws Exception {
    GatedBackend gate = new GatedBackend(fixture.store);
    fixture.restart();
    fixture.backend = gate;
    handover = new ContextHandover(fixture.operations().directory(), SUFFIX);
    gate.failure = _ -> new StoreUnavailableException("the disk is full", null);
    gate.commits.release(10);
    assertThatThrownBy(() -> handover.promote(null, true, PROVIDER))
        .hasMessageContaining("the disk is full");
    assertThat(handover.promotion()).isNull();
    assertThat(fixture.consumed.holds(SUFFIX)).isTrue();
  }

  /** Requests that had passed the first check wait behind the turn that ends changes. */
  @Test
  void refusesWhatWasBegunBeforeItIsACopyAgain() throws Exception {
    fixture.consumed.remove(SUFFIX);
    GatedBackend gate = new GatedBackend(fixture.store);
    fixture.restart();
    fixture.backend = gate;
    handover = new ContextHandover(fixture.operations().directory(), SUFFIX);
    RecordingSink first = new RecordingSink(100);
    RecordingSink second = new RecordingSink(100);
    fixture.start(describe(ANN, "first"), first);
    Patience.await(gate.committing);
    CompletableFuture<Void> closing =
        CompletableFuture.runAsync(
            () -> {
              try {
                handover.close();
              } catch (LdapOperationException e) {
                throw new AssertionError(e);
              }
            });
    eventually("the turn waits", () -> fixture.operations().queuedUpdates() > 0);
    fixture.start(describe(LEAF, "second"), second);
    gate.commits.release(10);
    closing.join();
    UpdateFixture.await(first);
    UpdateFixture.await(second);
    assertThat(first.code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(second.code()).as("not decided yet").isEqualTo(ResultCode.BUSY);
    assertThat(fixture.stored(LEAF).get("description")).containsExactly("green");
    handover.reopen();
    assertThat(fixture.code(describe(LEAF, "third"))).isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void remembersItsNumberAsACopy() throws Exception {
    Promotion promotion = handover.promote(null, true, PROVIDER);
    handover.close();
    assertThat(fixture.code(describe(ANN, "x"))).isEqualTo(ResultCode.BUSY);
    handover.follow(promotion, List.of());
    assertThat(handover.promotion()).isEqualTo(promotion.ended());
    assertThat(fixture.code(describe(ANN, "x"))).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
  }

  /** A promoted server that was given another number has changes with both. */
  @Test
  void remembersTheLastOfItsNumbers() throws Exception {
    Promotion before = new Promotion(true, 3, UpdateFixture.NOW.minusSeconds(60), PROVIDER);
    handover.promote(null, true, PROVIDER);
    assertThat(fixture.code(describe(ANN, "late"))).isEqualTo(ResultCode.SUCCESS);
    handover.close();
    handover.follow(before, List.of());
    assertThat(handover.promotion()).isEqualTo(before.ended(1));
  }

  @Test
  void saysWhichChangesAreItsOwn() {
    Promotion promotion = new Promotion(true, 3, UpdateFixture.NOW, PROVIDER);
    long micros = UpdateFixture.NOW.getEpochSecond() * 1_000_000;
    assertThat(promotion.covers(new Csn(micros - 1, 0, 3, 0))).isTrue();
    assertThat(promotion.covers(new Csn(micros - 1, 0, 4, 0))).isFalse();
    assertThat(promotion.covers(new Csn(micros, 0, 4, 0))).isTrue();
  }

  @Test
  void readsItsOwnNotes() {
    Promotion promotion = new Promotion(true, 4095, UpdateFixture.NOW, "ldaps://[::1]:636");
    assertThat(Promotion.parse(promotion.toString())).isEqualTo(promotion);
    assertThat(Promotion.parse(promotion.ended().toString())).isEqualTo(promotion.ended());
    assertThat(Promotion.parse("promoted 1 yesterday x")).isNull();
    assertThat(Promotion.parse("promoted x 2026-01-01T00:00:00Z x")).isNull();
    assertThat(Promotion.parse("other 1 2026-01-01T00:00:00Z x")).isNull();
    assertThat(Promotion.parse("")).isNull();
  }
}
